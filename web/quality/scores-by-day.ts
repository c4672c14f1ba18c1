// The scores of one scorer by day, as a plot: a line for each flow, the most scored first [V44].

import type { Plot, PlotLook, PlotSlice } from "../plot/plot.ts"
import { scoreWords } from "./score-words.ts"

const DAY = 86_400_000
export const DAYS = 14
/** Flows that have a line of their own. */
const MOST = 5
const LOOKS: readonly PlotLook[] = ["p1", "p2", "p3", "p4", "p5"]

/** Of one day: FLOW/SCORER with how many scores, and their mean. */
interface Row {
  readonly day?: string
  readonly key: string
  readonly scored: number
  readonly mean: number | null
}

/** The first of the days that end with `now`, as the API takes it. */
export const firstDay = (now: number): string => dayOf((Math.floor(now / DAY) - DAYS + 1) * DAY)

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

export interface ScoredDays {
  readonly plot: Plot
  readonly scored: number
  /** Flows without a line. */
  readonly more: number
}

/** undefined: it scored nothing in these days. */
export function scoredDays(rows: readonly Row[], scorer: string, now: number): ScoredDays | undefined {
  const flows = new Map<string, { scored: number; readonly means: Map<string, number | null> }>()
  for (const { day, key, scored, mean } of rows) {
    if (!key.endsWith(`/${scorer}`) || day === undefined) continue
    const flow = key.slice(0, -scorer.length - 1)
    const one = flows.get(flow) ?? { scored: 0, means: new Map() }
    one.scored += scored
    one.means.set(day, mean)
    flows.set(flow, one)
  }
  if (flows.size === 0) return undefined
  const today = Math.floor(now / DAY)
  const slices = Array.from({ length: DAYS }, (_, i): PlotSlice => {
    const from = (today - DAYS + 1 + i) * DAY
    return { from, to: from + DAY, isPartial: i === DAYS - 1 }
  })
  const sorted = [...flows].toSorted(([a, one], [b, other]) => other.scored - one.scored || (a < b ? -1 : 1))
  const series = sorted.slice(0, MOST).map(([flow, { means }], i) => ({
    label: flow,
    look: LOOKS[i] ?? "p5",
    as: "line" as const,
    values: slices.map(({ from }) => means.get(dayOf(from)) ?? null),
  }))
  const plot: Plot = { slices, each: "day", series, words: scoreWords, kind: "amount", limit: { value: 1, label: "the best" } }
  return { plot, scored: sorted.reduce((sum, [, one]) => sum + one.scored, 0), more: Math.max(0, sorted.length - MOST) }
}
