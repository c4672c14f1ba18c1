// The plot of a hook's deliveries by hour: what started or joined a run, what was held back, what was refused, and what had come before.

import type { Plot, PlotLook } from "../plot/plot.ts"

/** As the API lists it. */
interface Kept {
  readonly at: string
  readonly verdict: string
  /** How often it came again. */
  readonly duplicates: number
}

const HOUR_MS = 3_600_000
const HOURS = 24

const SERIES: readonly (readonly [label: string, look: PlotLook, verdicts: readonly Kept["verdict"][]])[] = [
  ["Refused or failed", "bad", ["rejected", "malformed", "failed"]],
  ["Filtered or skipped", "open", ["filtered", "skipped", "ping"]],
  ["Accepted", "good", ["accepted", "merged"]],
]

/** Since when these hours are. */
export const deliveriesSince = (now: number): number => (Math.floor(now / HOUR_MS) - HOURS + 1) * HOUR_MS

/** `isAll`: nothing that came in these hours is missing. Otherwise the hours before the oldest, and its own, are gaps. */
export function deliveriesPlotOf(kept: readonly Kept[], isAll: boolean, now: number): Plot {
  const since = deliveriesSince(now)
  const hourOf = ({ at }: Kept): number => Math.floor((Date.parse(at) - since) / HOUR_MS)
  const known = isAll ? 0 : Math.min(HOURS, Math.max(0, ...kept.slice(-1).map(hourOf)) + 1)
  const sums = (of: (row: Kept) => number): (number | null)[] => {
    const values = Array.from({ length: HOURS }, (_, hour): number | null => (hour < known ? null : 0))
    for (const row of kept) {
      const before = values[hourOf(row)]
      if (typeof before === "number") values[hourOf(row)] = before + of(row)
    }
    return values
  }
  return {
    each: "hour",
    kind: "count",
    words: (value) => Math.round(value).toLocaleString("en-US"),
    slices: Array.from({ length: HOURS }, (_, hour) => {
      const from = since + hour * HOUR_MS
      return { from, to: from + HOUR_MS, isPartial: hour === HOURS - 1 }
    }),
    series: [
      ...SERIES.map(([label, look, verdicts]) => ({
        label,
        look,
        as: "bar" as const,
        values: sums(({ verdict }) => (verdicts.includes(verdict) ? 1 : 0)),
      })),
      // A repeat counts where the delivery came first.
      { label: "Repeated", look: "p5" as const, as: "bar" as const, values: sums(({ duplicates }) => duplicates) },
    ],
  }
}
