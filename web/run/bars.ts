// Computes the bars of the waterfall: when a model, a tool, a child run or a person was at work, and each one's share of a pass's time.

import type { Call, Pass } from "../../src/core/run/views/outline.ts"

export type BarKind = "model" | "tool" | "child" | "person" | "refused"

export interface Bar {
  readonly kind: BarKind
  readonly from: number
  /** undefined: it goes on. */
  readonly to: number | undefined
}

export function barsOf(pass: Pass): Bar[] {
  const bars: Bar[] = []
  for (const turn of pass.turns) {
    bars.push({ kind: "model", from: turn.begun, to: turn.ended })
    for (const call of turn.calls) if (isShown(call)) bars.push(barOf(call))
  }
  for (const { kind, begun, ended } of pass.works) bars.push({ kind: kind === "child" ? "child" : "tool", from: begun, to: ended })
  for (const { begun, ended } of pass.asks) bars.push({ kind: "person", from: begun, to: ended })
  return bars
}

/** A call that a person is asked about is shown by the question. */
const isShown = ({ state }: Call): boolean => state !== "asks" && state !== "given"

export function barOf({ state, begun, ended, child }: Call): Bar {
  if (state === "refused") return { kind: "refused", from: ended ?? begun, to: ended ?? begun }
  return { kind: state === "asks" ? "person" : child === undefined ? "tool" : "child", from: begun, to: ended }
}

export type Split = Readonly<Record<"model" | "tool" | "child" | "person", number>>

/** Time when several are at work counts for the first of model, tool, child run, person. */
export function splitOf(passes: Iterable<Pass>, now: number): Split {
  const order = ["model", "tool", "child", "person"] as const
  const edges: { readonly at: number; readonly kind: number; readonly by: number }[] = []
  for (const pass of passes)
    for (const { kind, from, to } of barsOf(pass)) {
      const place = order.findIndex((one) => one === kind)
      if (place >= 0) edges.push({ at: from, kind: place, by: 1 }, { at: Math.max(from, to ?? now), kind: place, by: -1 })
    }
  edges.sort((a, b) => a.at - b.at)
  const open = [0, 0, 0, 0]
  const spent = [0, 0, 0, 0]
  let last = edges[0]?.at ?? 0
  for (const { at, kind, by } of edges) {
    const busy = open.findIndex((count) => count > 0)
    if (busy >= 0) spent[busy] = (spent[busy] ?? 0) + at - last
    last = at
    open[kind] = (open[kind] ?? 0) + by
  }
  return { model: spent[0] ?? 0, tool: spent[1] ?? 0, child: spent[2] ?? 0, person: spent[3] ?? 0 }
}
