// Admits that a model call waits for its turn [R29], and says what such a wait is [R30, R31]: its attempt has ended, nothing was kept of it, and
// it is no try.

import { defined } from "../../defined.ts"
import { ok } from "../../result.ts"
import { settlement } from "../budget/budget-settle.ts"
import type { EventOf, Fact } from "../event.ts"
import { modelKey } from "../key.ts"
import type { Failure, Signal } from "../signal.ts"
import type { PacedCall, Run, Session, StepState } from "../state.ts"
import { touch } from "../steps/touch.ts"
import { type Admitted, refuse, working } from "./admit-session.ts"
import { modelsFor } from "./open-session.ts"
import { MOST_RETRY_AFTER_MS } from "./retry.ts"

/** [R31] Refusals of one turn that are waits and no tries. */
export const MOST_REFUSALS = 2 // limit: refusals (429) of a turn that only wait until the time that the provider says → they count as tries
/** [R29] A shorter wait passes in silence. */
export const SILENT_MS = 1_000

export function paced(run: Run, { key, until, ahead, other }: Extract<Signal, { type: "model.paced" }>): Admitted {
  const w = working(run, key, "model")
  if (!w) return refuse("stale")
  const { id, session } = w
  const fallback = other === true ? nextModel(run, id, session) : undefined
  return ok([
    { type: "model.paced", step: id, key, turn: session.turn, model: session.model, until, ahead, ...defined({ fallback }) },
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

interface Refused {
  readonly key: string
  readonly step: string
  readonly session: Session
  readonly attempt: number
  readonly at: number
}

/** [R31] The provider refused the call and said for how long. undefined: this refusal is a try. */
export function refused(run: Run, { message, status, stops }: Failure, { key, step, session, attempt, at }: Refused): Fact[] | undefined {
  if (stops === undefined || (session.refusals ?? 0) >= MOST_REFUSALS) return undefined
  const fallback = stops > MOST_RETRY_AFTER_MS ? nextModel(run, step, session) : undefined
  const { turn, model } = session
  const until = at + (fallback === undefined ? stops : 0)
  return [
    { type: "model.failed", step, turn, key, attempt, message, ...defined({ status, retryAt: until, fallback }), paced: true },
    ...settlement(run, key, {}),
    ...(until - at > SILENT_MS ? [{ type: "model.paced", step, key, turn, model, until, ahead: 0 } as const] : []),
  ]
}

export function callPaced(run: Run, { key, step, at, until, ahead, model, fallback }: EventOf<"model.paced">): void {
  const s = touch(run, step)
  const u = Object.hasOwn(run.underway, key) ? run.underway[key] : undefined
  if (u) notTried(run, s, key, u.attempt)
  delete run.underway[key]
  const { session } = s
  if (!session) return
  if (session.paced && u) pacedFor(s, at - u.since)
  if (fallback === undefined) {
    session.retryAt = until
    session.paced = { model, until, ahead, at }
    return
  }
  session.model = fallback
  session.turnFailures = 0
  delete session.firstFailure
  delete session.retryAt
  unpaced(session)
}

/** [R31] It is as if the attempt had not been made. */
export function callRefused(run: Run, s: StepState, { key, attempt, retryAt, fallback }: EventOf<"model.failed">): void {
  notTried(run, s, key, attempt)
  const { session } = s
  if (!session) return
  session.refusals = (session.refusals ?? 0) + 1
  if (retryAt !== undefined) session.retryAt = retryAt
  if (fallback === undefined) return
  session.model = fallback
  session.turnFailures = 0
  delete session.firstFailure
  unpaced(session)
}

function notTried(run: Run, s: StepState, key: string, attempt: number): void {
  s.attempts = Math.max(0, s.attempts - 1)
  if (attempt > 1) run.begun[key] = attempt - 1
  else delete run.begun[key]
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

/** Whether this call waits for its turn. */
export const isWaiting = (run: Run, key: string): boolean =>
  Object.entries(run.steps).some(([id, s]) => waitingCall(s) !== undefined && modelKey(id, s.pass, s.session?.turn ?? 0) === key)
