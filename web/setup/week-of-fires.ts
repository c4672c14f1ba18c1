// The calendar of schedules: what runs by itself on each of the next days. A schedule that runs often on a day is one line with the count.

/** The times of a schedule from now on. `isAll`: it has no more of them in these days. */
export interface Fires<Of> {
  readonly of: Of
  readonly times: readonly number[]
  readonly isAll: boolean
}

export interface DayLine<Of> {
  readonly of: Of
  /** The first, or where the order puts what is not known. */
  readonly at: number
  /** One for each line, and more than that where a schedule runs often; null: more often than is known. */
  readonly count: number | null
}

export interface Day<Of> {
  readonly from: number
  readonly lines: readonly DayLine<Of>[]
}

/** The days that the calendar has. */
export const DAYS = 7
/** A schedule has so many lines a day at most. */
const LINES_EACH = 3

/** The local midnight so many days after the one before `now`. */
export function midnightAfter(now: number, days: number): number {
  const day = new Date(now)
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + days).getTime()
}

export function weekOf<Of>(all: readonly Fires<Of>[], now: number): readonly Day<Of>[] {
  return Array.from({ length: DAYS }, (_, i) => {
    const [from, to] = [midnightAfter(now, i), midnightAfter(now, i + 1)]
    const lines = all.flatMap((fires) => linesOf(fires, Math.max(from, now), to))
    return { from, lines: lines.toSorted((a, b) => a.at - b.at) }
  })
}

function linesOf<Of>({ of, times, isAll }: Fires<Of>, from: number, to: number): readonly DayLine<Of>[] {
  const here = times.filter((at) => at >= from && at < to)
  const [first = from] = here
  // What is known ends within this day, or before it.
  if (!isAll && (times.at(-1) ?? 0) < to) return [{ of, at: first, count: null }]
  return here.length > LINES_EACH ? [{ of, at: first, count: here.length }] : here.map((at) => ({ of, at, count: 1 }))
}
