// Estimates when a run that waits for a key begins: runs before it take as long as such runs usually do. Nobody is told a time that rests on less
// than three runs.

interface Line {
  /** Starts that go before it. */
  readonly ahead: number
  /** Runs of the key that may be at work. */
  readonly limit: number
  /** ms that each run at work has taken so far. */
  readonly atWork: readonly number[]
}

const FEWEST = 3

/** The middle of what runs of the flow took; undefined: too few. */
export function usualOf(took: readonly number[]): number | undefined {
  if (took.length < FEWEST) return undefined
  const sorted = took.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}

/** ms from now. Places are taken in the order in which they become free. */
export function aboutWhen({ ahead, limit, atWork }: Line, usual: number): number {
  const free = atWork.map((ran) => Math.max(0, usual - ran)).slice(0, limit)
  while (free.length < limit) free.push(0)
  let at = 0
  for (let place = 0; place <= ahead; place += 1) {
    free.sort((a, b) => a - b)
    at = free[0] ?? 0
    free[0] = at + usual
  }
  return at
}

/** `in about 4 min`. */
export function aboutWords(ms: number): string {
  if (ms < 5_000) return "in a moment"
  if (ms < 60_000) return `in about ${Math.ceil(ms / 10_000) * 10} s`
  if (ms < 3_600_000) return `in about ${Math.round(ms / 60_000)} min`
  return `in about ${Math.round(ms / 3_600_000)} h`
}
