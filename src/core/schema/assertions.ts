// Implements the keywords of JSON Schema 2020-12 that contain no further schema.

import { canonical, isObject, type Json } from "../json.ts"
import { shown } from "./arg-value.ts"
import { formatOf } from "./format.ts"
import { small, spend, type Measure } from "./measure.ts"
import { matches } from "./pattern-cache.ts"
import { fail, kindOf, listIn, namesOf, numberIn, type Case, type JsonKind, type Rule } from "./rule.ts"
import { glimpse, ofType, oneOf } from "./sentence.ts"

/** A list whose items must differ may have so many [G6]. */
const MAX_UNIQUE = 1_000 // limit: items of a list that must not repeat → the call is refused: `invalid_args`

const type: Rule = (c, said) => {
  const types = Array.isArray(said) ? said : [said]
  const kind = kindOf(c.value)
  const isFit = types.some((one) => one === kind || (one === "integer" && Number.isInteger(c.value)))
  return isFit || fail(c, () => ofType(types, c.value))
}

const constant: Rule = (c, said) => isSame(c.value, said, c.on) || fail(c, () => `must be ${JSON.stringify(said)}, not ${glimpse(c.value)}`)

const enumeration: Rule = (c, said) => {
  const values = listIn(said)
  spend(c.on, small(values.length))
  return values.some((one) => isSame(c.value, one, c.on)) || fail(c, () => oneOf(values, c.value))
}

function isSame(a: Json, b: Json, on: Measure): boolean {
  if (typeof a === "string") {
    if (a.length > 1_024) spend(on, a.length >> 10)
    return a === b
  }
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    spend(on, small(a.length))
    return a.every((item, i) => isSame(item, b[i] ?? null, on))
  }
  if (!isObject(a)) return a === b
  if (!isObject(b)) return false
  const names = Object.keys(a)
  spend(on, small(names.length))
  const other: Record<string, Json> = b
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(a[name] ?? null, other[name] ?? null, on))
  )
}

const bound =
  (size: (c: Case) => number, holds: (size: number, limit: number) => boolean, words: string): Rule =>
  (c, said) =>
    holds(size(c), numberIn(said)) || fail(c, () => `${words} ${shown(said)}`)

const least = (size: number, limit: number): boolean => size >= limit
const most = (size: number, limit: number): boolean => size <= limit

const textOf = (value: Json): string => (typeof value === "string" ? value : "")
const number = ({ value }: Case): number => Number(value)
const items = ({ value }: Case): number => (Array.isArray(value) ? value.length : 0)
const properties = (c: Case): number => namesOf(c).length

/** Characters, those beyond 16 bits counted once. */
function characters({ value, on }: Case): number {
  const text = textOf(value)
  spend(on, small(text.length))
  let pairs = 0
  for (let i = 0; i < text.length; i++) if ((text.codePointAt(i) ?? 0) > 0xffff) pairs++
  return text.length - pairs
}

const multipleOf: Rule = (c, said) => {
  const divisor = numberIn(said)
  if (divisor <= 0) throw new Error("multipleOf must be above 0")
  return isMultiple(number(c), divisor) || fail(c, () => `must be a multiple of ${divisor}`)
}

/** By the decimal digits as they are written: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0
  const [a, aShift] = digits(value)
  const [b, bShift] = digits(divisor)
  const shift = Math.min(aShift, bShift)
  return (a * 10n ** BigInt(aShift - shift)) % (b * 10n ** BigInt(bShift - shift)) === 0n
}

/** `digits × 10^shift` is the number, its sign apart. */
function digits(value: number): readonly [bigint, number] {
  const [written = "0", exponent = "0"] = String(Math.abs(value)).split("e")
  const [whole = "0", fraction = ""] = written.split(".")
  return [BigInt(whole + fraction), Number(exponent) - fraction.length]
}

const uniqueItems: Rule = (c, said) => {
  if (said !== true) return true
  const list = listIn(c.value)
  if (list.length > MAX_UNIQUE) return fail(c, () => `has ${list.length} items; a list whose items must differ may have ${MAX_UNIQUE}`)
  const seen = new Set<string>()
  for (const item of list) {
    const text = canonical(item)
    spend(c.on, small(text.length))
    if (seen.has(text)) return fail(c, () => `has a repeated item: ${text.length > 60 ? `${text.slice(0, 57)}…` : text}`)
    seen.add(text)
  }
  return true
}

const pattern: Rule = (c, said) => {
  if (typeof said !== "string") throw new Error("a pattern of the schema must be a text")
  return matches(said, textOf(c.value), c.on) || fail(c, () => `must match ${said}`)
}

const format: Rule = (c, said) => {
  const text = textOf(c.value)
  const fits = typeof said === "string" ? formatOf(said) : undefined
  if (fits) spend(c.on, small(text.length))
  return fits === undefined || fits(text) || fail(c, () => `must be a valid ${shown(said)}`)
}

/** A keyword, the type of value to which it applies (undefined: any), and its rule. */
export type Keyword = readonly [word: string, of: JsonKind | undefined, rule: Rule]

export const VALUE_KEYWORDS: readonly Keyword[] = [
  ["type", undefined, type],
  ["const", undefined, constant],
  ["enum", undefined, enumeration],
]

export const SIZE_KEYWORDS: readonly Keyword[] = [
  ["minimum", "number", bound(number, least, "must be at least")],
  ["maximum", "number", bound(number, most, "must be at most")],
  ["exclusiveMinimum", "number", bound(number, (n, limit) => n > limit, "must be more than")],
  ["exclusiveMaximum", "number", bound(number, (n, limit) => n < limit, "must be less than")],
  ["multipleOf", "number", multipleOf],
  ["minLength", "string", bound(characters, least, "is shorter than")],
  ["maxLength", "string", bound(characters, most, "is longer than")],
  ["pattern", "string", pattern],
  ["format", "string", format],
  ["minItems", "array", bound(items, least, "has fewer items than")],
  ["maxItems", "array", bound(items, most, "has more items than")],
  ["uniqueItems", "array", uniqueItems],
  ["minProperties", "object", bound(properties, least, "has fewer properties than")],
  ["maxProperties", "object", bound(properties, most, "has more properties than")],
]
