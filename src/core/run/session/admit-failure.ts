// Admits a failed model call [F33]: it is tried again, the next model takes over, or the step ends. Judges, and changes nothing.

import { defined } from "../../defined.ts"
import { ok } from "../../result.ts"
import { isRefusal } from "../budget/bill.ts"
import { settlement } from "../budget/budget-settle.ts"
import type { Fact } from "../event.ts"
import { canShrink } from "./compaction.ts"
import { refusesFiles } from "./files/refused-files.ts"
import { nextModel, refused } from "./paced.ts"
import { MODEL_TRIES, retryAt, TRIES_BEFORE_FALLBACK } from "./retry.ts"
import { dueIn } from "../tested.ts"
import type { Failure, Signal } from "../signal.ts"
import type { Run, Session, StepState } from "../state.ts"
import { type Admitted, refuse, working, fail } from "./admit-session.ts"

export function failure(run: Run, { key, failure: f, at, dice, batch }: Extract<Signal, { type: "model.failure" }>): Admitted {
  const w = working(run, key, "model")
  if (!w) return refuse("stale")
  const { id, s, session, attempt } = w
  const waits = batch === undefined ? refused(run, f, { key, step: id, session, attempt, at }) : undefined
  if (waits) return ok(waits)
  const shrink = f.overflow === true && canShrink(session)
  const blind = !shrink && refusesFiles(session, f)
  const other = fallbackFor(run, id, session, f)
  const most = batch !== undefined || other !== undefined ? TRIES_BEFORE_FALLBACK : MODEL_TRIES
  const tries = { made: session.turnFailures + 1, most, since: session.firstFailure ?? at }
  // [R36] It goes into the next batch.
  const nextBatch = f.retryable && tries.made < most ? at : undefined
  const later = f.config ? undefined : shrink || blind ? at : batch === undefined ? retryAt(f, tries, at, dice) : nextBatch
  const next = later === undefined ? undefined : dueIn(run, later, at)
  const fallback = next === undefined ? other : undefined
  const again = next ?? (fallback === undefined ? undefined : at)
  const isAsked = f.config !== true && f.unasked !== true
  const isFree = !isAsked || isRefusal(f)
  const failed: Fact = {
    type: "model.failed",
    step: id,
    turn: session.turn,
    key,
    attempt,
    message: f.message,
    ...defined({ status: f.status, retryAt: again }),
    ...(shrink ? { overflow: true as const } : {}),
    ...(blind ? { blind: true as const } : {}),
    ...(f.called === true ? { called: true as const } : {}),
    ...defined({ fallback, batch }),
    ...(isFree ? {} : { lost: true as const }),
  }
  const settled = settlement(run, key, isFree ? {} : undefined)
  if (blind) return ok([failed, ...settled, blindness(id)])
  if (again !== undefined) return ok([failed, ...settled])
  return ok([failed, ...settled, fail(id, s, f.config ? "config" : "api_error", f.message, !isTakenUp(run, id, s, f))])
}

/** [F35] Does the step's own `retry` run it again after a provider that stayed down? Only then is such a failure soft. */
function isTakenUp(run: Run, id: string, s: StepState, f: Failure): boolean {
  const retry = run.plan.steps.get(id)?.retry
  return f.retryable && f.config !== true && retry !== undefined && s.retries < retry.max
}

const blindness = (step: string): Fact => ({
  type: "warning",
  code: "not_shown",
  step,
  message: "the provider refuses the pictures and PDFs of the request: the conversation goes on without them",
})

/** [F33] The model that can take over when the tries of this one are used up. A reply that had begun to call a tool has no second author. */
function fallbackFor(run: Run, id: string, session: Session, f: Failure): string | undefined {
  return !f.retryable || f.config === true || f.called === true ? undefined : nextModel(run, id, session)
}
