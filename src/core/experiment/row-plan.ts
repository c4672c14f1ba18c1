// Plans the trials of a row [V33]: one cut for all variants, before the first step that differs in any of them. What did not change costs
// nothing, and all variants are asked anew from one place.

import type { RunEvent } from "../run/event.ts"

/** How one variant went on the recording: a backtest's verdict with `match: exact` [K23]. */
export type VariantVerdict =
  | { readonly result: "same" }
  | { readonly result: "changed" | "diverged"; readonly step?: string; readonly pass?: number }
  | { readonly result: "failed"; readonly message: string }

export type RowPlan =
  /** Nothing is asked, and every difference is 0. */
  | { readonly do: "same" }
  | { readonly do: "fork"; readonly before: { readonly step: string; readonly pass: number } | "end" }
  /** From the beginning. */
  | { readonly do: "start"; readonly why: string }

/** `flowOf`: the flow of a child run. */
export function rowPlan(
  verdicts: readonly VariantVerdict[],
  events: readonly RunEvent[],
  flowOf: (run: string) => string | undefined,
): RowPlan {
  const failed = verdicts.find((one) => one.result === "failed")
  if (failed?.result === "failed") return { do: "start", why: failed.message }
  const differing = verdicts.flatMap((one) => (one.result === "changed" || one.result === "diverged" ? [one] : []))
  if (differing.length === 0) return { do: "same" }
  let first: Opening | "end" = "end"
  for (const { step, pass } of differing) {
    if (step === undefined) continue
    const found = openingOf(step, pass ?? 1, events, flowOf)
    if (!found) return { do: "start", why: `the recorded run never opened ${step}` }
    if (first === "end" || found.seq < first.seq) first = found
  }
  return { do: "fork", before: first === "end" ? "end" : { step: first.step, pass: first.pass } }
}

interface Opening {
  readonly step: string
  readonly pass: number
  readonly seq: number
}

/** A step of a child is named FLOW/STEP: what differs is the step that started the first child of this flow. */
function openingOf(
  name: string,
  pass: number,
  events: readonly RunEvent[],
  flowOf: (run: string) => string | undefined,
): Opening | undefined {
  const [flow = "", ...below] = name.split("/")
  if (below.length === 0) return opened(events, name, pass)
  const child = events.find((e) => e.type === "child.started" && flowOf(e.run) === flow)
  return child?.type === "child.started" ? opened(events, child.step, child.pass) : undefined
}

function opened(events: readonly RunEvent[], step: string, pass: number): Opening | undefined {
  const found = events.find((e) => e.type === "step.opened" && e.step === step && e.pass === pass)
  return found && { step, pass, seq: found.seq }
}
