// Writes the facts that must be in the journal before an effect leaves the object [J2], and decides whether the run waits or continues
// [J16].

import type { JsonObject } from "../json.ts"
import type { ToolCall } from "./event-parts.ts"
import type { Fact } from "./event.ts"
import { reserve } from "./budget/budget-settle.ts"
import type { Action } from "./action.ts"
import { waitsForBatch } from "./batch/still.ts"
import { hookOf } from "../tool/policy/approval.ts"
import { KINDS } from "../steps/kinds.ts"
import { CHILD_INTERACTION, isUnderway, waitsBelow } from "./steps/child-questions.ts"
import { waitingCall } from "./session/paced.ts"
import { BATCH, CHILD_WORKS, PACE } from "./shown-status.ts"
import { isOver, stepState, type Run } from "./state.ts"
import { calledKey } from "./key.ts"

export type Effect = Extract<
  Action,
  {
    do:
      | "call-model"
      | "run-tool"
      | "run-code"
      | "make-calls"
      | "start-child"
      | "collect"
      | "open-session"
      | "lease"
      | "compact"
      | "read-context"
      | "look-up"
      | "score"
      | "put-back"
      | "carry-out"
  }
>

const EFFECT_KINDS = {
  "call-model": "model",
  "run-tool": "tool",
  "run-code": "code",
  "make-calls": "calls",
  "start-child": "child",
  collect: "collect",
  "open-session": "session",
  lease: "lease",
  compact: "compact",
  "read-context": "context",
  "look-up": "cache",
  score: "score",
  "put-back": "score",
  "carry-out": "effect",
} as const

export const isEffect = (a: Action): a is Effect => a.do !== "record" && a.do !== "wake"

/** The earliest time at which an effect may begin; 0: now. */
export const dueAt = (a: Effect): number => (a.do === "call-model" || a.do === "lease" ? (a.notBefore ?? 0) : 0)

/** `tool.called` once; `action.begun` for every attempt, after the reservation for it [B1]. */
export function begin(run: Run, action: Effect): Fact[] {
  const attempt = (run.begun[action.key] ?? 0) + 1
  const begun: Fact = {
    type: "action.begun",
    key: action.key,
    kind: EFFECT_KINDS[action.do],
    step: action.step,
    attempt,
    ...(action.do === "call-model" && action.maxOutput !== undefined ? { maxOutput: action.maxOutput } : {}),
    ...(action.do === "call-model" && action.batch ? { batch: true as const } : {}),
  }
  if ((action.do === "call-model" || action.do === "start-child" || action.do === "compact") && action.amount)
    return [...reserve(run, action.step, action.key, action.amount), begun]
  if (action.do !== "run-tool") return [begun]
  const open = stepState(run, action.step).session?.open.find((o) => o.call.id === action.call.id)
  if (open?.args !== undefined) return [begun]
  return [
    calledOf(run, action.step, action.call, action.args),
    ...(action.amount ? reserve(run, action.step, calledKey(action.key), action.amount) : []),
    begun,
  ]
}

export function calledOf(run: Run, step: string, call: ToolCall, args: JsonObject): Fact {
  const tool = run.plan.tools.get(call.name)
  const log = tool !== undefined && hookOf(run.rules.policy, tool) === "log" ? ("log" as const) : undefined
  return { type: "tool.called", step, callId: call.id, tool: call.name, args, ...(log ? { hook: log } : {}) }
}

/** [J16] A run is `waiting` when nothing is under way and nothing is due. `due`: an effect is about to begin. */
export function settle(run: Run, due: boolean): Fact[] {
  if (run.seq === 0 || isOver(run) || run.status === "paused") return []
  const busy = due || isUnderway(run)
  if (busy) return run.status === "waiting" ? [{ type: "run.resumed", reason: run.reason ?? "" }] : []
  const reason = whyItWaits(run)
  // [P5] Each time that a person must answer a run below is told, also right after another one.
  const isAnew = run.askedAnew === true && reason === CHILD_INTERACTION
  // [W6] Each question of the run's own is told once it is the one to answer, also right after another one.
  const isNext = reason === "interaction" && run.announced !== undefined && run.announced !== run.pending[0]
  return run.status === "waiting" && run.reason === reason && !isAnew && !isNext ? [] : [{ type: "run.waiting", reason }]
}

/** A wait for a person is named first: a person can end it. */
function whyItWaits(run: Run): string {
  if (run.pending.length > 0) return "interaction"
  const open = (run.plan.graph.segments[run.segment] ?? []).map((i) => run.steps[run.plan.stepIds[i] ?? ""])
  if (
    waitsBelow(
      run,
      open.flatMap((s) => Object.values(s?.children?.open ?? {})),
    )
  )
    return CHILD_INTERACTION
  // [R33] Below a map; the map's own run works through its children.
  if (run.batch && (run.plan.members[run.segment] ?? []).some((id) => waitsForBatch(run, id))) return BATCH
  if (open.some((s) => s && waitingCall(s))) return PACE
  if (open.some((s) => s?.children !== undefined)) return CHILD_WORKS
  for (const i of run.plan.graph.segments[run.segment] ?? []) {
    const step = run.plan.flow.steps[i]
    const why = step && KINDS[step.type].waitsFor?.(step)
    if (why !== undefined && run.steps[step?.id ?? ""]?.status === "running") return why
  }
  return "retry"
}
