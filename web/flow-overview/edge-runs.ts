// Says how many runs took each way of a flow's graph. Sums have the runs of steps, not of ways: where a step can be come to by one way, or left by one, its
// runs are those of the way, and what is left of a step is that of its last way. Where several are open, a way has at most the runs of both its ends.

export interface WayEnds {
  readonly from: string
  readonly to: string
  readonly kind: string
}

export interface StepRuns {
  readonly step: string
  readonly reached: number
  readonly failed: number
  readonly left: number
}

/** In the order of the ways. */
export function runsOfWays(ways: readonly WayEnds[], steps: readonly StepRuns[]): number[] {
  const known = new Map(steps.map((step) => [step.step, step]))
  const reached = (id: string): number => known.get(id)?.reached ?? 0
  const wentOn = (id: string): number => Math.max(0, reached(id) - (known.get(id)?.failed ?? 0) - (known.get(id)?.left ?? 0))
  const counts: (number | undefined)[] = ways.map(() => undefined)
  const most = ({ from, to, kind }: WayEnds): number => Math.min(kind === "on_error" ? reached(from) : wentOn(from), reached(to))
  /** Of ways that exclude each other, one of which is open, the rest is its. */
  const settle = (of: (way: WayEnds) => boolean, total: number): boolean => {
    const all = ways.flatMap((way, i) => (of(way) ? [i] : []))
    const open = all.filter((i) => counts[i] === undefined)
    const [only] = open
    const way = only === undefined ? undefined : ways[only]
    if (open.length !== 1 || only === undefined || !way) return false
    const rest = total - all.reduce((sum, i) => sum + (counts[i] ?? 0), 0)
    counts[only] = Math.max(0, Math.min(rest, most(way)))
    return true
  }
  // What waits for several steps has been come to by each of them.
  for (const [i, way] of ways.entries()) if (way.kind === "blockedBy") counts[i] = most(way)
  const ids = [...new Set(ways.flatMap(({ from, to }) => [from, to]))]
  let isNew = true
  while (isNew) {
    isNew = false
    for (const id of ids) {
      if (settle((way) => way.to === id && way.kind !== "blockedBy", reached(id))) isNew = true
      if (settle((way) => way.from === id && way.kind === "branch", wentOn(id))) isNew = true
    }
  }
  return ways.map((way, i) => counts[i] ?? most(way))
}
