// [F33] When a failed model call is asked again: an arithmetic of attempts, nothing else.

import type { Failure } from "../signal.ts"
import { backoff } from "../../backoff.ts"

export const MODEL_TRIES = 4
export const MODEL_WINDOW_MS = 120_000
const BASE_MS = 1_000

/** `tries` counts this failure too; `since` is the time of the turn's first failure. Answers the time of the next try, or undefined: final. */
export function retryAt(failure: Failure, tries: number, since: number, now: number, dice: number): number | undefined {
  if (!failure.retryable || tries >= MODEL_TRIES) return undefined
  // Exponential with full jitter; a provider's own wish is a floor.
  const wait = Math.round(dice * backoff(BASE_MS, tries - 1))
  const at = now + Math.max(wait, failure.retryAfter ?? 0)
  return at - since > MODEL_WINDOW_MS ? undefined : at
}
