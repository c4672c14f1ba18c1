// Applies the end of a step [F31], [F35]: its result, and its route, its retry or the run's failure. Part of `apply`.

import { isOfFork } from "../session/apart.ts"
import { withDuration } from "../usage/histogram.ts"
import { callsLost } from "../usage/lost.ts"
import { targetOf, type Step } from "../../flow/flow.ts"
import { KINDS } from "../../steps/kinds.ts"
import { closeHolds } from "../budget/budget-fold.ts"
import type { EventOf } from "../event.ts"
import { originsOf, type Origin } from "../../flow/origin.ts"
import type { Run, StepState } from "../state.ts"
import { owe } from "../session/sticky.ts"
import { unpaused } from "./asked-time.ts"
import { isLastRound, roundsOver } from "../rounds/rounds.ts"
import { forget, leaveWork, touch } from "./touch.ts"
import { backoff } from "../../backoff.ts"
import { defined } from "../../defined.ts"

const marksOf = ({ session, origins }: StepState): { origins?: readonly Origin[] } => {
  const all = originsOf([...(session?.origins ?? []), ...(origins ?? [])])
  return all.length === 0 ? {} : { origins: all }
}

export function finished(run: Run, e: EventOf<"step.finished">): void {
  callsLost(run, e.step)
  const s = touch(run, e.step)
  const step = run.plan.steps.get(e.step)
  s.status = e.status
  s.ended = e.at
  const { timed = s.opened, pausedBefore = 0 } = s
  if (timed !== undefined) s.took = withDuration(s.took, unpaused(run, e.at) - (timed - pausedBefore))
  s.result = {
    status: e.status,
    summary: e.summary,
    files: e.files,
    outputs: e.outputs,
    ...defined({ artifacts: e.artifacts, branch: e.branch, source: e.source, text: e.text }),
    ...(s.session?.tainted === true || s.tainted === true ? { tainted: true as const } : {}),
    ...marksOf(s),
    ...(s.session?.private === true || s.private === true ? { private: true as const } : {}),
  }
  if (s.rounds) roundsOver(s, s.rounds)
  const { preamble, told } = s.session ?? {}
  const decider = s.session?.agent
  if (run.fork !== undefined) run.moved ??= e.seq
  owe(run, e.step, s)
  leaveWork(run, e.step, s)
  forget(run, e.step)
  closeHolds(run, e.step)
  if (step === undefined) return
  const kind = KINDS[step.type]
  if (e.status === "complete") {
    s.retries = 0
    const route = e.branch === undefined ? undefined : targetOf(step, e.branch)
    kind.completed?.(run, s, e, decider)
    if (route !== undefined && e.branch !== undefined)
      run.routes.push({
        step: e.step,
        target: route,
        label: e.branch,
        by: kind.chooser?.(run, s, e.step) ?? "agent",
        ...alsoTaken(run, step, e),
      })
    else if (step.on_complete !== undefined)
      run.routes.push({ step: e.step, target: step.on_complete, label: "on_complete", by: "complete" })
    return
  }
  const retry = e.source === "score" || isLastRound(step, s) ? undefined : step.retry
  if (!e.hard && e.status === "error" && retry && s.retries < retry.max) {
    s.retry = { notBefore: e.at + backoff(retry.backoff, s.retries) }
    // The retry belongs to the same entry: it gets the fork's preamble again [F35].
    if (preamble !== undefined) s.preamble = preamble
    const apart = told?.apart?.filter(({ name }) => isOfFork(name)) ?? []
    if (preamble !== undefined && apart.length > 0) s.apart = apart
    return
  }
  if (!e.hard && step.on_error !== undefined) {
    run.routes.push({ step: e.step, target: step.on_error, label: "on_error", by: "error" })
    return
  }
  run.failure ??= { step: e.step, source: e.source ?? "agent_finish_error", message: e.message ?? e.summary }
}

/** [F21] The further branches of a multi-select. */
function alsoTaken(run: Run, step: Step, e: EventOf<"step.finished">): { also?: { label: string; target: string }[] } {
  const also = (e.branches ?? []).flatMap((label) => {
    const target = label === e.branch ? undefined : targetOf(step, label)
    return target === undefined || !run.plan.steps.has(target) ? [] : [{ label, target }]
  })
  return also.length > 0 ? { also } : {}
}
