// Reads `?at=SEQ`: a run and its workspace as they were after an event [K5].

import type { Moment } from "../../ports/run.ts"
import type { Call } from "../middleware/call.ts"
import { invalid, NOT_FOUND, type Refusal } from "../middleware/problem.ts"

/** The moment in the request; undefined: the current state. 0 for an invalid seq, which no event has. */
export function seqOf(c: Call): number | undefined {
  const given = c.req.query("at")
  if (given === undefined) return undefined
  return /^\d{1,15}$/.test(given) ? Number(given) : 0
}

/** The fault of a moment that does not exist. */
export function noMoment(then: Extract<Moment<unknown>, { ok: false }> | undefined): Refusal {
  if (then === undefined) return NOT_FOUND
  const { first, last } = then
  const message = last < first ? "the run has not begun, and has no event yet" : `must be a \`seq\` of this run, from ${first} to ${last}`
  return { ...invalid([{ pointer: "?at", message }]), more: { first, last } }
}
