// Finds steps that were open when another step ended a failed run [K22]. Their progress depends on timing, so a case made from the run
// expects nothing of them. A pure function of journals.

import type { RunEvent } from "../run/event.ts"
import type { RecordedRun } from "./recorded-case.ts"

export function besideFailure(events: readonly RunEvent[]): ReadonlySet<string> {
  const end = events.find((e) => e.type === "run.ended")
  const failed = end?.status === "failed" ? end.error?.step : undefined
  if (failed === undefined) return new Set()
  const began = events.findLast((e) => e.type === "step.opened" && e.step === failed)?.seq ?? 0
  const open = new Set<string>()
  for (const e of events) {
    if (e.type === "step.opened") open.add(e.step)
    else if (e.type === "step.finished" && e.seq < began) open.delete(e.step)
  }
  open.delete(failed)
  return open
}

/** Tells whether a run of the family ended with work beside its failure. The turns and calls of all its runs are counted together. */
export function isCut({ events, children }: RecordedRun): boolean {
  const isCanceled = events.some((e) => e.type === "child.ended" && e.status === "canceled")
  return isCanceled || besideFailure(events).size > 0 || [...children.values()].some(isCut)
}
