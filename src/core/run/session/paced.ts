// Admits that a model call waits for its turn [R29], and says what such a wait is [R30, R31]: its attempt has ended, nothing was kept of it, and
// it is no try.

import { defined } from "../../defined.ts"
import { ok } from "../../result.ts"
import { settlement } from "../budget/budget-settle.ts"
import type { EventOf } from "../event.ts"
import type { Signal } from "../signal.ts"
import type { PacedCall, Run, Session, StepState } from "../state.ts"
import { touch } from "../steps/touch.ts"
import { type Admitted, refuse, working } from "./admit-session.ts"
import { modelsFor } from "./open-session.ts"

/** [R31] Refusals of one turn that are waits and no tries. */
export const MOST_REFUSALS = 2 // limit: refusals (429) of a turn that only wait until the time that the provider says → they count as tries

export function paced(run: Run, { key, until, ahead, status, other }: Extract<Signal, { type: "model.paced" }>): Admitted {
  const w = working(run, key, "model")
  if (!w) return refuse("stale")
  const { id, session } = w
  const fallback = other === true ? nextModel(run, id, session) : undefined
  return ok([
    { type: "model.paced", step: id, key, turn: session.turn, model: session.model, until, ahead, ...defined({ status, fallback }) },
    ...settlement(run, key, {}),
  ])
}

/** [F33] A reply that had begun to call a tool has no second author. */
export function nextModel(run: Run, id: string, session: Session): string | undefined {
  if (session.called === true) return undefined
  const models = modelsFor(run, id, session.agent)
  const at = models.indexOf(session.model)
  return at < 0 ? undefined : models[at + 1]
}

/** [R31] Whether this refusal only waits. */
export const mayWait = ({ refusals = 0 }: Session): boolean => refusals < MOST_REFUSALS

export function callPaced(run: Run, { key, step, at, until, ahead, model, status, fallback }: EventOf<"model.paced">): void {
  const s = touch(run, step)
  const u = run.underway[key]
  delete run.underway[key]
  // It is as if the attempt had not been made.
  s.attempts = Math.max(0, s.attempts - 1)
  const begun = (u?.attempt ?? 1) - 1
  if (begun > 0) run.begun[key] = begun
  else delete run.begun[key]
  const { session } = s
  if (!session) return
  if (session.paced && u && status === undefined) pacedFor(s, at - u.since)
  if (status !== undefined) session.refusals = (session.refusals ?? 0) + 1
  if (fallback === undefined) {
    session.retryAt = until
    session.paced = { model, until, ahead, at }
    return
  }
  session.model = fallback
  session.turnFailures = 0
  delete session.firstFailure
  delete session.retryAt
  delete session.paced
  delete session.refusals
}

/** The call is asked again. */
export function paceOver(s: StepState, at: number): void {
  const { session } = s
  if (session?.paced && session.retryAt !== undefined) pacedFor(s, at - session.paced.at)
}

/** The turn has its reply, or has failed otherwise. */
export function unpaced(session: Session): void {
  delete session.paced
  delete session.refusals
}

function pacedFor(s: StepState, ms: number): void {
  s.pacedMs = (s.pacedMs ?? 0) + Math.max(0, ms)
}

/** The call that waits now; once it is asked again, it does not. */
export const waitingCall = ({ session }: Pick<StepState, "session">): PacedCall | undefined =>
  session?.retryAt === undefined ? undefined : session.paced
