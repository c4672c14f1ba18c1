// Decides when to repeat a failed model call [F33]: arithmetic on attempts, nothing else.

import type { Failure } from "../signal.ts"
import { backoff } from "../../backoff.ts"

/** Tries of one turn, and of a model that has a fallback. */
export const MODEL_TRIES = 8 // limit: tries of a model call → the step fails: `api_error`
export const TRIES_BEFORE_FALLBACK = 4 // limit: tries of a model call where another model can take over → the other model is asked
/** Limit: milliseconds that a provider may ask to wait → the step fails, or another model is asked. */
export const MOST_RETRY_AFTER_MS = 120_000
/** No try begins later than this after the turn's first failure, because each try of a silent provider takes long. */
export const MODEL_WINDOW_MS = 900_000 // limit: milliseconds from the first failure of a turn to its last try → the step fails: `api_error`
const BASE_MS = 1_000

export interface Tries {
  /** Including this failure. */
  readonly made: number
  readonly most: number
  /** The time of the turn's first failure. */
  readonly since: number
}

/** The time of the next try, if any. `dice`: from 0 (half of the wait) to 1 (all of it); -1 waits only as long as the provider says. */
export function retryAt(failure: Failure, { made, most, since }: Tries, now: number, dice: number): number | undefined {
  const asked = failure.retryAfter ?? 0
  if (!failure.retryable || made >= most || asked > MOST_RETRY_AFTER_MS) return undefined
  const wait = Math.round((backoff(BASE_MS, made - 1) * (1 + dice)) / 2)
  const at = now + Math.max(wait, asked)
  return at - since > MODEL_WINDOW_MS ? undefined : at
}
