// glimpse: a small JSON stand-in for a value that is too large to show [C24]. Dates and decimals are recognized by their methods.

import { isObject, type Json, type JsonObject } from "../json.ts"

const SAMPLE = 3

/** The glimpse of a value: an object is copied, a list becomes its count and first items, and any other value becomes `{value}`. */
export function glimpse(value: unknown, options: { readonly maxItems?: number } = {}): JsonObject {
  const max = options.maxItems ?? SAMPLE
  if (!Number.isInteger(max) || max < 0) throw new Error(`maxItems must be a whole number of at least 0, not ${max}`)
  if (Array.isArray(value)) return { count: value.length, sample: value.slice(0, max).map((item) => jsonOf(item)) }
  const json = jsonOf(value)
  return isObject(json) ? json : { value: json }
}

/** Dates become ISO 8601; bigints and a library's decimals become text; values that JSON cannot represent become null. */
function jsonOf(value: unknown, depth = 0): Json {
  if (value === null || value === undefined || depth > 50) return null
  if (typeof value === "string" || typeof value === "boolean") return value
  if (typeof value === "number") return Number.isFinite(value) ? value : null
  if (typeof value === "bigint") return value.toString()
  if (typeof value !== "object") return null
  if (Array.isArray(value)) return value.map((item) => jsonOf(item, depth + 1))
  if ("toISOString" in value && typeof value.toISOString === "function") return String(value.toISOString())
  const digits = decimal(value)
  if (digits !== undefined) return digits
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [String(key), jsonOf(item, depth + 1)]))
  if (value instanceof Set) return [...value].map((item) => jsonOf(item, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, jsonOf(item, depth + 1)]))
}

/** Recognizes a decimal library's object by its `toFixed`; its `toString` keeps every digit. */
function decimal(value: object): string | undefined {
  if (!("toFixed" in value) || typeof value.toFixed !== "function" || typeof value.toString !== "function") return undefined
  return String(Reflect.apply(value.toString, value, []))
}
