// Defines a plot: slices of time with what is shown of each. A value that is not known is null, and is drawn as a gap.

/** How a series looks: what it means. `p1` to `p5` are names without a meaning of their own. */
export type PlotLook = "good" | "bad" | "asks" | "open" | "now" | "most" | "p1" | "p2" | "p3" | "p4" | "p5"

export interface PlotSeries {
  readonly label: string
  readonly look: PlotLook
  /** Bars of one plot stand on each other, the first on the baseline. */
  readonly as: "bar" | "line"
  /** One for each slice. */
  readonly values: readonly (number | null)[]
}

export interface PlotSlice {
  /** Milliseconds. */
  readonly from: number
  readonly to: number
  /** It is not over. */
  readonly isPartial: boolean
}

/** A moment that is marked: a revision that became live. */
export interface PlotMark {
  readonly at: number
  readonly label: string
  readonly href: string
  /** What it is, for who points at it. */
  readonly about: string
  readonly isLive: boolean
}

export interface Plot {
  readonly slices: readonly PlotSlice[]
  readonly each: "hour" | "day"
  readonly series: readonly PlotSeries[]
  /** How many bars or lines have values of this kind: "3", "$0.20", "4:10". */
  readonly words: (value: number) => string
  readonly kind: AxisKind
  /** What is usual in each slice. */
  readonly usual?: readonly (readonly [lowest: number, highest: number] | null)[]
  /** Drawn from the last known slice on. */
  readonly forecast?: readonly (number | null)[]
  readonly limit?: { readonly value: number; readonly label: string } | undefined
  readonly marks?: readonly PlotMark[]
}

/** What the axis counts: it is marked at whole numbers, at parts of them, at times, or at shares of 100. */
export type AxisKind = "count" | "amount" | "time" | "percent"

/** From where to where each bar of a slice is drawn; null where nothing is known of the slice. */
export function stacked(series: readonly PlotSeries[]): (number | null)[][] {
  const below: number[] = []
  return series.map(({ as, values }) =>
    as === "line"
      ? [...values]
      : values.map((value, i) => {
          if (value === null) return null
          below[i] = (below[i] ?? 0) + value
          return below[i]
        }),
  )
}

/** The highest value that the plot has to show. */
export const highestOf = ({ series, usual = [], forecast = [], limit }: Plot): number =>
  Math.max(0, limit?.value ?? 0, ...stacked(series).flat().map(Number), ...usual.map((range) => range?.[1] ?? 0), ...forecast.map(Number))
