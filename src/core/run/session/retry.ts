// [F33] When to repeat a failed model call: arithmetic on attempts, nothing else.

import type { Failure } from "../signal.ts"
import { backoff } from "../../backoff.ts"

export const MODEL_TRIES = 4
export const MODEL_WINDOW_MS = 120_000
const BASE_MS = 1_000

/** The time of the next try; undefined: final. `tries` includes this failure; `since` is the time of the turn's first failure. */
export function retryAt(failure: Failure, tries: number, since: number, now: number, dice: number): number | undefined {
  if (!failure.retryable || tries >= MODEL_TRIES) return undefined
  // Exponential with full jitter; the provider's Retry-After is the minimum.
  const wait = Math.round(dice * backoff(BASE_MS, tries - 1))
  const at = now + Math.max(wait, failure.retryAfter ?? 0)
  return at - since > MODEL_WINDOW_MS ? undefined : at
}
