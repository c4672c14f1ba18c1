// The queue of grades as one person works it: what was graded or skipped in this visit stays in its place, so that one can go back to it.

interface Entry {
  readonly run: string
  readonly scorer: string
}

export interface Queue<E extends Entry> {
  readonly entries: readonly E[]
  readonly marks: Readonly<Record<string, "graded" | "skipped">>
  /** The entry that is open; beyond the last: nothing is left. */
  readonly at: number
}

export const keyOf = ({ run, scorer }: Entry): string => `${run} ${scorer}`

export const emptyQueue = <E extends Entry>(): Queue<E> => ({ entries: [], marks: {}, at: 0 })

/** `waiting`: what the server lists now. Somebody else's grade takes an entry out, what was done here stays. */
export function heard<E extends Entry>({ entries, marks, at }: Queue<E>, waiting: readonly E[]): Queue<E> {
  const open = entries[at]
  const listed = new Set(waiting.map(keyOf))
  const kept = entries.filter((one) => one === open || marks[keyOf(one)] !== undefined || listed.has(keyOf(one)))
  const known = new Set(kept.map(keyOf))
  const next = [...kept, ...waiting.filter((one) => !known.has(keyOf(one)))]
  const place = open === undefined ? next.findIndex((one) => marks[keyOf(one)] === undefined) : next.indexOf(open)
  return { entries: next, marks, at: place < 0 ? next.length : place }
}

/** To the next that is not done, from the beginning if there is none below. */
export function worked<E extends Entry>({ entries, marks, at }: Queue<E>, how: "graded" | "skipped"): Queue<E> {
  const open = entries[at]
  const all = open === undefined ? marks : { ...marks, [keyOf(open)]: how }
  const isLeft = (one: E): boolean => all[keyOf(one)] === undefined
  const below = entries.findIndex((one, place) => place > at && isLeft(one))
  const next = below < 0 ? entries.findIndex(isLeft) : below
  return { entries, marks: all, at: next < 0 ? entries.length : next }
}

/** To the one before. */
export const back = <E extends Entry>(queue: Queue<E>): Queue<E> => ({
  ...queue,
  at: Math.max(0, Math.min(queue.at, queue.entries.length) - 1),
})
