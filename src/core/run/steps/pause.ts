// Pauses and resumes a run [H5]: no action begins while it is paused. Effects under way end and are recorded; recovery records lost ones.
//
// Timeouts of steps and of the run do not count the pause, nor the time in which a person is asked: their deadlines move by its length. The expiry of
// an interaction does not move, nor does the time of a `wait` or a retry. Whatever came due during the pause happens at the resume.

import { err, ok, type Result } from "../../result.ts"
import type { EventOf, Fact } from "../event.ts"
import type { PauseReason, Refusal } from "../signal.ts"
import { stepState, type Run } from "../state.ts"
import { isAsking } from "./asked-time.ts"

type Judged = Result<Fact[], Refusal>

/** Pauses the run. A second pause is refused. An operator may take over a pause from the parent. */
export const pause = (run: Run, reason: PauseReason): Judged =>
  run.status === "paused" && !(reason === "operator" && run.reason === "parent")
    ? err({ code: "stale" })
    : ok([{ type: "run.paused", reason }])

/** Resumes the run. A parent does not resume a run that an operator paused. */
export const resume = (run: Run, reason: PauseReason): Judged =>
  run.status !== "paused" || (reason === "parent" && run.reason !== "parent")
    ? err({ code: "stale" })
    : ok([{ type: "run.resumed", reason }])

export function paused(run: Run, e: EventOf<"run.paused">): void {
  run.status = "paused"
  run.reason = e.reason
  run.pausedAt ??= e.at
}

/** Applies a resume from a pause, or from waiting. */
export function resumed(run: Run, e: EventOf<"run.resumed">): void {
  run.status = "running"
  delete run.reason
  if (run.pausedAt === undefined) return
  run.pausedFor = (run.pausedFor ?? 0) + Math.max(0, e.at - run.pausedAt)
  delete run.pausedAt
}

export const runDeadline = (run: Run): number | undefined =>
  // [K32, K35] While a person decides about effects, or they are taken back, no timeout runs.
  run.plan.flow.timeout === undefined || run.outside.question !== undefined || run.outside.undo !== undefined || isAsking(run)
    ? undefined
    : run.started + run.plan.flow.timeout + (run.pausedFor ?? 0) + (run.askedFor ?? 0)

/** The time at which the step times out; undefined while a person is asked on its behalf. The deadline of a fork is the person's own. */
export const stepDeadline = (run: Run, id: string, opened: number, timeout: number): number | undefined => {
  const { timed = opened, pausedBefore = 0, askedFor = 0 } = stepState(run, id)
  if (run.plan.steps.get(id)?.type === "fork") return timed + timeout + (run.pausedFor ?? 0) - pausedBefore
  return isAsking(run, id) ? undefined : timed + timeout + (run.pausedFor ?? 0) - pausedBefore + askedFor
}

/** The child runs of the current segment's steps, which pause and resume with this run. */
export const openChildren = (run: Run): string[] =>
  (run.plan.members[run.segment] ?? []).flatMap((id) => Object.values(run.steps[id]?.children?.open ?? {}))
