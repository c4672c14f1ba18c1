// The plots of a flow by hour or day: how long its runs take, what one costs, and how many fail.

import { slicesOf } from "../overview/runs-plot.ts"
import type { Plot, PlotMark } from "../plot/plot.ts"

interface Ends {
  readonly succeeded: number
  readonly failed: number
  readonly canceled: number
}

export interface FlowSlice {
  readonly at: string
  readonly partial: boolean
  readonly runs: Ends
  readonly children: Ends
  readonly usd: number | null
  readonly ms: { readonly p50: number; readonly p95: number } | null
}

export const endedIn = ({ runs, children }: Pick<FlowSlice, "runs" | "children">): number =>
  [runs, children].reduce((sum, ends) => sum + ends.succeeded + ends.failed + ends.canceled, 0)

/** The share of runs that failed; null: none succeeded or failed. */
export function failedShare({ runs, children }: Pick<FlowSlice, "runs" | "children">): number | null {
  const [failed, succeeded] = [runs.failed + children.failed, runs.succeeded + children.succeeded]
  return failed + succeeded === 0 ? null : failed / (failed + succeeded)
}

/** Dollars of a run; null: not known. */
export const costOf = (slice: Pick<FlowSlice, "runs" | "children" | "usd">): number | null =>
  slice.usd === null || endedIn(slice) === 0 ? null : slice.usd / endedIn(slice)

interface Words {
  readonly time: (ms: number) => string
  readonly money: (usd: number) => string
}

export function flowPlots(
  data: readonly FlowSlice[],
  each: "hour" | "day",
  marks: readonly PlotMark[],
  words: Words,
): Readonly<Record<"time" | "cost" | "failed", Plot>> {
  const of = { each, slices: slicesOf(data, each), marks }
  return {
    time: {
      ...of,
      kind: "time",
      words: words.time,
      series: [
        { label: "p50", look: "now", as: "line", values: data.map(({ ms }) => ms?.p50 ?? null) },
        { label: "p95", look: "most", as: "line", values: data.map(({ ms }) => ms?.p95 ?? null) },
      ],
    },
    cost: {
      ...of,
      kind: "amount",
      words: words.money,
      series: [{ label: "Cost per run", look: "now", as: "line", values: data.map(costOf) }],
    },
    failed: {
      ...of,
      kind: "percent",
      words: (share) => String(Math.round(share * 10) / 10),
      series: [
        {
          label: "Failed",
          look: "bad",
          as: "bar",
          values: data.map((slice) => {
            const share = failedShare(slice)
            return share === null ? null : share * 100
          }),
        },
      ],
    },
  }
}

export interface NamedSlice {
  readonly at: string
  readonly partial: boolean
  readonly models?: readonly { readonly model: string; readonly ms: { readonly p95: number } | null }[]
  readonly tools?: readonly { readonly tool: string; readonly ms: { readonly p95: number } | null }[]
}

const LOOKS = ["p1", "p2", "p3", "p4", "p5"] as const

/** How long the calls of a few models or tools took, a line each: p95 by hour or day. */
export function callPlot(
  { data, each }: { readonly data: readonly NamedSlice[]; readonly each: "hour" | "day" },
  kind: "models" | "tools",
  names: readonly string[],
  time: Words["time"],
): Plot {
  const valueIn = (slice: NamedSlice, name: string): number | null =>
    (kind === "models"
      ? slice.models?.find(({ model }) => model === name)?.ms?.p95
      : slice.tools?.find(({ tool }) => tool === name)?.ms?.p95) ?? null
  return {
    each,
    slices: slicesOf(data, each),
    kind: "time",
    words: time,
    series: names
      .slice(0, LOOKS.length)
      .map((label, i) => ({ label, look: LOOKS[i] ?? "p1", as: "line", values: data.map((slice) => valueIn(slice, label)) })),
  }
}
