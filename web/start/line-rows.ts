// Puts the starts of a key in line: those that hold it, then those that wait, in the order in which they go.

interface Start {
  readonly run: string
  readonly state: "waiting" | "running"
  readonly priority: "high" | "normal" | "low"
}

export interface PlacedStart<S> {
  readonly start: S
  /** undefined: it holds the key. */
  readonly place: number | undefined
}

const RANKS = { high: 0, normal: 1, low: 2 } as const

/** `starts` are in the order of their arrival. At most `most` are given, the run itself and those right before it among them. */
export function lineRows<S extends Start>(starts: readonly S[], run: string, most: number): readonly PlacedStart<S>[] {
  const holders = starts.filter(({ state }) => state === "running").map((start) => ({ start, place: undefined }))
  const line = starts
    .filter(({ state }) => state === "waiting")
    .toSorted((a, b) => RANKS[a.priority] - RANKS[b.priority])
    .map((start, at) => ({ start, place: at + 1 }))
  const shown = Math.max(1, most - Math.min(holders.length, Math.floor(most / 2)))
  const own = line.findIndex(({ start }) => start.run === run)
  const from = Math.max(0, Math.min(own - Math.floor(shown / 2), line.length - shown))
  return [...holders.slice(0, most - Math.min(line.length, shown)), ...line.slice(from, from + shown)]
}
