// Reads query parameters [H5]: whole numbers in a range, times, words from a list. A bad value is a 422 that names the parameter.

import { defined } from "../../core/defined.ts"
import { parseDuration } from "../../core/text/duration.ts"
import { parseIsoTime } from "../../core/text/iso-time.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { nearest } from "../../core/text/nearest.ts"
import { short } from "../../core/text/pointer.ts"
import { invalid, type Refusal } from "./problem.ts"

const bad = (name: string, message: string, suggestion?: string) =>
  err(invalid([{ pointer: `?${name}`, message, ...defined({ suggestion }) }]))

export function whole(
  name: string,
  given: string | undefined,
  range: { min: number; max: number; otherwise: number },
): Result<number, Refusal> {
  if (given === undefined) return ok(range.otherwise)
  const n = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN
  if (n >= range.min && n <= range.max) return ok(n)
  return bad(name, `must be a whole number from ${range.min} to ${range.max}`)
}

/** An ISO 8601 time, in milliseconds. */
export function time(name: string, given: string | undefined): Result<number | undefined, Refusal> {
  if (given === undefined) return ok(undefined)
  const ms = parseIsoTime(given)
  return ms === undefined ? bad(name, "must be a time such as 2026-12-24T18:00:00Z") : ok(ms)
}

/** A time as above, or a span back from `now`, such as 7d. */
export function moment(name: string, given: string | undefined, now: number): Result<number | undefined, Refusal> {
  if (given === undefined) return ok(undefined)
  const span = /[a-z]$/.test(given) ? parseDuration(given) : undefined
  const ms = span === undefined ? parseIsoTime(given) : now - span
  return ms === undefined
    ? bad(name, "must be a time such as 2026-12-24T18:00:00Z, a day, or a span back from now such as 2h or 7d")
    : ok(ms)
}

export function words<T extends string>(
  name: string,
  given: string | undefined,
  known: readonly T[],
): Result<readonly T[] | undefined, Refusal> {
  if (given === undefined) return ok(undefined)
  const chosen: T[] = []
  for (const part of given.split(",")) {
    const word = known.find((k) => k === part.trim())
    if (word === undefined) {
      const near = nearest(part.trim(), known)
      return bad(
        name,
        `${JSON.stringify(short(part.trim()))} is not one of ${known.join(", ")}`,
        near === undefined ? undefined : `did you mean "${near}"?`,
      )
    }
    chosen.push(word)
  }
  return ok(chosen)
}

/** One word of a list. */
export function oneWord<T extends string>(name: string, given: string | undefined, known: readonly T[]): Result<T | undefined, Refusal> {
  const chosen = words(name, given, known)
  if (!chosen.ok) return chosen
  if ((chosen.value?.length ?? 0) > 1) return bad(name, `must be one of ${known.join(", ")}`)
  return ok(chosen.value?.[0])
}
