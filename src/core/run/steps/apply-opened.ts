// Applies the opening of a step, for the first time or again.

import { toldOf, type FirstMessage } from "../session/told.ts"
import { defined } from "../../defined.ts"
import { closeHolds, stepCounted } from "../budget/budget-fold.ts"
import { newChildren } from "./apply-children.ts"
import type { EventOf } from "../event.ts"
import { become, type Run, type Session, type Work } from "../state.ts"
import { callerName } from "../own/caller.ts"
import { owe } from "../session/sticky.ts"
import { roundBegins, roundReopened } from "../rounds/rounds.ts"
import { forget, leaveWork, touch } from "./touch.ts"

export function opened(run: Run, e: EventOf<"step.opened">): void {
  const s = touch(run, e.step)
  const segment = run.plan.graph.segmentOf[run.plan.graph.order.get(e.step) ?? 0] ?? 0
  if (segment !== run.segment) run.routes = []
  run.segment = segment
  s.status = "running"
  s.opened = e.at
  s.openedSeq = e.seq
  if (run.pausedFor !== undefined) s.pausedBefore = run.pausedFor
  s.attempts = 0
  s.tools = e.tools
  delete s.ended
  delete s.askedFor
  delete s.timed
  delete s.notBefore
  delete s.preamble
  delete s.apart
  delete s.routed
  delete s.cache
  delete s.pacedMs
  if (e.question !== undefined) s.question = e.question
  if (e.tainted === true) s.tainted = true
  else delete s.tainted
  if (e.origins) s.origins = e.origins
  else delete s.origins
  if (e.private === true) s.private = true
  else delete s.private
  delete run.exclusions[e.step]
  stepCounted(run, e.step)
  become(s, workOf(e))
  roundBegins(run, s, e)
}

function workOf(e: EventOf<"step.opened">): Work {
  if (e.agent !== undefined) return { session: newSession(e) }
  if (e.calls) return { session: { ...newSession({ ...e, agent: callerName(e.step) }), own: { given: e.values ?? {}, made: 0 } } }
  if (e.total !== undefined) return { children: newChildren(e) }
  if (e.values !== undefined) return { values: e.values }
  return e.until === undefined ? {} : { until: e.until }
}

const restOf = ({ task: _task, ...rest }: FirstMessage): Omit<FirstMessage, "task"> => rest

const newSession = (e: EventOf<"step.opened">): Session => ({
  agent: e.agent ?? "",
  model: e.model ?? "",
  task: e.task ?? "",
  body: e.body ?? "",
  ...defined({ preamble: e.preamble, iteration: e.iteration, attach: e.attach, searched: e.searched }),
  ...(e.quoted || e.apart ? { told: restOf(toldOf(e)) } : {}),
  ...(e.session === undefined ? {} : { sticky: { id: e.session, inputs: e.inputs ?? {}, seqs: [e.seq] } }),
  turn: 0,
  seqs: [],
  bytes: 0,
  open: [],
  failures: 0,
  turnFailures: 0,
  tries: 0,
  results: [],
  repeat: { digest: "", count: 0 },
  steers: [],
  tainted: e.tainted === true,
  ...(e.origins ? { origins: e.origins } : {}),
  private: e.private === true,
})

export function reopened(run: Run, e: EventOf<"step.reopened">): void {
  const s = touch(run, e.step)
  owe(run, e.step, s)
  leaveWork(run, e.step, s)
  s.status = "pending"
  s.pass = e.pass
  delete s.opened
  delete s.ended
  delete s.retry
  delete s.asked
  forget(run, e.step)
  closeHolds(run, e.step)
  delete run.exclusions[e.step]
  roundReopened(run, s, e)
  if (e.by === undefined) {
    // The step was entered before, so it is entered again, even if only an `on_error` leads to it.
    s.routed = true
    s.retries += 1
    if (e.notBefore !== undefined) s.notBefore = e.notBefore
    return
  }
  delete s.preamble
  delete s.apart
  if (s.rounds) s.routed = true
  else delete s.routed
  s.retries = 0
  if (e.by !== e.step) {
    s.entered = 0
    s.taken = {}
  }
}
