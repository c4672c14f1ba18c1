// admit: may this happen? The only way into the journal, and the only caller of the guard [G1–G10].
//
// A signal becomes facts, or is refused with a reason. Nothing changes here: `apply` changes the run with the admitted facts.
// [J3] A signal is accepted once: its key must be under way, or the signal is stale. [J4] After step.finished, nothing of that step and
// pass is admitted: its keys are no longer under way, so its signals are stale too.

import { defined } from "../defined.ts"
import { runsCode } from "../flow/flow.ts"
import { err, ok } from "../result.ts"
import { forkAnswered } from "../steps/fork.ts"
import { handlerFinished } from "../steps/handler.ts"
import { KINDS } from "../steps/kinds.ts"
import { signaled, waited } from "../steps/wait.ts"
import { approval, expired } from "./session/ask/admit-approval.ts"
import { elicitationAnswered, toolAsks } from "./session/ask/admit-elicitation.ts"
import { type Admitted, newest, newRules, fail, refuse, reply, steer } from "./session/admit-session.ts"
import { forbidden } from "./session/withdraw.ts"
import { paced } from "./session/paced.ts"
import { failure } from "./session/admit-failure.ts"
import { personIn, toolResult } from "./session/admit-result.ts"
import { sessionOpened } from "./session/admit-sticky.ts"
import { batchAdmitted, handed } from "./batch/admit-batch.ts"
import { beforeStep } from "./budget/budget.ts"
import { budgetAnswer } from "./budget/budget-question.ts"
import { settlement } from "./budget/budget-settle.ts"
import { compacted } from "./session/compaction.ts"
import { foundOrMissed } from "./cached/look-up.ts"
import { contextRead } from "./session/context-files.ts"
import { ownCalls } from "./own/admit-calls.ts"
import { confided, strange } from "./session/taint.ts"
import { changedFiles } from "./steps/changed-files.ts"
import { childAsked } from "./steps/child-questions.ts"
import { childEnd } from "./steps/children.ts"
import { enter, opening, openIds } from "./steps/enter.ts"
import type { Fact, FactOf } from "./event.ts"
import { undoing } from "./effects/closing.ts"
import { commit, discard, effectLost, effectResult, resolve, undo } from "./effects/admit-effects.ts"
import { forkAdmitted } from "./fork/admit-fork.ts"
import { answerContent, checkAnswer } from "./session/ask/interaction.ts"
import { filePut } from "./steps/put-file.ts"
import { putBack, scored } from "./rounds/judging.ts"
import { feedbackGiven, scored as runScored } from "./said/said.ts"
import { pause, resume, runDeadline, stepDeadline } from "./steps/pause.ts"
import { isWrite } from "../tool/reach.ts"
import { noValueIn } from "./missing.ts"
import type { Answer, Lease, Signal } from "./signal.ts"
import { type Interaction, type Run, type Underway, isOver, stepState } from "./state.ts"
import { RUN_TIMEOUT, stepTimeout, waitKey, expiryKey, isCallKey } from "./key.ts"

/** A key lost this often points to more than crashes: its step fails with source `engine` [J12]. */
export const LOST_LIMIT = 25 // limit: times that one action is lost → its step fails with source `engine`
/** [J11] A tool call lost this often may be what stops the server: it is not begun again. */
const LOST_CALLS = 2 // limit: times that one tool call is begun → it has failed, or its outcome is unknown

export function admit(run: Run, signal: Signal): Admitted {
  if (signal.type === "start") return run.seq === 0 ? ok(started(signal)) : refuse("already_started")
  if (run.seq === 0) return refuse("not_found")
  if (signal.type === "fork") return forkAdmitted(run, signal, admit)
  // [H4] A repeat: the sender does not know whether the first one arrived.
  if ((signal.type === "steer" || signal.type === "signal") && signal.id !== undefined && run.heard.includes(signal.id)) return ok([])
  const said = ofEffects(run, signal)
  if (said) return said
  if (isOver(run))
    return signal.type === "answer" && !Object.hasOwn(run.interactions, signal.id)
      ? refuse("not_found")
      : refuse(signal.type === "answer" ? "already_answered" : "run_over")
  switch (signal.type) {
    case "model.reply":
      return reply(run, signal)
    case "model.failure":
      return failure(run, signal)
    case "model.paced":
      return paced(run, signal)
    case "model.batched":
      return handed(run, signal.key)
    case "batch.begin":
    case "batch.sent":
    case "batch.ended":
    case "child.batched":
      return batchAdmitted(run, signal)
    case "tool.result":
      return toolResult(run, signal)
    case "tool.asks":
      return toolAsks(run, signal)
    case "step.calls":
      return ownCalls(run, signal)
    case "code.result":
      return codeResult(run, signal)
    case "child.start":
      return childStart(run, signal)
    case "child.end": {
      const facts = childEnd(run, signal.step, signal.pass, signal.index, signal.run, signal.report)
      return facts ? ok(facts) : refuse("stale")
    }
    case "child.ask": {
      const { type: _type, ...asks } = signal
      const facts = childAsked(run, asks)
      return facts ? ok(facts) : refuse("stale")
    }
    case "leased": {
      const u = under(run, signal.key, "lease")
      return u ? ok(leasedBy(signal.lease, u.step)) : refuse("stale")
    }
    case "compacted":
      return under(run, signal.key, "compact") ? ok(shortening(run, signal)) : refuse("stale")
    case "collected":
      return collected(run, signal)
    case "session.open": {
      const u = under(run, signal.key, "session")
      return u ? ok(sessionOpened(run, u.step, signal.grant)) : refuse("stale")
    }
    case "context":
      return under(run, signal.key, "context") ? ok(contextRead(signal)) : refuse("stale")
    case "looked-up": {
      const u = under(run, signal.key, "cache")
      return u ? ok(foundOrMissed(run, u.step, signal)) : refuse("stale")
    }
    case "judged": {
      const u = under(run, signal.key, "score")
      return u ? ok(scored(run, u.step, signal.verdict)) : refuse("stale")
    }
    case "put-back": {
      const u = under(run, signal.key, "score")
      return u ? ok(putBack(run, u.step, signal.changed)) : refuse("stale")
    }
    case "signal": {
      const facts = signaled(run, signal, openIds(run))
      return facts ? ok(facts) : refuse("too_many")
    }
    case "lost":
      return lost(run, signal.key)
    case "answer":
      return answer(run, signal)
    case "file":
      return filePut(run, signal)
    case "steer":
      return steer(run, signal)
    case "pause":
      return pause(run, signal.reason)
    case "resume":
      return goOn(run, signal)
    case "cancel":
      return ok([{ type: "run.ended", status: "canceled" }])
    case "supersede":
      return ok(superseded(signal.by))
    case "timer":
      return timer(run, signal)
    case "broken":
      return ok([{ type: "run.ended", status: "failed", error: { source: "engine", message: signal.message } }])
    case "effect.result":
    case "commit":
    case "discard":
    case "resolve":
    case "undo":
    case "score":
    case "feedback":
      return refuse("stale")
  }
}

/** [K34, V11] Effects go on after the end: what is said of them, and of the run, is its postscript. undefined: the signal is about something else. */
function ofEffects(run: Run, signal: Signal): Admitted | undefined {
  switch (signal.type) {
    case "effect.result":
      return effectResult(run, signal)
    case "commit":
      return commit(run, signal)
    case "discard":
      return discard(run, signal)
    case "resolve":
      return resolve(run, signal)
    case "undo":
      return undo(run, signal)
    case "score":
      return runScored(run, signal)
    case "feedback":
      return feedbackGiven(run, signal.given)
    case "lost": {
      const u = under(run, signal.key, "effect")
      return u && ok(effectLost(run, signal.key, u, LOST_LIMIT))
    }
    default:
      return undefined
  }
}

/** [R8] */
const superseded = (by: string): Fact[] => [
  { type: "run.superseded", by },
  { type: "run.ended", status: "canceled" },
]

const started = ({ started: first, lease, paused, cannot, canceled, superseded: by }: Extract<Signal, { type: "start" }>): Fact[] => [
  first,
  ...leasedBy(lease),
  ...(paused ? [{ type: "run.paused", reason: "operator" } as const] : []),
  ...(cannot ? [{ type: "run.ended", status: "failed", error: cannot } as const] : []),
  ...(canceled ? [{ type: "run.ended", status: "canceled" } as const] : []),
  ...(by === undefined ? [] : superseded(by)),
  ...(cannot || canceled || by !== undefined ? [] : [...emptyIn(first), ...overruledIn(first)]),
]

/** [F40] The hook's mapping stands outside the run, and what it lacked is told in the run. */
const emptyIn = ({ trigger: { missing = [] } }: FactOf<"run.started">): Fact[] =>
  missing.length === 0 ? [] : [{ type: "warning", code: "template_empty", message: noValueIn(missing) }]

/** [R3] The flow has gained what its hook or schedule said before. */
const overruledIn = ({ trigger: { kind, overruled = [] } }: FactOf<"run.started">): Fact[] =>
  overruled.map((member) => ({
    type: "warning",
    code: "start_rule",
    message: `the flow sets start.${member}, so that of the ${kind === "schedule" ? "schedule" : "hook"} does not count: remove it there`,
  }))

/** [G1] A pause may last for days: calls that were admitted before it and have not begun are judged again by the current rules. */
function goOn(run: Run, { reason, rules }: Extract<Signal, { type: "resume" }>): Admitted {
  const resumed = resume(run, reason)
  return resumed.ok ? ok([...newRules(run, rules), ...resumed.value, ...forbidden(run, newest(run, rules))]) : resumed
}

const under = (run: Run, key: string, kind: Underway["kind"]): Underway | undefined => {
  const u = Object.hasOwn(run.underway, key) ? run.underway[key] : undefined
  return u?.kind === kind ? u : undefined
}

const leasedBy = (lease: Lease | undefined, step?: string): Fact[] =>
  lease ? [{ type: "budget.leased", ...defined({ step }), ...lease }] : []

function codeResult(run: Run, { key, result }: Extract<Signal, { type: "code.result" }>): Admitted {
  const u = under(run, key, "code")
  const step = u && run.plan.steps.get(u.step)
  if (!u || !step || !runsCode(step)) return refuse("stale")
  const logged: Fact[] = result.logs.length > 0 ? [{ type: "code.logged", step: u.step, messages: [...result.logs] }] : []
  return ok([...logged, handlerFinished(run, step, result)])
}

/** A child that cannot start counts as a failed child. */
function childStart(run: Run, { key, index, run: child, fault }: Extract<Signal, { type: "child.start" }>): Admitted {
  const u = under(run, key, "child")
  if (!u) return refuse("stale")
  const { pass } = stepState(run, u.step)
  const begun: Fact = { type: "child.started", step: u.step, run: child, index, pass }
  if (fault === undefined) return ok([begun])
  return ok([
    { type: "child.ended", step: u.step, run: child, index, pass, status: "failed", summary: fault, outputs: {}, files: [] },
    ...settlement(run, key, {}),
  ])
}

function collected(run: Run, { key, outputs, files, changed }: Extract<Signal, { type: "collected" }>): Admitted {
  const u = under(run, key, "collect")
  if (!u) return refuse("stale")
  const { pass, children } = stepState(run, u.step)
  const total = children?.total ?? 0
  const summary = total === 0 ? "No items: nothing to do." : `${total - (children?.failed ?? 0)} of ${total} succeeded.`
  const finished: Fact = { type: "step.finished", step: u.step, pass, status: "complete", summary, files: [...files], outputs }
  return ok([...changedFiles(changed, { step: u.step }), finished])
}

/** [J11] A lost effect is wanted again, unless repeating it could be noticed outside. */
function lost(run: Run, key: string): Admitted {
  const u = Object.hasOwn(run.underway, key) ? run.underway[key] : undefined
  if (!u) return refuse("stale")
  const facts: Fact[] = [
    { type: "action.lost", key, kind: u.kind, step: u.step, attempt: u.attempt },
    // It may have been billed. A child keeps its reservation: it may be running.
    // A call that was on its way to the run above has reached no provider.
    ...(u.kind === "child" ? [] : settlement(run, key, u.batch ? {} : undefined)),
  ]
  const s = stepState(run, u.step)
  if (u.attempt >= LOST_LIMIT)
    return ok([...facts, fail(u.step, s, "engine", `${key} was begun ${u.attempt} times and never came back`, true)])
  const open = u.kind === "tool" ? s.session?.open.find((o) => isCallKey(key, o.call.id)) : undefined
  const tool = open ? run.plan.tools.get(open.call.name) : undefined
  if (!open) return ok(facts)
  const { id: callId, name } = open.call
  const write = tool === undefined || isWrite(tool, open.args ?? open.call.args)
  const again = tool !== undefined && (!write || tool.idempotent === true)
  if (again && (tool.resumes === true || u.attempt < LOST_CALLS)) return ok(facts)
  // What changes something outside may have done so.
  if (!again || (write && tool.reach !== undefined))
    return ok([...facts, { type: "tool.uncertain", step: u.step, callId, tool: name, key, ...personIn(open) }])
  const text = `This ${name} call failed: it was begun ${u.attempt} times, and each time the server stopped before it answered. It is not begun again. If it does a lot, ask for less at a time.`
  return ok([
    ...facts,
    { type: "tool.returned", step: u.step, callId, tool: name, isError: true, content: [{ type: "text", text }], ...personIn(open) },
  ])
}

function answer(run: Run, { id, body, by, outside, rules }: Extract<Signal, { type: "answer" }>): Admitted {
  const i = Object.hasOwn(run.interactions, id) ? run.interactions[id] : undefined
  if (!i) return refuse("not_found")
  if (i.status !== "pending") return refuse("already_answered")
  const fits = checkAnswer(i, body)
  if (!fits.ok) return err({ code: "invalid", errors: fits.error })
  if (i.kind === "approval.tool" || i.kind === "approval.plan") {
    const news = newRules(run, rules)
    const done = approval(run, i, { body, by, outside }, newest(run, rules))
    return done.ok ? ok([...news, ...done.value]) : done
  }
  if (i.kind === "elicitation") {
    const news = newRules(run, rules)
    const done = elicitationAnswered(run, i, { body, by, outside }, newest(run, rules))
    return done.ok ? ok([...news, ...done.value]) : done
  }
  const { answer: value, notes, custom, auto, cancelled } = body
  const answered: Fact = {
    type: "interaction.answered",
    id,
    by,
    ...defined({ answer: value, notes, custom, auto, cancelled }),
    ...(i.kind === "budget" || i.kind === "effects" ? {} : { ...strange(run, outside, body), ...confided(stepState(run, i.step), body) }),
  }
  return ok([...(i.kind === "effects" ? newRules(run, rules) : []), answered, ...consequence(run, i, body)])
}

function consequence(run: Run, i: Interaction, body: Answer): Fact[] {
  if (i.kind === "budget") return budgetAnswer(i, body.answer)
  if (i.kind === "fork") return forkAnswered(run, i, body)
  if (i.callId === undefined) return []
  return [{ type: "tool.returned", step: i.step, callId: i.callId, tool: "ask_user", isError: false, content: answerContent(body) }]
}

function timer(run: Run, { key, at }: Extract<Signal, { type: "timer" }>): Admitted {
  const { flow, steps } = run.plan
  if (key === RUN_TIMEOUT && run.status !== "paused") {
    const deadline = runDeadline(run)
    if (deadline === undefined || at < deadline) return refuse("stale")
    const error = { source: "run_timeout", message: `the run took longer than its timeout of ${flow.timeout} ms` } as const
    return ok([undoing(run, error) ?? { type: "run.ended", status: "failed", error }])
  }
  for (const id of run.pending) {
    const i = run.interactions[id]
    if (i && key === expiryKey(id)) return i.expires !== undefined && at >= i.expires ? ok(expired(run, i)) : refuse("stale")
  }
  // A paused run still lets questions expire; every other timer waits.
  if (run.status === "paused") return refuse("stale")
  const entry = enter(run, run.segment, openIds(run).length)
  if (entry?.wake?.key === key && at >= entry.wake.at) {
    const id = entry.wake.step
    const step = beforeStep(run, id) === undefined ? steps.get(id) : undefined
    return step ? ok(opening(run, step)) : refuse("stale")
  }
  for (const id of openIds(run)) {
    const s = stepState(run, id)
    const step = steps.get(id)
    const timeout = step?.timeout
    if (key === waitKey(id, s.pass)) return s.until !== undefined && at >= s.until ? ok([waited(id, s.pass, s.until)]) : refuse("stale")
    if (key !== stepTimeout(id, s.pass)) continue
    const until = timeout === undefined || s.opened === undefined ? undefined : stepDeadline(run, id, s.opened, timeout)
    if (timeout === undefined || until === undefined || at < until) return refuse("stale")
    const branch = step && KINDS[step.type].timedOut?.(step, s.pass)
    if (branch) return ok([branch])
    return ok([fail(id, s, "step_timeout", `step "${id}" took longer than its timeout of ${timeout} ms`, false)])
  }
  return refuse("stale")
}

/** [J23] The provider has refused the request for its length, and nothing of it could be shortened: it does not go out again. */
function shortening(run: Run, { step, key, done }: Extract<Signal, { type: "compacted" }>): Fact[] {
  const facts = compacted(run, step, key, done)
  return done.kind === "none" && done.stuck ? [...facts, fail(step, stepState(run, step), "api_error", done.why, true)] : facts
}
