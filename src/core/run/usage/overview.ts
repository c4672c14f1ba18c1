// Makes the overview [H16] of a range of hours: each hour or each 24 of them, what came together so far, and what is usual for both.

import { endedIn, successIn } from "./measures.ts"
import { percentile } from "./histogram.ts"
import { mergeSum, sumOfAll, type Sum } from "./sum.ts"
import { judged, usualOf, WEEKS, type Judged, type Kind, type Range } from "./usual.ts"

const HOUR_MS = 3_600_000
const DAY_HOURS = 24
export const WEEK_HOURS = 7 * DAY_HOURS

/** The numbers that have something usual. */
const KINDS = { runs: "count", ended: "count", success: "share", usd: "amount", p95: "amount", open: "count" } as const satisfies Record<
  string,
  Kind
>
type Name = keyof typeof KINDS
const NAMES = Object.keys(KINDS) as Name[]
export type Numbers<Value> = Readonly<Record<Name, Value>>

export interface Hours {
  /** The first hour since 1970, how many there are, and how many are one slice. */
  readonly from: number
  readonly n: number
  readonly each: number
  readonly now: number
  /** Sums of these hours and of those of the weeks before; none: nothing happened. */
  readonly sums: ReadonlyMap<number, Sum>
  /** Open questions now, and by how many there were more after an hour than before it. */
  readonly open: number
  readonly changes: readonly (readonly [hour: number, more: number])[]
  /** The same of runs under way. */
  readonly active: number
  readonly begun: readonly (readonly [hour: number, more: number])[]
}

export interface OverviewSlice {
  readonly at: number
  /** It is not over. */
  readonly partial: boolean
  readonly sum: Sum
  readonly open: number
  readonly active: number
  readonly usual: Numbers<Range | null>
  readonly so_far: Numbers<number | null>
  readonly usual_so_far: Numbers<Range | null>
}

export interface Overview {
  readonly slices: readonly OverviewSlice[]
  readonly total: Sum
  readonly numbers: Numbers<Judged>
}

/** The hours before that say what is usual; undefined: the range is longer than a week. */
export function hoursBefore({ from, n }: Pick<Hours, "from" | "n">): (readonly [first: number, last: number])[] | undefined {
  if (n > WEEK_HOURS) return undefined
  return Array.from({ length: WEEKS }, (_, k) => {
    const first = from - (k + 1) * WEEK_HOURS
    return [first, first + Math.max(n, DAY_HOURS) - 1] as const
  })
}

/** Of one week: each slice, and the slices up to it. */
interface Series {
  readonly own: readonly Numbers<number | null>[]
  readonly soFar: readonly Numbers<number | null>[]
}

export function overviewOf(hours: Hours): Overview {
  const { from, n, each, now, sums } = hours
  const openAfter = after(hours.open, hours.changes)
  const activeAfter = after(hours.active, hours.begun)
  const slices = Array.from({ length: Math.ceil(n / each) }, (_, j) => [j * each, Math.min(n, (j + 1) * each)] as const)
  const inSlice = (first: number, j: number): Sum => {
    const [begin = 0, end = 0] = slices[j] ?? []
    return sumOfAll(Array.from({ length: end - begin }, (_, i) => sums.get(first + begin + i) ?? {}))
  }
  const seriesOf = (first: number): Series => {
    const all: Sum = {}
    const [own, soFar]: [Numbers<number | null>[], Numbers<number | null>[]] = [[], []]
    for (const [j, [, end]] of slices.entries()) {
      const sum = inSlice(first, j)
      const open = openAfter(first + end - 1)
      own.push(numbersOf(sum, open))
      mergeSum(all, sum)
      soFar.push(numbersOf(all, open))
    }
    return { own, soFar }
  }
  const before = (hoursBefore(hours) ?? []).filter(([first, last]) => isBusy(sums, first, last)).map(([first]) => seriesOf(first))
  const here = seriesOf(from)
  const usual = (of: (series: Series) => Numbers<number | null> | undefined, ended: number): Numbers<Range | null> =>
    numbers((name) =>
      usualOf(
        KINDS[name],
        before.map((series) => of(series)?.[name] ?? null),
        ended,
      ),
    )
  const under = slices.findIndex(([, end]) => (from + end) * HOUR_MS > now)
  const last = under < 0 ? slices.length - 1 : under
  const [begin = 0, end = 0] = slices[last] ?? []
  const lastSlice = { begin: (from + begin) * HOUR_MS, end: (from + end) * HOUR_MS, now }
  return {
    slices: slices.map(([begin, end], j) => ({
      at: (from + begin) * HOUR_MS,
      partial: (from + end) * HOUR_MS > now,
      sum: inSlice(from, j),
      open: openAfter(from + end - 1),
      active: activeAfter(from + end - 1),
      usual: usual(({ own }) => own[j], here.own[j]?.ended ?? 0),
      so_far: here.soFar[j] ?? numbers(() => null),
      usual_so_far: usual(({ soFar }) => soFar[j], here.soFar[j]?.ended ?? 0),
    })),
    total: inRange(sums, from, from + n - 1),
    numbers: nowJudged(
      here.soFar[last],
      usual(({ soFar }) => byNow(soFar[last - 1], soFar[last], lastSlice), here.soFar[last]?.ended ?? 0),
    ),
  }
}

const numbers = <Value>(of: (name: Name) => Value): Numbers<Value> =>
  Object.fromEntries(NAMES.map((name) => [name, of(name)])) as Record<Name, Value>

const nowJudged = (soFar: Numbers<number | null> | undefined, usual: Numbers<Range | null>): Numbers<Judged> =>
  numbers((name) => judged(soFar?.[name] ?? null, usual[name]))

function numbersOf({ began = 0, runs, usd, unpriced = 0, ms }: Sum, open: number): Numbers<number | null> {
  return {
    runs: began,
    ended: endedIn(runs),
    success: successIn(runs),
    usd: usd ?? (unpriced > 0 ? null : 0),
    p95: ms ? percentile(ms, 0.95) : null,
    open,
  }
}

interface LastSlice {
  /** Milliseconds. */
  readonly begin: number
  readonly end: number
  readonly now: number
}

/** A week before, as it was at this time: of its last slice the same part has passed. In steps of 5 minutes, so that answers stay the same as long. */
function byNow(before: Numbers<number | null> | undefined, all: Numbers<number | null> | undefined, { begin, end, now }: LastSlice) {
  if (all === undefined) return undefined
  const part = Math.min(1, Math.floor(Math.max(0, now - begin) / FIVE_MINUTES) * (FIVE_MINUTES / (end - begin)))
  const grown = (name: "runs" | "ended" | "usd"): number | null => {
    const [a, b] = [before?.[name] ?? 0, all[name]]
    return b === null ? null : a + (b - a) * part
  }
  return { ...all, runs: grown("runs"), ended: grown("ended"), usd: grown("usd") }
}
const FIVE_MINUTES = 300_000

function isBusy(sums: ReadonlyMap<number, Sum>, first: number, last: number): boolean {
  for (let hour = first; hour <= last; hour++) if (sums.has(hour)) return true
  return false
}

function inRange(sums: ReadonlyMap<number, Sum>, first: number, last: number): Sum {
  const all: Sum = {}
  for (let hour = first; hour <= last; hour++) mergeSum(all, sums.get(hour) ?? {})
  return all
}

/** How many there were after an hour: those of now, without what came later. */
function after(now: number, changes: Hours["changes"]): (hour: number) => number {
  const sorted = changes.toSorted(([a], [b]) => b - a)
  const known = new Map<number, number>()
  return (hour) => {
    const before = known.get(hour)
    if (before !== undefined) return before
    let left = now
    for (const [at, more] of sorted) {
      if (at <= hour) break
      left -= more
    }
    known.set(hour, Math.max(0, left))
    return Math.max(0, left)
  }
}
