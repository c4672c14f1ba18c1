// decide: what next? Returns every action that the run wants and has not started. Pure; reads only the current segment [J8].
//
// [J5] A running run always wants, waits or asks: with nothing under way and nothing pending, this list is not empty.
// The caller records the first `record` before it performs anything else: the record changes what the run wants.

import type { JsonObject } from "../json.ts"
import { lostIn } from "./steps/lost-list.ts"
import { KINDS } from "../steps/kinds.ts"
import { record, type Action } from "./action.ts"
import { batchFactor } from "./batch/factor.ts"
import { openCallOf } from "./batch/open-call.ts"
import { attentionOf, type Attention } from "./attention.ts"
import { afterEnd, closing, failing, undoing } from "./effects/closing.ts"
import { isKept, keep } from "./effects/keep.ts"
import { calledOf } from "./begin.ts"
import type { GivenResult, ToolCall } from "./event-parts.ts"
import type { Fact } from "./event.ts"
import { afford, beforeStep, gate } from "./budget/budget.ts"
import { fail, refused } from "./session/admit-session.ts"
import { returnedOf } from "./session/admit-result.ts"
import { lastFinish } from "./steps/children.ts"
import { valuesOf } from "./steps/scope.ts"
import { beginsAnew } from "./session/ask/elicited.ts"
import { compactWish } from "./session/compaction.ts"
import { lookUp } from "./cached/look-up.ts"
import { contextWish } from "./session/context-files.ts"
import { checkFinish, finishNameOf } from "./session/finish.ts"
import { askUser, MAX_QUESTIONS, tooManyQuestions } from "./session/ask/interaction.ts"
import { enter, fall } from "./steps/enter.ts"
import { idsOf } from "./steps/segment.ts"
import { moveLanes } from "./steps/lanes.ts"
import { STUCK_AFTER } from "./session/repetition.ts"
import { runDeadline, stepDeadline } from "./steps/pause.ts"
import { isWrite } from "../tool/reach.ts"
import type { ToolSpec } from "../tool/tool-spec.ts"
import { judging } from "./rounds/judging.ts"
import { goAgain, takeRoute } from "./steps/route.ts"
import { isOver, stepState, type OpenCall, type Run, type Session, type StepState } from "./state.ts"
import { sessionWish } from "./session/sticky.ts"
import { validateArgs } from "../schema/validate-args.ts"
import { dueIn } from "./tested.ts"
import { expiryKey, modelKey, RUN_TIMEOUT, stepTimeout, toolKey } from "./key.ts"

export function decide(run: Run): Action[] {
  if (run.seq === 0) return []
  if (isOver(run)) return afterEnd(run)
  if (run.status === "paused") return expiries(run)
  if (run.failure) return failing(run) ?? [record({ type: "run.ended", status: "failed", error: run.failure })]
  const known = attentionOf(run)
  const { open } = known
  const actions: Action[] = []
  for (const id of open) {
    const wish = known.wishes.get(id) ?? ofStep(run, id, known)
    if (wish[0]?.do === "record") return [wish[0]]
    for (const action of wish) actions.push(action)
  }
  const retry = known.retrying.size === 0 ? undefined : idsOf(run, run.segment).find((id) => run.steps[id]?.retry !== undefined)
  if (retry !== undefined) return [record(reopenForRetry(run, retry, stepState(run, retry)))]
  // [V23] A step that goes back waits until the others of its segment are done.
  const resting = run.plan.judged.length === 0 ? [] : open.filter((id) => run.steps[id]?.rounds?.goesBack)
  const working = open.length - resting.length
  const entry = enter(run, run.segment, working)
  const entering = entry?.facts ? gate(run, entry.facts) : entry?.wake && beforeStep(run, entry.wake.step)
  if (entering?.[0]?.do === "record") return entering
  actions.push(...(entering ?? []))
  if (entry?.wake && !entering) actions.push({ do: "wake", key: entry.wake.key, at: entry.wake.at })
  if (working === 0 && actions.length === 0 && !entry) {
    if (resting[0] !== undefined) return gate(run, goAgain(run, resting[0]))
    const next = run.routes.length > 0 ? takeRoute(run) : run.lanes ? moveLanes(run, []) : fall(run)
    if (next) return gate(run, next)
    const last = closing(run)
    return last ? [...last, ...expiries(run)] : [record(...ending(run))]
  }
  const timed = known.isTimed ? open.filter((id) => !resting.includes(id)) : []
  return afford(run, [...actions, ...timers(run, timed)])
}

function ofStep(run: Run, id: string, known: Attention): readonly Action[] {
  const step = run.plan.steps.get(id)
  const kind = step && KINDS[step.type]
  const s = stepState(run, id)
  // [F26] The calls that a step has made itself are carried out like those of an agent.
  if (s.session?.own && s.session.open.length > 0) return ofCalls(run, id, s, s.session)
  const verdict = s.rounds && judging(run, id, s, s.rounds)
  if (verdict) return verdict
  if (step && kind?.wishes) return kind.wishes(run, step)
  const wish = ofSession(run, id)
  // A session that waits for what it has under way, or for its turn to ask a model, wants the same until an event of its own. Tool calls are
  // judged again: what they want goes by the run's rules and questions too.
  if (wish.every((action) => action.do === "call-model")) known.wishes.set(id, wish)
  return wish
}

/** What one session wants: its finish, its next tool calls, its next model call, or nothing while a model call is under way. */
function ofSession(run: Run, id: string): Action[] {
  const s = stepState(run, id)
  const { session } = s
  if (!session) return []
  const wish = sessionWish(run, id, s, session) ?? contextWish(run, id, s, session)
  if (wish) return wish
  const step = run.plan.steps.get(id)
  const look = step && lookUp(run, step, s)
  if (look) return look
  if (session.open.length > 0) return ofCalls(run, id, s, session)
  if (session.stuck !== undefined) return [record(stuck(id, s, session.stuck))]
  const key = modelKey(id, s.pass, session.turn)
  if (openCallOf(run, key)) return []
  if (session.steers.length > 0)
    return [record(...session.steers.map((x): Fact => ({ type: "steer.delivered", step: id, id: x.id, turn: session.turn })))]
  const shorter = compactWish(run, id)
  if (shorter) return Object.hasOwn(run.underway, shorter.key) ? [] : [shorter]
  return [
    {
      do: "call-model",
      key,
      step: id,
      ...(session.retryAt === undefined ? {} : { notBefore: session.retryAt }),
      ...(batchFactor(run, session.model) === undefined ? {} : { batch: true }),
    },
  ]
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

/** [J22] Read-only calls run in parallel, other calls one at a time; questions are asked at once; the finish waits for all answers. */
function ofCalls(run: Run, id: string, s: StepState, session: Session): Action[] {
  const [first] = session.open
  const ending = finishNameOf(run.plan.agents[session.agent])
  if (session.open.length === 1 && first?.call.name === ending) return [record(...latchedFinish(run, id, s, session, first))]
  const wishes: Action[] = []
  const keyOf = (o: OpenCall): string => toolKey(id, s.pass, session.turn - 1, o.call.id)
  const [begun, writing] = workOf(
    run,
    session.open.filter((o) => o.asked === undefined && !beginsAnew(run, o, keyOf(o))),
  )
  let blocked = false
  for (const [i, open] of session.open.entries()) {
    if (open.call.name === ending || open.asked !== undefined) continue
    const tool = run.plan.tools.get(open.call.name)
    const args = open.args ?? open.approved ?? argsOf(run, open.call)
    if (open.call.name === "ask_user")
      return run.pending.length < MAX_QUESTIONS
        ? [record(askUser(`i${run.asked + 1}`, id, session.agent, open.call, args))]
        : [record(refused(id, open.call, "too_many", tooManyQuestions(open.call.name)))]
    if (open.call.result !== undefined) {
      // [M3] In the model's order: after what is under way, and before what follows.
      if (begun === 0 && !blocked && wishes.length === 0) return [record(...answeredCall(run, id, s, open.call, args, open.call.result))]
      blocked = true
      continue
    }
    const isHeld = open.args === undefined && isKept(run, open.call.name, tool, args)
    const alone = tool !== undefined && isWrite(tool, args)
    const key = keyOf(open)
    // When a call is approved late, a later call may be under way: a write still runs alone.
    const meets = alone ? begun > 0 : writing
    const mayBegin = !blocked && !meets && (!alone || session.open.slice(0, i).every((o) => o.asked !== undefined))
    // A call that began and was lost comes first, whatever was approved meanwhile: other calls may wait for it.
    if (isHeld && mayBegin) return [record(...keep(run, id, open.call, args))]
    if (beginsAnew(run, open, key) ? mayBegin : !Object.hasOwn(run.underway, key))
      wishes.push({ do: "run-tool", key, step: id, call: open.call, args })
    if (alone) blocked = true
  }
  return wishes
}

/** [M3] A call that its reply answers: nothing begins. */
const answeredCall = (run: Run, step: string, s: StepState, call: ToolCall, args: JsonObject, result: GivenResult): Fact[] => [
  calledOf(run, step, call, args),
  returnedOf(run, step, s, call, result),
]

/** How many calls of this turn began and have no answer yet, under way or lost, and whether a write is among them. */
function workOf(run: Run, busy: readonly OpenCall[]): [begun: number, writing: boolean] {
  const writing = busy.some((o) => {
    const tool = run.plan.tools.get(o.call.name)
    return tool === undefined || isWrite(tool, o.args ?? o.call.args)
  })
  return [busy.length, writing]
}

/** The arguments that the guard admitted, after coercion and defaults [G6]. */
function argsOf(run: Run, call: ToolCall): JsonObject {
  const tool = run.plan.tools.get(call.name)
  if (!tool) return call.args
  const before = admitted.get(call)
  if (before?.tool === tool) return before.args
  const checked = validateArgs(tool.parameters, call.args)
  const args = checked.ok ? checked.value : call.args
  admitted.set(call, { tool, args })
  return args
}

/** A call waits through many decisions: each of 128 waiting calls would be checked anew after each of their 128 results [J8]. */
const admitted = new WeakMap<ToolCall, { readonly tool: ToolSpec; readonly args: JsonObject }>()

function latchedFinish(run: Run, id: string, s: StepState, session: Session, open: OpenCall): readonly Fact[] {
  const step = run.plan.steps.get(id)
  const agent = run.plan.agents[session.agent]
  const checked = step && agent ? checkFinish({ plan: run.plan, agent, step, s }, open.call, session.text) : undefined
  if (checked?.ok) return checked.value
  const errors = checked && !checked.ok ? checked.error : [{ path: "", message: "its agent no longer exists" }]
  return [{ type: "finish.rejected", step: id, callId: open.call.id, errors }]
}

/** [F35] */
function reopenForRetry(run: Run, id: string, s: StepState): Fact {
  return { type: "step.reopened", step: id, pass: s.pass + 1, ...(s.retry ? { notBefore: dueIn(run, s.retry.notBefore, run.at) } : {}) }
}

/** Everything is at rest. */
function ending(run: Run): readonly Fact[] {
  const why = lostIn(run, () => Object.values(run.plan.flow.outputs ?? {}))
  if (why !== undefined) {
    const error = { source: "config", message: `the outputs of the flow: ${why}` } as const
    return [undoing(run, error) ?? { type: "run.ended", status: "failed", error }]
  }
  const warnings: Fact[] = []
  const output = outputOf(run, warnings)
  return [...warnings, { type: "run.ended", status: "succeeded", ...(output === undefined ? {} : { output }) }]
}

/** The declared outputs of the flow; without them, the finish of the last step, in file order, that ended in the last segment that ran. */
function outputOf(run: Run, warnings: Fact[]): JsonObject | undefined {
  const { outputs } = run.plan.flow
  if (outputs) return valuesOf(run, "(outputs)", outputs, warnings)
  const last = lastFinish(run)
  if (!last) return undefined
  const { step, status, summary, files, outputs: given, artifacts, branch } = last
  return {
    step,
    status,
    summary,
    files: files.map((f) => ({ ...f })),
    outputs: given,
    ...(artifacts === undefined ? {} : { artifacts }),
    ...(branch === undefined ? {} : { branch }),
  }
}

function timers(run: Run, open: readonly string[]): Action[] {
  const { steps } = run.plan
  const deadline = runDeadline(run)
  const wakes: Action[] = []
  if (deadline !== undefined) wakes.push({ do: "wake", key: RUN_TIMEOUT, at: deadline })
  for (const wake of expiries(run)) wakes.push(wake)
  for (const id of open) {
    const s = stepState(run, id)
    const step = steps.get(id)
    const timeout = step?.timeout === undefined ? undefined : step.timeout + (KINDS[step.type].grace ?? 0)
    const at = timeout === undefined || s.opened === undefined ? undefined : stepDeadline(run, id, s.opened, timeout)
    if (at !== undefined) wakes.push({ do: "wake", key: stepTimeout(id, s.pass), at })
  }
  return wakes
}

function expiries(run: Run): Action[] {
  return run.pending.flatMap((id): Action[] => {
    const at = run.interactions[id]?.expires
    return at === undefined ? [] : [{ do: "wake", key: expiryKey(id), at }]
  })
}
