// Pause and resume [H5]: no action begins while a run is paused; what is under way ends and is recorded, recovery records what was lost.
//
// Timeouts of steps and of the run stand still: their deadlines move by as long as the run was paused since they began. An interaction's
// expiry does not, nor do times of the clock: a `wait`, a retry. What has come meanwhile is done at the resume.

import { err, ok, type Result } from "../../result.ts"
import type { EventOf, Fact } from "../event.ts"
import type { PauseReason, Refusal } from "../signal.ts"
import type { Run, StepState } from "../state.ts"

type Judged = Result<Fact[], Refusal>

/** Twice is once: the second is refused, and whoever asked sees a run that is paused. */
export const pause = (run: Run, reason: PauseReason): Judged =>
  run.status === "paused" && !(reason === "operator" && run.reason === "parent")
    ? err({ code: "stale" })
    : ok([{ type: "run.paused", reason }])

/** What an operator paused its parent does not resume. */
export const resume = (run: Run, reason: PauseReason): Judged =>
  run.status !== "paused" || (reason === "parent" && run.reason !== "parent")
    ? err({ code: "stale" })
    : ok([{ type: "run.resumed", reason }])

export function paused(run: Run, e: EventOf<"run.paused">): void {
  run.status = "paused"
  run.reason = e.reason
  run.pausedAt ??= e.at
}

/** From a pause, or from waiting. */
export function resumed(run: Run, e: EventOf<"run.resumed">): void {
  run.status = "running"
  delete run.reason
  if (run.pausedAt === undefined) return
  run.pausedFor = (run.pausedFor ?? 0) + Math.max(0, e.at - run.pausedAt)
  delete run.pausedAt
}

export const runDeadline = (run: Run): number | undefined =>
  run.plan.flow.timeout === undefined ? undefined : run.started + run.plan.flow.timeout + (run.pausedFor ?? 0)

export const stepDeadline = (run: Run, s: StepState, opened: number, timeout: number): number =>
  opened + timeout + (run.pausedFor ?? 0) - (s.pausedBefore ?? 0)

/** Children that should be paused, or go on, as this run does: those of the steps that are open. */
export const openChildren = (run: Run): string[] =>
  (run.plan.members[run.segment] ?? []).flatMap((id) => Object.values(run.steps[id]?.children?.open ?? {}))
