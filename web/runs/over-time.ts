// Matches over time: the hours or days that the API counts, as bars of equal width from the beginning of the range to its end.

export interface Counted {
  /** When the hour or day in UTC begins. */
  readonly key: string
  readonly count: number
}

export interface Bar {
  readonly from: number
  readonly until: number
  readonly count: number
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Hours are counted up to here; the API has at most 1,000 of them. */
const MOST_HOURS = 40 * 24
/** Hours of a bar. The first that gives at most so many bars. */
const WIDTHS = [1, 2, 4, 6, 12, 24, 48, 24 * 7, 24 * 14, 24 * 28]
const MOST_BARS = 96

/** Which of the two to count by, from here on; undefined: nobody knows since when there are runs. */
export const countedBy = (since: number | undefined, until: number): "hour" | "day" =>
  since !== undefined && until - since <= MOST_HOURS * HOUR_MS ? "hour" : "day"

/** A bar has whole hours or days; days begin in the reader's zone where hours are known. */
export function barsOf(
  data: readonly Counted[],
  by: "hour" | "day",
  range: { readonly since?: number; readonly until: number },
): readonly Bar[] {
  const times = data.map(({ key, count }) => ({ at: Date.parse(key), count }))
  const oldest = times[0]?.at
  if (range.since === undefined && oldest === undefined) return []
  // A day at least, where nobody asked for less.
  const first = range.since ?? Math.min(oldest ?? range.until, range.until - DAY_MS)
  const hours =
    WIDTHS.find((width) => (by === "hour" || width >= 24) && (range.until - first) / (width * HOUR_MS) <= MOST_BARS) ?? WIDTHS.at(-1) ?? 24
  const begin = beginOf(first, hours, by)
  const bars: Bar[] = []
  for (let from = begin; from < range.until;) {
    const until = nextOf(from, hours, by)
    bars.push({ from, until, count: 0 })
    from = until
  }
  const sums = bars.map(() => 0)
  for (const { at, count } of times) {
    const place = bars.findIndex((bar) => at >= bar.from && at < bar.until)
    if (place >= 0) sums[place] = (sums[place] ?? 0) + count
  }
  return bars.map((bar, place) => ({ ...bar, count: sums[place] ?? 0 }))
}

function beginOf(at: number, hours: number, by: "hour" | "day"): number {
  if (by === "day") return Math.floor(at / DAY_MS) * DAY_MS
  const day = new Date(at)
  if (hours >= 24) return new Date(day.getFullYear(), day.getMonth(), day.getDate()).getTime()
  return new Date(day.getFullYear(), day.getMonth(), day.getDate(), Math.floor(day.getHours() / hours) * hours).getTime()
}

/** Local days are not all as long. */
function nextOf(from: number, hours: number, by: "hour" | "day"): number {
  if (by === "day" || hours < 24) return from + hours * HOUR_MS
  const day = new Date(from)
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + hours / 24).getTime()
}

/** The bars from one to the other, whichever was first. */
export function stretchOf(
  bars: readonly Bar[],
  one: number,
  other: number,
): { readonly since: string; readonly until: string } | undefined {
  const [first, last] = [bars[Math.min(one, other)], bars[Math.max(one, other)]]
  return first && last && { since: new Date(first.from).toISOString(), until: new Date(last.until).toISOString() }
}
