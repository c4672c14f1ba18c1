// decide: what next? Everything that the run wants and that is not under way. Pure; reads the present segment only [J8].
//
// J5 a running run always wants, waits or asks: with nothing under way and nothing pending this list is not empty.
// The first `record` is to be written down before anything else is asked: it changes the answer.

import type { JsonObject } from "../json.ts"
import type { Fact, ToolCall } from "./event.ts"
import { fail, openIds, RUN_TIMEOUT, stepTimeout } from "./admit.ts"
import { checkFinish, FINISH } from "./finish.ts"
import { askUser } from "./interaction.ts"
import { enter, fall } from "./enter.ts"
import { STUCK_AFTER } from "./repetition.ts"
import { takeRoute } from "./route.ts"
import { valueOf } from "./scope.ts"
import { isOver, modelKey, stepState, toolKey, type OpenCall, type Run, type Session, type StepState } from "./state.ts"
import { validateArgs } from "../validate-args.ts"

export type Action =
  | { readonly do: "record"; readonly facts: readonly Fact[] }
  | {
      readonly do: "call-model"
      readonly key: string
      readonly step: string
      /** ms; a retry is not due before it. */ readonly notBefore?: number
    }
  | { readonly do: "run-tool"; readonly key: string; readonly step: string; readonly call: ToolCall; readonly args: JsonObject }
  /** Tell me (signal `timer`) when this time has come. */
  | { readonly do: "wake"; readonly key: string; readonly at: number }

export function decide(run: Run): Action[] {
  if (run.seq === 0 || isOver(run) || run.status === "paused") return []
  if (run.failure) return [record({ type: "run.ended", status: "failed", error: run.failure })]
  const open = openIds(run)
  const actions: Action[] = []
  for (const id of open) {
    const wish = ofSession(run, id)
    if (wish[0]?.do === "record") return [wish[0]]
    actions.push(...wish)
  }
  const members = (run.plan.graph.segments[run.segment] ?? []).map((i) => run.plan.stepIds[i] ?? "")
  const retry = members.find((id) => run.steps[id]?.retry !== undefined)
  if (retry !== undefined) return [record(reopenForRetry(retry, stepState(run, retry)))]
  const entry = enter(run, run.segment, open.length)
  if (entry?.facts) return [record(...entry.facts)]
  if (entry?.wake) actions.push({ do: "wake", ...entry.wake })
  if (open.length === 0 && actions.length === 0) return [moveOn(run)]
  return [...actions, ...timers(run, open)]
}

const record = (...facts: Fact[]): Action => ({ do: "record", facts })

/** One session's wishes: its finish, its next tool calls, its next model call, or nothing while it is answered. */
function ofSession(run: Run, id: string): Action[] {
  const s = stepState(run, id)
  const { session } = s
  if (!session) return []
  if (session.open.length > 0) return ofCalls(run, id, s, session)
  if (session.stuck !== undefined) return [record(stuck(id, s, session.stuck))]
  const key = modelKey(id, s.pass, session.turn)
  if (Object.hasOwn(run.underway, key)) return []
  if (session.steers.length > 0)
    return [record(...session.steers.map((x): Fact => ({ type: "steer.delivered", step: id, id: x.id, turn: session.turn })))]
  return [{ do: "call-model", key, step: id, ...(session.retryAt === undefined ? {} : { notBefore: session.retryAt }) }]
}

/** [G9] */
const stuck = (id: string, s: StepState, tool: string): Fact =>
  fail(
    id,
    s,
    "agent_stuck",
    `the agent called ${tool} ${STUCK_AFTER} times in a row with the same arguments and got the same result`,
    false,
  )

/** [J22] Read-only calls side by side, the others one after the other, questions at once; the finish when all are answered. */
function ofCalls(run: Run, id: string, s: StepState, session: Session): Action[] {
  const [first] = session.open
  if (session.open.length === 1 && first?.call.name === FINISH) return [record(latchedFinish(run, id, s, session, first))]
  const wishes: Action[] = []
  let blocked = false
  for (const [i, open] of session.open.entries()) {
    if (open.call.name === FINISH || open.asked !== undefined) continue
    const tool = run.plan.tools.get(open.call.name)
    const args = open.args ?? argsOf(run, open.call)
    if (open.call.name === "ask_user") return [record(askUser(`i${run.asked + 1}`, id, session.agent, open.call, args))]
    const alone = tool?.effect === "write"
    if (!blocked && (!alone || session.open.slice(0, i).every((o) => o.asked !== undefined))) {
      const key = toolKey(id, s.pass, session.turn - 1, open.call.id)
      if (!Object.hasOwn(run.underway, key)) wishes.push({ do: "run-tool", key, step: id, call: open.call, args })
    }
    if (alone) blocked = true
  }
  return wishes
}

/** What the guard admitted: the arguments after coercion and defaults [G6]. */
function argsOf(run: Run, call: ToolCall): JsonObject {
  const tool = run.plan.tools.get(call.name)
  const checked = tool ? validateArgs(tool.parameters, call.args) : undefined
  return checked?.ok ? checked.value : call.args
}

function latchedFinish(run: Run, id: string, s: StepState, session: Session, open: OpenCall): Fact {
  const step = run.plan.steps.get(id)
  const agent = run.plan.agents[session.agent]
  const checked = step && agent ? checkFinish(agent, step, s.pass, open.call, session.text) : undefined
  if (checked?.ok) return checked.value
  return {
    type: "finish.rejected",
    step: id,
    callId: open.call.id,
    errors: checked && !checked.ok ? checked.error : [{ path: "", message: "its agent is gone" }],
  }
}

/** [F35] */
function reopenForRetry(id: string, s: StepState): Fact {
  return { type: "step.reopened", step: id, pass: s.pass + 1, ...(s.retry ? { notBefore: s.retry.notBefore } : {}) }
}

/** The segment is at rest: a route is taken, or the run falls into the next segment, or it is over. */
function moveOn(run: Run): Action {
  const facts = run.routes.length > 0 ? takeRoute(run) : fall(run)
  if (facts) return record(...facts)
  const warnings: Fact[] = []
  const output = outputOf(run, warnings)
  return record(...warnings, { type: "run.ended", status: "succeeded", ...(output === undefined ? {} : { output }) })
}

/** The flow's declared outputs, else the finish of the last step in file order that ended in the last segment that ran. */
function outputOf(run: Run, warnings: Fact[]): JsonObject | undefined {
  const { outputs } = run.plan.flow
  if (outputs) return Object.fromEntries(Object.entries(outputs).map(([name, t]) => [name, valueOf(run, t, warnings)]))
  const members = run.plan.graph.segments[run.segment] ?? []
  for (const i of [...members].reverse()) {
    const id = run.plan.stepIds[i] ?? ""
    const r = run.steps[id]?.result
    if (!r || r.status === "skipped") continue
    return {
      step: id,
      status: r.status,
      summary: r.summary,
      files: r.files.map((f) => ({ ...f })),
      outputs: r.outputs,
      ...(r.artifacts === undefined ? {} : { artifacts: r.artifacts }),
      ...(r.branch === undefined ? {} : { branch: r.branch }),
    }
  }
  return undefined
}

function timers(run: Run, open: readonly string[]): Action[] {
  const { flow, steps } = run.plan
  const wakes: Action[] = []
  if (flow.timeout !== undefined) wakes.push({ do: "wake", key: RUN_TIMEOUT, at: run.started + flow.timeout })
  for (const id of open) {
    const s = stepState(run, id)
    const timeout = steps.get(id)?.timeout
    if (timeout !== undefined && s.opened !== undefined) wakes.push({ do: "wake", key: stepTimeout(id, s.pass), at: s.opened + timeout })
  }
  return wakes
}
