// Says how a run's model call stands in line [R27, R29], and which refusals are waits [R31].

import { rankOf } from "../../../core/pacing/rank.ts"
import { MOST_STOPPED_MS } from "../../../core/pacing/rate-line.ts"
import { requestBytes } from "../../../core/run/budget/budget-bytes.ts"
import { SILENT_MS } from "../../../core/run/session/paced.ts"
import { stepState, type Run } from "../../../core/run/state.ts"
import type { FinalMessage } from "../../../ports/model.ts"
import type { PacedCall } from "../../../ports/tenant/pacing.ts"
import { rootOf } from "../begin/start.ts"
import type { EffectDeps } from "./effect-deps.ts"

/** A wait is told so often. */
const TOLD_MS = 10_000

/** Read from the run before the first await. */
export function placeOf(
  { clock, isFollowed }: Pick<EffectDeps, "clock" | "isFollowed">,
  run: Run,
  key: string,
  step: string,
): { readonly call: Omit<PacedCall, "maxOutput">; readonly patience: number } {
  const now = clock.now()
  const told = stepState(run, step).session?.paced?.at
  return {
    call: {
      key: `${run.id} ${key}`,
      family: rootOf(run),
      rank: rankOf(run, isFollowed?.() === true, now),
      bytes: requestBytes(run, step),
    },
    patience: told === undefined ? SILENT_MS : Math.max(SILENT_MS, told + TOLD_MS - now),
  }
}

export function stopping(final: FinalMessage | undefined): FinalMessage | undefined {
  const { status, retryAfter } = final?.error ?? {}
  if (!final?.error || status !== 429 || retryAfter === undefined || retryAfter > MOST_STOPPED_MS) return final
  return { ...final, error: { ...final.error, stops: retryAfter } }
}
