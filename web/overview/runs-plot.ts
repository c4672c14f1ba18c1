// The plot of runs by hour or day: how they ended, from the baseline what is wrong.

import type { Plot, PlotMark, PlotSlice } from "../plot/plot.ts"

/** The lowest and the highest value, as the API tells them. */
type Range = readonly [number, number, ...never[]]

interface Ends {
  readonly succeeded: number
  readonly failed: number
  readonly canceled: number
}

export interface RunSlice {
  readonly at: string
  readonly partial: boolean
  readonly runs: Ends
  readonly open?: number | null
  readonly active?: number | null
  readonly usual?: { readonly ended: Range | null }
}

const LENGTH = { hour: 3_600_000, day: 86_400_000 } as const

export function slicesOf(data: readonly Pick<RunSlice, "at" | "partial">[], each: "hour" | "day"): PlotSlice[] {
  return data.map(({ at, partial }, i) => {
    const next = data[i + 1]
    return { from: Date.parse(at), to: next ? Date.parse(next.at) : Date.parse(at) + LENGTH[each], isPartial: partial }
  })
}

export const whole = (value: number): string => Math.round(value).toLocaleString("en-US")

export const pairOf = (range: Range | null | undefined): readonly [number, number] | null => (range ? [range[0], range[1]] : null)

export function runsPlotOf(
  { data, each }: { readonly data: readonly RunSlice[]; readonly each: "hour" | "day" },
  marks: readonly PlotMark[] = [],
): Plot {
  const of = (name: keyof Ends): number[] => data.map(({ runs }) => runs[name])
  return {
    each,
    kind: "count",
    words: whole,
    slices: slicesOf(data, each),
    series: [
      { label: "Failed", look: "bad", as: "bar", values: of("failed") },
      { label: "Canceled", look: "open", as: "bar", values: of("canceled") },
      { label: "Succeeded", look: "good", as: "bar", values: of("succeeded") },
    ],
    ...(data.some(({ usual }) => usual?.ended) ? { usual: data.map(({ usual }) => pairOf(usual?.ended)) } : {}),
    marks,
  }
}

/** Runs under way at the end of each hour or day, and now; a slice that has not begun is a gap. */
export function underWayPlotOf({ data, each }: { readonly data: readonly RunSlice[]; readonly each: "hour" | "day" }, now: number): Plot {
  const slices = slicesOf(data, each)
  return {
    each,
    kind: "count",
    words: whole,
    slices,
    series: [
      {
        label: "Under way",
        look: "now",
        as: "line",
        values: data.map(({ active = null }, i) => ((slices[i]?.from ?? now) <= now ? active : null)),
      },
    ],
  }
}
