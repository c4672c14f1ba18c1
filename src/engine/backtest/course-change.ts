// Compares the course of a recorded run with that of a changed one [K23].

import { defined } from "../../core/defined.ts"
import { canonical } from "../../core/json.ts"
import type { EventOf, RunEvent } from "../../core/run/event.ts"
import type { CodeResult } from "../../core/run/signal.ts"

/** The opened steps, by step and pass. */
export const openings = (events: readonly RunEvent[]): Map<string, EventOf<"step.opened">> =>
  new Map(events.flatMap((e) => (e.type === "step.opened" ? [[`${e.step}/${e.pass}`, e] as const] : [])))

/** The recorded and the new verdicts on a reply and its finish. */
export function verdictChange(before: readonly RunEvent[], after: readonly RunEvent[]): "guard" | "schema" | undefined {
  const guarded = (events: readonly RunEvent[]): unknown =>
    events.flatMap((e) =>
      e.type === "tool.refused"
        ? [[e.callId, e.code]]
        : e.type === "interaction.asked" && e.callId !== undefined
          ? [[e.callId, e.kind]]
          : [],
    )
  const finished = (events: readonly RunEvent[]): unknown =>
    events.flatMap((e) =>
      e.type === "finish.rejected" ? [[e.callId]] : e.type === "step.finished" ? [[e.step, e.status, e.branch ?? null, e.outputs]] : [],
    )
  if (canonical(guarded(before)) !== canonical(guarded(after))) return "guard"
  return canonical(finished(before)) === canonical(finished(after)) ? undefined : "schema"
}

export function finishChange(before: readonly RunEvent[], after: readonly RunEvent[]): { step: string; pass: number } | undefined {
  const of = (events: readonly RunEvent[]): Map<string, EventOf<"step.finished">> =>
    new Map(events.flatMap((e) => (e.type === "step.finished" ? [[`${e.step}/${e.pass}`, e] as const] : [])))
  const was = of(before)
  return [...of(after).values()].find((e) => {
    const then = was.get(`${e.step}/${e.pass}`)
    return then === undefined || then.status !== e.status || then.branch !== e.branch
  })
}

/** Compares finishes. A handler's value is recorded as the step's outputs. */
export function sameFinish(events: readonly RunEvent[], result: CodeResult): boolean {
  const finished = events.find((e) => e.type === "step.finished")
  if (finished?.type !== "step.finished" || !result.ok || finished.status !== "complete") return false
  const branch = defined({ branch: finished.branch })
  return canonical(result.value) === canonical({ ...finished.outputs, ...branch })
}
