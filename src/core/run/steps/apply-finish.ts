// What a step's end means: its result, the route it wants, its retry, or the run's failure [F31], [F35]. Part of `apply`.

import type { Step } from "../../flow/flow.ts"
import { closeHolds } from "../budget/budget-fold.ts"
import type { EventOf } from "../event.ts"
import { targetOf } from "../plan.ts"
import { type PendingRoute, type Run, stepState } from "../state.ts"
import { owe } from "../session/sticky.ts"
import { forget, leaveWork, touch } from "./touch.ts"

export function finished(run: Run, e: EventOf<"step.finished">): void {
  const s = touch(run, e.step)
  const step = run.plan.steps.get(e.step)
  s.status = e.status
  s.ended = e.at
  s.result = {
    status: e.status,
    summary: e.summary,
    files: e.files,
    outputs: e.outputs,
    ...(e.artifacts === undefined ? {} : { artifacts: e.artifacts }),
    ...(e.branch === undefined ? {} : { branch: e.branch }),
    ...(e.source === undefined ? {} : { source: e.source }),
    ...(e.text === undefined ? {} : { text: e.text }),
    ...(s.session?.tainted === true || s.tainted === true ? { tainted: true as const } : {}),
    ...(s.session?.private === true || s.private === true ? { private: true as const } : {}),
  }
  const preamble = s.session?.preamble
  const decider = s.session?.agent
  owe(run, e.step, s)
  leaveWork(run, e.step, s)
  delete s.session
  delete s.decider
  forget(run, e.step)
  closeHolds(run, e.step)
  if (step === undefined) return
  if (e.status === "complete") {
    s.retries = 0
    const route = e.branch === undefined ? undefined : targetOf(step, e.branch)
    if (step.type === "fork" && e.branch !== undefined) {
      const i = s.asked === undefined ? undefined : run.interactions[s.asked]
      const notes = i?.answer?.["notes"]
      const byPerson = i?.status === "answered" && i.answer?.["auto"] === undefined && i.answer?.["custom"] === undefined
      run.forks[e.step] = {
        question: s.question ?? "",
        answer: e.branches?.join(", ") ?? e.branch,
        by: byPerson ? "person" : "agent",
        ...(byPerson || decider === undefined ? {} : { agent: decider }),
        ...(typeof notes === "string" ? { notes } : {}),
      }
    }
    if (route !== undefined && e.branch !== undefined)
      run.routes.push({ step: e.step, target: route, label: e.branch, by: chooser(run, step, e), ...alsoTaken(step, e) })
    else if (step.on_complete !== undefined)
      run.routes.push({ step: e.step, target: step.on_complete, label: "on_complete", by: "complete" })
    return
  }
  const retry = step.retry
  if (!e.hard && e.status === "error" && retry && s.retries < retry.max) {
    s.retry = { notBefore: e.at + retry.backoff * 2 ** s.retries }
    // What a fork told the step is told again: the retry is the same entering [F35].
    if (preamble !== undefined) s.preamble = preamble
    return
  }
  if (!e.hard && step.on_error !== undefined) {
    run.routes.push({ step: e.step, target: step.on_error, label: "on_error", by: "error" })
    return
  }
  run.failure ??= { step: e.step, source: e.source ?? "agent_finish_error", message: e.summary }
}

function chooser(run: Run, step: { type: string }, e: EventOf<"step.finished">): PendingRoute["by"] {
  if (step.type === "conditional" || step.type === "wait") return "check"
  if (step.type === "code-decision") return "code"
  if (step.type === "fork") return run.forks[e.step]?.by === "person" ? "person" : "agent"
  const s = stepState(run, e.step)
  return step.type === "agent-loop-decision" && s.attempts === 0 && s.tools.length === 0 ? "cap" : "agent"
}

/** The further branches of a multi-select [F21]. */
function alsoTaken(step: Step, e: EventOf<"step.finished">): { also?: { label: string; target: string }[] } {
  const also = (e.branches ?? []).flatMap((label) => {
    const target = label === e.branch ? undefined : targetOf(step, label)
    return target === undefined ? [] : [{ label, target }]
  })
  return also.length > 0 ? { also } : {}
}
