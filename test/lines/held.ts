// Says from views of runs how many held a key at once [R6], and how long a freed key stayed free.

export interface HeldRun {
  readonly id: string
  readonly flow: string
  readonly parent?: string
  /** ms; undefined: it never began. */
  readonly began?: number
  readonly ready?: number
  readonly ended: number
  readonly pool?: string
  readonly key?: string
  readonly limit?: number
}

interface Interval {
  readonly id: string
  readonly from: number
  readonly to: number
  /** The run of the family that ended last. */
  readonly last: string
  readonly ready: number
  readonly limit: number
}

/** By pool and key: from the beginning of each run to the last end of its family. */
export function heldBy(runs: readonly HeldRun[]): Map<string, Interval[]> {
  const below = Map.groupBy(runs, ({ parent }) => parent ?? "")
  const lastOf = (run: HeldRun): HeldRun =>
    (below.get(run.id) ?? []).map(lastOf).reduce((last, one) => (one.ended > last.ended ? one : last), run)
  const held = new Map<string, Interval[]>()
  for (const run of runs) {
    const { id, pool, key, limit = 1, began, ready = 0 } = run
    if (pool === undefined || key === undefined || began === undefined) continue
    const name = `${pool} ${key}`
    const last = lastOf(run)
    held.set(name, [...(held.get(name) ?? []), { id, from: began, to: last.ended, last: last.id, ready, limit }])
  }
  for (const intervals of held.values()) intervals.sort((a, b) => a.from - b.from)
  return held
}

/** The first run that began while too many held its key. */
export function beyond(intervals: readonly Interval[]): string | undefined {
  let at: Interval[] = []
  for (const one of intervals) {
    at = [...at.filter(({ to }) => to > one.from), one]
    if (at.some(({ limit }) => at.length > limit))
      return at.map(({ id, from, to, last }) => `${id} from ${from} to ${to}, the end of ${last}`).join(", ")
  }
  return undefined
}

/** Of a key of which one run is at work at a time: how long it stayed free while the next one was in line (ms). */
export const freeTimes = (intervals: readonly Interval[]): number[] =>
  intervals.flatMap(({ from, ready, limit }, i) => {
    const before = intervals[i - 1]
    return limit === 1 && before && ready <= before.to ? [from - before.to] : []
  })
