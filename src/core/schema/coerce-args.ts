// Coerces scalars [G6]: "5" → 5, "true" → true, 5 → "5" where the schema requires it, at any depth. A value that already fits stays as it
// is. An ambiguous value does too, and validation then reports its fault.

import type { Json, JsonObject, JsonSchema } from "../json.ts"
import { isObject } from "../json.ts"
import { isInexact } from "../outside/exact-json.ts"
import type { Judge } from "./judge.ts"
import { small, spend, type Measure } from "./measure.ts"

/** References may form a ring that never goes deeper into the value. */
const MAX_HOPS = 32 // limit: references followed for one value → the value stays as it is

/** `judge`: the judge of the schema `root`. */
export function coerce(root: JsonSchema, value: Json, judge: Judge, on: Measure): Json {
  const fits = (part: Json, tried: Json): boolean => judge.fits(part, tried, on)

  const walk = (schema: Json | undefined, value: Json, hops: number): Json => {
    if (!isSchema(schema) || hops > MAX_HOPS) return value
    spend(on, Array.isArray(value) ? small(value.length) : 1)
    let now = value
    if (schema["$ref"] !== undefined) now = walk(judge.references.target(schema), now, hops + 1)
    if (isScalar(now)) now = scalar(schema, now)
    else if (Array.isArray(now)) now = inArray(schema, now)
    else if (isObject(now)) now = inObject(schema, now)
    for (const part of list(schema["allOf"])) now = walk(part, now, hops + 1)
    for (const choices of [list(schema["anyOf"]), list(schema["oneOf"])]) now = alternative(choices, now, hops + 1)
    return now
  }

  const inArray = (schema: JsonSchema, value: readonly Json[]): Json => {
    const prefix = list(schema["prefixItems"])
    return value.map((item, i) => walk(i < prefix.length ? prefix[i] : schema["items"], item, 0))
  }
  const inObject = (schema: JsonSchema, value: JsonObject): Json => {
    const properties = isObject(schema["properties"]) ? schema["properties"] : {}
    const object: Record<string, Json> = {}
    const members = Object.entries(value)
    spend(on, small(members.length))
    for (const [key, item] of members) {
      object[key] = walk(Object.hasOwn(properties, key) ? properties[key] : schema["additionalProperties"], item, 0)
    }
    return object
  }
  const alternative = (choices: readonly Json[], value: Json, hops: number): Json => {
    if (choices.length === 0 || choices.some((choice) => isSchema(choice) && fits(choice, value))) return value
    for (const choice of choices) {
      if (!isSchema(choice)) continue
      const tried = walk(choice, value, hops)
      if (fits(choice, tried)) return tried
    }
    return value
  }
  return walk(root, value, 0)
}

function scalar(schema: JsonSchema, value: string | number | boolean): Json {
  const allowed = list(schema["enum"])
  const types = typeof schema["type"] === "string" ? [schema["type"]] : list(schema["type"])
  if (types.length === 0)
    return allowed.length === 0 || allowed.includes(value)
      ? value
      : (allowed.find((one) => isScalar(one) && String(one) === String(value)) ?? value)
  if (types.some((type) => hasType(value, type))) return value
  for (const type of types) {
    const read = readAs(value, type)
    if (read !== undefined) return read
  }
  return value
}

function readAs(value: string | number | boolean, type: Json): Json | undefined {
  if (type === "string") return String(value)
  if (typeof value !== "string") return undefined
  const word = value.trim()
  if (type === "boolean") return /^true$/i.test(word) ? true : /^false$/i.test(word) ? false : undefined
  if (type !== "number" && type !== "integer") return undefined
  // Only what JSON calls a number: no hex, no "1e999", no empty text. A whole number must survive the trip exactly.
  if (!/^-?\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,4})?$/.test(word)) return undefined
  const number = Number(word)
  if (isInexact(word)) return undefined
  return type === "number" ? (Number.isFinite(number) ? number : undefined) : Number.isSafeInteger(number) ? number : undefined
}

const hasType = (value: string | number | boolean, type: Json): boolean =>
  type === typeof value || (type === "integer" && typeof value === "number" && Number.isInteger(value))

const isScalar = (value: Json): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"

const isSchema = (value: Json | undefined): value is JsonSchema => isObject(value)

const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])
