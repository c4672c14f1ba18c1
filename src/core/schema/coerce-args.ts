// Scalar coercion [G6]: "5" → 5, "true" → true, 5 → "5" where the schema asks for it, at any depth. What already fits stays as
// it is; what cannot be read without doubt stays too, and validation then says what is wrong with it.

import { spend, type Steps } from "./bounded-schema.ts"
import type { Json, JsonObject, JsonSchema } from "../json.ts"
import { isObject } from "../json.ts"

/** Is this value valid against this part of the schema? Asked of alternatives only. */
export type Fits = (schema: JsonSchema, value: Json) => boolean

export function coerce(root: JsonSchema, value: Json, fits: Fits, on: Steps): Json {
  // References may form a ring that never goes deeper into the value.
  const MAX_HOPS = 32

  const walk = (schema: Json | undefined, value: Json, hops: number): Json => {
    if (!isSchema(schema) || hops > MAX_HOPS) return value
    spend(on)
    let now = value
    const reference = schema["$ref"]
    if (typeof reference === "string") now = walk(resolve(root, reference), now, hops + 1)
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
    for (const [key, item] of Object.entries(value)) {
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
  // Only what JSON would call a number: no hex, no "1e999", no empty text. An integer must survive the trip exactly.
  if (!/^-?\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,4})?$/.test(word)) return undefined
  const number = Number(word)
  return type === "number" ? (Number.isFinite(number) ? number : undefined) : Number.isSafeInteger(number) ? number : undefined
}

const hasType = (value: string | number | boolean, type: Json): boolean =>
  type === typeof value || (type === "integer" && typeof value === "number" && Number.isInteger(value))

/** A local reference (`#/$defs/x`), or nothing. */
export function resolve(root: JsonSchema, reference: string): Json | undefined {
  if (reference === "#") return root
  if (!reference.startsWith("#/")) return undefined
  let at: Json | undefined = root
  for (const part of reference.slice(2).split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~")
    if (Array.isArray(at)) at = at[Number(key)]
    else at = isSchema(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }
  return at
}

const isScalar = (value: Json): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"

const isSchema = (value: Json | undefined): value is JsonSchema => isObject(value)

const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])
