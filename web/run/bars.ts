// Computes the bars of the waterfall: when a model, a tool, a child run or a person was at work, and each one's share of a pass's time.

import { callsOf, type Call, type Pass, type RunOutline, type Work } from "../../src/core/run/views/outline.ts"

export type BarKind = "model" | "tool" | "child" | "person" | "wait" | "refused"

/** Whether the run itself works then: it does not while it waits for a person, a signal or a time. */
export const isWork = (kind: BarKind): boolean => kind === "model" || kind === "tool" || kind === "child"

export interface Bar {
  readonly kind: BarKind
  readonly from: number
  /** undefined: it goes on. */
  readonly to: number | undefined
}

export function barsOf(pass: Pass): Bar[] {
  const bars: Bar[] = []
  for (const turn of pass.turns) bars.push({ kind: "model", from: turn.begun, to: turn.ended })
  for (const call of callsOf(pass)) if (isShown(call)) bars.push(barOf(call))
  for (const { kind, begun, ended } of pass.works) bars.push({ kind: WORK_BARS[kind], from: begun, to: ended })
  for (const { begun, ended } of pass.asks) bars.push({ kind: "person", from: begun, to: ended })
  return bars
}

/** What each work of a step is as a bar. */
export const WORK_BARS: Readonly<Record<Work["kind"], BarKind>> = { child: "child", code: "tool", wait: "wait" }

/** A call that a person is asked about is shown by the question. */
const isShown = ({ state }: Call): boolean => state !== "asks" && state !== "given"

export function barOf({ state, begun, ended, child }: Call): Bar {
  if (state === "refused") return { kind: "refused", from: ended ?? begun, to: ended ?? begun }
  return { kind: state === "asks" ? "person" : child === undefined ? "tool" : "child", from: begun, to: ended }
}

/** In ms. `idle`: none of the others. */
export type Split = Readonly<Record<"model" | "tool" | "child" | "person" | "wait" | "paused" | "idle", number>>

const ORDER = ["model", "tool", "child", "person", "wait", "paused"] as const

/**
 * The time from the first pass to the end of the last, by what was at work. Time when several are counts for the first of model, tool, child run,
 * person, wait, pause, so the parts add up to the whole.
 */
export function splitOf(passes: readonly Pass[], now: number, pauses: RunOutline["pauses"] = []): Split {
  const first = passes.reduce((least, { begun }) => Math.min(least, begun), now)
  const end = passes.reduce((last, { ended = now }) => Math.max(last, ended), first)
  const edges: { readonly at: number; readonly kind: number; readonly by: number }[] = []
  const add = (kind: number, from: number, to: number): void => {
    const [begun, ended] = [Math.max(first, from), Math.min(end, to)]
    if (kind >= 0 && ended > begun) edges.push({ at: begun, kind, by: 1 }, { at: ended, kind, by: -1 })
  }
  for (const pass of passes)
    for (const { kind, from, to = now } of barsOf(pass))
      add(
        ORDER.findIndex((one) => one === kind),
        from,
        to,
      )
  for (const { from, to = now } of pauses) add(ORDER.indexOf("paused"), from, to)
  edges.sort((a, b) => a.at - b.at)
  const open = ORDER.map(() => 0)
  const spent = ORDER.map(() => 0)
  let idle = 0
  let last = first
  const until = (at: number): void => {
    const busy = open.findIndex((count) => count > 0)
    if (busy >= 0) spent[busy] = (spent[busy] ?? 0) + at - last
    else idle += at - last
    last = at
  }
  for (const { at, kind, by } of edges) {
    until(at)
    open[kind] = (open[kind] ?? 0) + by
  }
  if (end > last) until(end)
  const [model = 0, tool = 0, child = 0, person = 0, wait = 0, paused = 0] = spent
  return { model, tool, child, person, wait, paused, idle }
}
