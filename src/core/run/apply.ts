// apply: it happened. One event changes the run; apply judges, looks up and refuses nothing.
//
// It handles every event that `admit` can return, and its cost does not grow with the history [J8]. Changes `run` in place and returns it:
// see state.ts. The meaning of an event is decided only here, so a history folds the same everywhere [J6].
//
// Over 300 lines: one case per event; a case of more than a few lines is in its own apply-*.ts file.

import { defined } from "../defined.ts"
import { batchEnded, batchSent, callBatched, childStill } from "./batch/apply-batch.ts"
import { batchedGone } from "./batch/open-call.ts"
import { callsLost, modelLost } from "./usage/lost.ts"
import { callCounted, closeHolds, leased, limited, raised, reserved, settled, weighed } from "./budget/budget-fold.ts"
import { attended } from "./attention.ts"
import { childEnded, childStarted } from "./steps/apply-children.ts"
import { asksNothing, knowAsked } from "./steps/child-questions.ts"
import { finished } from "./steps/apply-finish.ts"
import { listCalled } from "./session/tool-search.ts"
import { lanesMoved, taken } from "./steps/apply-route.ts"
import { blinded } from "./session/files/attaching.ts"
import { callPaced, callRefused, paceOver, unpaced } from "./session/paced.ts"
import { answered, approved, asked, elicited, shortened, handOver, replied, returned } from "./session/apply-session.ts"
import { ownAnswered, stepCalled } from "./own/apply-calls.ts"
import { effectsChanged } from "./effects/fold.ts"
import { lookedUp } from "./cached/look-up.ts"
import { contextTaken } from "./session/context-files.ts"
import { CALL_AGENT } from "../tool/toolkits.ts"
import type { JsonObject } from "../json.ts"
import type { Rules } from "../tool/policy/policy.ts"
import type { EventOf, RunEvent } from "./event.ts"
import { forked } from "./fork/apply-forked.ts"
import { originsOf } from "../flow/origin.ts"
import { noticed } from "./notice-fold.ts"
import { askedTimed } from "./steps/asked-time.ts"
import { feedbackHeard, scoreHeard } from "./said/said.ts"
import { paused, resumed } from "./steps/pause.ts"
import { become, type Run, type StepState, isDone, newStep } from "./state.ts"
import { shownStatus } from "./shown-status.ts"
import { owe } from "./session/sticky.ts"
import { closed, leaveWork, sessionOf, touch, withdraw } from "./steps/touch.ts"
import { sessionKey, childIndexOf } from "./key.ts"
import { keyBegan } from "./step-keys.ts"
import { modelFailureTallied, toolErrorTallied, toolRefusalTallied, toolTallied } from "./usage/tally.ts"
import { offered, roundScored, roundWrote } from "./rounds/rounds.ts"
import { opened, reopened } from "./steps/apply-opened.ts"

export function apply(run: Run, event: RunEvent): Run {
  run.seq = event.seq
  run.at = event.at
  effectsChanged(run, event)
  const before = shownStatus(run)
  change(run, event)
  askedTimed(run, event)
  if ("tainted" in event && event.tainted === true) run.marked = true
  if (shownStatus(run) !== before) run.since = event.at
  weighed(run, event)
  attended(run, event)
  return run
}

function change(run: Run, e: RunEvent): void {
  switch (e.type) {
    case "run.started":
      return started(run, e)
    case "run.forked":
      return forked(run, e)
    case "run.waiting":
      run.status = "waiting"
      run.reason = e.reason
      delete run.askedAnew
      if (run.pending[0] === undefined) delete run.announced
      else run.announced = run.pending[0]
      return noticed(run, e)
    case "run.paused":
      return paused(run, e)
    case "run.resumed":
      return resumed(run, e)
    case "run.scored":
      return scoreHeard(run, e)
    case "feedback.given":
      return feedbackHeard(run, e)
    case "run.superseded":
      run.superseded = e.by
      return
    case "run.ended":
      return ended(run, e)
    case "step.opened":
      return opened(run, e)
    case "step.finished":
      return finished(run, e)
    case "step.offered":
      return offered(run, e)
    case "step.scored":
      return roundScored(run, e)
    case "step.skipped": {
      const s = touch(run, e.step)
      s.status = "skipped"
      s.ended = e.at
      s.result = { status: "skipped", summary: "", files: [], outputs: {} }
      become(s, {})
      delete s.preamble
      delete s.apart
      return
    }
    case "step.reopened":
      return reopened(run, e)
    case "action.begun": {
      const s = touch(run, e.step)
      run.underway[e.key] = {
        kind: e.kind,
        step: e.step,
        attempt: e.attempt,
        since: e.at,
        ...(e.maxOutput === undefined ? {} : { maxOutput: e.maxOutput }),
        ...(e.batch ? { batch: true } : {}),
      }
      run.begun[e.key] = e.attempt
      keyBegan(run, e.step, e.key)
      if (e.kind === "model") s.attempts += 1
      paceOver(s, e.at)
      if (e.kind === "compact" && s.session) s.session.shortening = s.session.bytes
      if (e.kind === "child" && s.children) {
        const index = childIndexOf(e.key)
        if (!s.children.starting.includes(index)) s.children.starting.push(index)
        s.children.next = Math.max(s.children.next, index + 1)
      }
      if (s.session) delete s.session.retryAt
      return
    }
    case "action.lost":
      if ((e.kind === "model" || e.kind === "compact") && !run.underway[e.key]?.batch) modelLost(run, e, e.kind)
      delete run.underway[e.key]
      return
    case "model.replied":
      return replied(run, e)
    case "model.failed": {
      const session = sessionOf(run, e.step)
      if (e.lost) modelLost(run, e, "model")
      delete run.underway[e.key]
      batchedGone(run, e.key)
      if (!session) return
      modelFailureTallied(run, session.model, e.status)
      if (e.paced) return callRefused(run, touch(run, e.step), e)
      unpaced(session)
      session.failures += 1
      session.turnFailures += 1
      session.firstFailure ??= e.at
      if (e.retryAt !== undefined) session.retryAt = e.retryAt
      if (e.overflow) session.overflow = true
      if (e.called) session.called = true
      if (e.blind) blinded(session)
      if (e.fallback !== undefined) {
        session.model = e.fallback
        session.turnFailures = 0
        delete session.firstFailure
      }
      return
    }
    case "model.paced":
      return callPaced(run, e)
    case "model.batched":
      return callBatched(run, e)
    case "batch.sent":
      return batchSent(run, e)
    case "batch.ended":
      return batchEnded(run, e)
    case "child.batched":
      return childStill(run, e)
    case "step.called":
      return stepCalled(run, e)
    case "tool.called": {
      run.usage.tool_calls += 1
      toolTallied(run, e.step, e.tool)
      callCounted(run, e.step)
      const open = sessionOf(run, e.step)?.open.find((o) => o.call.id === e.callId)
      if (open) open.args = e.args
      return
    }
    case "tool.returned":
      ownAnswered(run, e)
      return returned(run, e)
    case "tool.refused":
      toolRefusalTallied(run, e.tool, e.code)
      if (e.code === "invalid_args") listCalled(touch(run, e.step), e.tool)
      ownAnswered(run, e)
      return answered(run, e.step, e.callId, e.seq)
    case "tool.uncertain":
      toolErrorTallied(run, e.step, e.tool)
      // [T42] No step waits for the run that the call started.
      if (e.tool === CALL_AGENT) run.orphans.push(e.key)
      ownAnswered(run, e)
      return answered(run, e.step, e.callId, e.seq)
    case "finish.rejected": {
      const session = sessionOf(run, e.step)
      if (session) session.tries += 1
      return answered(run, e.step, e.callId, e.seq)
    }
    case "reminder.sent": {
      const session = sessionOf(run, e.step)
      session?.seqs.push(e.seq)
      if (session) session.tries += 1
      return
    }
    case "branch.taken":
      return taken(run, e)
    case "lanes.moved":
      return lanesMoved(run, e)
    case "loop.iteration": {
      const s = touch(run, e.step)
      if (run.plan.steps.get(e.step)?.type === "agent-loop-decision") s.entered = e.iteration
      return
    }
    case "loop.exhausted":
      run.routes = run.routes.filter((r) => r.step !== e.step)
      return
    case "session.opened": {
      const session = sessionOf(run, e.step)
      const key = sessionKey(e.step, touch(run, e.step).pass)
      delete run.underway[key]
      delete run.begun[key]
      if (!session?.sticky) return
      session.sticky.chunks = e.chunks
      session.sticky.seqs.push(e.seq)
      if (e.body !== undefined) session.body = e.body
      if (e.tainted) session.tainted = true
      if (e.private) session.private = true
      return
    }
    case "context.read":
      return contextTaken(run, e)
    case "step.cached":
    case "cache.missed":
      return lookedUp(run, e)
    case "context.compacted":
      return shortened(run, e)
    case "rules.changed":
      run.rules = rulesOf(e.rules)
      return
    case "budget.reserved":
      return reserved(run, e)
    case "budget.settled":
      return settled(run, e)
    case "budget.leased":
      return leased(run, e)
    case "budget.exhausted":
    case "effect.settled":
    case "commit.asked":
    case "undo.asked":
    case "code.logged":
    case "warning":
      return
    case "child.started":
      return childStarted(run, e)
    case "child.ended":
      asksNothing(run, { child: e.run })
      return childEnded(run, e)
    case "child.asked":
      return knowAsked(run, e)
    case "signal.received":
      heard(run, e.id)
      if (e.step === undefined) run.signals.push({ name: e.name, payload: e.payload, ...(e.private ? { private: true } : {}) })
      else if (e.private) touch(run, e.step).private = true
      return
    case "file.changed":
      // The table of files is a fold of its own: the run's state holds no file.
      return roundWrote(run, e)
    case "file.put":
      run.put = [...(run.put ?? []).filter(({ path }) => path !== e.file.path), e.file]
      return
    case "signal.taken":
      run.signals.splice(
        run.signals.findIndex((x) => x.name === e.name),
        1,
      )
      return
    case "interaction.asked":
      return asked(run, e)
    case "interaction.answered": {
      const i = run.interactions[e.id]
      if (!i) return
      const { answer, notes, decision, custom, auto, cancelled, args, feedback } = e
      i.status = "answered"
      run.personAt = e.at
      i.by = e.by
      i.answer = defined({ answer, notes, decision, custom, auto, cancelled, args, feedback })
      closed(run, e.id)
      // The step that a budget question names may not be open yet.
      if (i.kind === "budget") return raised(run, i)
      if (i.kind === "effects") return
      const s = touch(run, i.step)
      s.status = "running"
      if (e.private) keepPrivate(s)
      if (e.tainted) hearStrange(s)
      if (i.kind === "approval.tool" || i.kind === "approval.plan") approved(run, i, e)
      if (i.kind === "elicitation") elicited(run, i)
      if (i.kind === "fork" && (auto || custom !== undefined) && s.session === undefined) handOver(s, i.step, custom)
      return
    }
    case "interaction.expired": {
      const i = run.interactions[e.id]
      if (i) i.status = "expired"
      closed(run, e.id)
      if (i?.kind === "elicitation") elicited(run, i)
      return
    }
    case "steer.queued":
      heard(run, e.id)
      run.personAt = e.at
      sessionOf(run, e.step)?.steers.push({ id: e.id, seq: e.seq })
      if (e.private) keepPrivate(touch(run, e.step))
      return
    case "steer.delivered": {
      const session = sessionOf(run, e.step)
      const steer = session?.steers.shift()
      if (session && steer) session.seqs.push(steer.seq)
      return
    }
  }
}

/** [G11] What a person told a marked step is private, for its session and for its result. */
function keepPrivate(s: StepState): void {
  s.private = true
  for (const session of [s.session, s.decider]) if (session) session.private = true
}

/** [G11] What the holder of a token told a step is text from outside. */
function hearStrange(s: StepState): void {
  s.tainted = true
  s.origins = originsOf([...(s.origins ?? []), "answers"])
  for (const session of [s.session, s.decider]) {
    if (!session) continue
    session.tainted = true
    session.origins = originsOf([...(session.origins ?? []), "answers"])
  }
}

const MAX_HEARD = 200 // limit: ids of signals that a run remembers to recognize a repeat → the oldest is forgotten

/** Remembers the ids of the latest messages and signals, so that a repeat is ignored [H4]. */
function heard(run: Run, id: string | undefined): void {
  if (id !== undefined) run.heard = [...run.heard.slice(1 - MAX_HEARD), id]
}

/** Rules in the journal were checked when they were written. */
const rulesOf = (rules: JsonObject): Rules => rules as unknown as Rules

function started(run: Run, e: EventOf<"run.started">): void {
  Object.assign(run, {
    id: e.run,
    status: "running",
    flow: e.flow,
    task: e.task,
    inputs: e.inputs,
    autonomous: e.autonomous,
    rehearsed: e.rehearsed,
    pins: e.pinned,
    trigger: e.trigger,
    ...(e.payload ? { payload: e.payload } : {}),
    ...(e.files ? { given: e.files } : {}),
    tags: e.tags ?? [],
    ...(e.rules ? { rules: rulesOf(e.rules) } : {}),
    tainted: e.tainted === true,
    ...defined({ origins: e.origins, trusted: e.trusted, asker: e.asker }),
    ...(e.private === true ? { private: true as const } : {}),
    started: e.at,
    ...defined({
      parent: e.parent,
      thread: e.thread,
      session: e.session,
      conversation: e.conversation,
      callback: e.callback,
      callbacks: e.callbacks,
      starters: e.starters,
      address: e.address,
      trace: e.trace,
      batch: e.batch,
    }),
    ...(e.effects ? { effects: e.effects } : {}),
    ...defined({ width: e.width, kernel: e.kernel }),
    ...(e.staging === undefined ? {} : { drafts: true }),
    ...(e.unaccepted ? { unaccepted: true } : {}),
    ...defined({ tenancy: e.tenancy, start: e.start, obeyed: obeyedIn(e.start), trial: e.trial }),
  })
  limited(run, e)
  for (const id of run.plan.stepIds) {
    run.steps[id] = newStep()
    run.touched.add(id)
  }
}

/** undefined: it obeyed no key. */
const obeyedIn = ({ concurrency, throttle }: Partial<NonNullable<Run["start"]>> = {}): Run["obeyed"] =>
  concurrency === undefined && throttle === undefined ? undefined : defined({ concurrency, throttle })

/** [F31], [F34] Unfinished steps are canceled, open questions are withdrawn, and nothing is under way. */
function ended(run: Run, e: EventOf<"run.ended">): void {
  callsLost(run)
  run.status = e.status
  run.ended = e.at
  run.endSeq = e.seq
  delete run.reason
  delete run.pausedAt
  if (e.output !== undefined) run.output = e.output
  if (e.error !== undefined) run.error = e.error
  for (const [id, s] of Object.entries(run.steps)) {
    if (isDone(s)) continue
    touch(run, id)
    if (s.opened !== undefined) s.ended = e.at
    s.status = "canceled"
    owe(run, id, s)
    leaveWork(run, id, s)
  }
  withdraw(run)
  delete run.asks
  closeHolds(run)
  noticed(run, e)
  run.underway = {}
  run.begun = {}
  delete run.batched
}
