// Compares a value with an expectation [K20], which may have matchers instead of values: `{matches}`, `{schema}`, `{at_most}`,
// `{at_least}`. Otherwise maps match as subsets, lists match as a whole, and null also matches an absent value.

import { isObject, type Json, type JsonObject, type JsonSchema } from "../json.ts"
import { compilePattern } from "../schema/linear-pattern.ts"
import { measure } from "../schema/measure.ts"
import { matches } from "../schema/pattern-cache.ts"
import { schemaFault, valueFaults } from "../schema/strict-value.ts"
import { pointerStep } from "../text/pointer.ts"

/** A place where the found value differs from the expected one. `found`: null if there is no value. */
export interface Mismatch {
  readonly at: string
  readonly expected: Json
  readonly found: Json
}

const BOUNDS = ["at_most", "at_least"]

/** The name of the matcher; undefined: the value is a plain value. */
export function matcherOf(value: Json): "matches" | "schema" | "bounds" | undefined {
  if (!isObject(value)) return undefined
  const names = Object.keys(value)
  if (names.length > 0 && names.every((name) => BOUNDS.includes(name))) return "bounds"
  const [only] = names
  return names.length === 1 && (only === "matches" || only === "schema") ? only : undefined
}

/** The reason why a matcher is invalid; undefined: it is valid. */
export function matcherFault(value: JsonObject): string | undefined {
  switch (matcherOf(value)) {
    case "matches": {
      const source = value["matches"]
      if (typeof source !== "string") return "`matches` must be a regular expression, as text"
      const made = compilePattern(source)
      return made.ok ? undefined : `\`matches\` cannot be used: ${made.error}`
    }
    case "schema": {
      const fault = schemaFault(value["schema"])
      return fault === undefined ? undefined : `\`schema\` ${fault}`
    }
    case "bounds":
      return Object.values(value).every((bound) => typeof bound === "number") ? undefined : "`at_most` and `at_least` must be numbers"
    case undefined:
      return undefined
  }
}

/** All differences, at most `most`. Costs one pass over the expectation. */
export function mismatches(expected: Json, found: Json | undefined, at: string, most: number): Mismatch[] {
  const all: Mismatch[] = []
  walk(expected, found, at, { all, most, on: measure() })
  return all
}

interface Walk {
  readonly all: Mismatch[]
  readonly most: number
  readonly on: ReturnType<typeof measure>
}

function walk(expected: Json, found: Json | undefined, at: string, to: Walk): void {
  if (to.all.length >= to.most) return
  const differs = (): void => void to.all.push({ at, expected, found: found ?? null })
  const matcher = matcherOf(expected)
  if (matcher !== undefined && isObject(expected)) {
    if (!fits(matcher, expected as JsonObject, found, to)) differs()
  } else if (isObject(expected)) {
    if (!isObject(found)) return differs()
    for (const [key, value] of Object.entries(expected))
      walk(value as Json, Object.hasOwn(found, key) ? (found[key] as Json) : undefined, at + pointerStep(key), to)
  } else if (Array.isArray(expected)) {
    if (!Array.isArray(found) || found.length !== expected.length) return differs()
    for (const [i, value] of expected.entries()) walk(value, found[i], at + pointerStep(i), to)
  } else if (expected !== (found ?? null)) differs()
}

function fits(matcher: NonNullable<ReturnType<typeof matcherOf>>, expected: JsonObject, found: Json | undefined, to: Walk): boolean {
  if (found === undefined) return false
  switch (matcher) {
    case "matches": {
      const source = expected["matches"]
      return typeof found === "string" && typeof source === "string" && isMatch(source, found, to)
    }
    case "schema":
      return valueFaults(expected["schema"] as JsonSchema, found).length === 0
    case "bounds": {
      const { at_most: most = Number.POSITIVE_INFINITY, at_least: least = Number.NEGATIVE_INFINITY } = expected
      return typeof found === "number" && found <= Number(most) && found >= Number(least)
    }
  }
}

/** A pattern that has used up the effort of a case does not match. */
function isMatch(source: string, text: string, { on }: Walk): boolean {
  try {
    return matches(source, text, on)
  } catch {
    return false
  }
}
