// glimpse: a small JSON stand-in for a value [C24], shown where the value itself would be too much. Pure: dates are known by their face.

import { isObject, type Json, type JsonObject } from "../json.ts"

const SAMPLE = 3

/** A mapping is copied, of a list the count and its first items are told, anything else is `{value}`. */
export function glimpse(value: unknown, options: { readonly maxItems?: number } = {}): JsonObject {
  const most = options.maxItems ?? SAMPLE
  if (!Number.isInteger(most) || most < 0) throw new Error(`maxItems must be a whole number from 0, not ${most}`)
  if (Array.isArray(value)) return { count: value.length, sample: value.slice(0, most).map((item) => jsonOf(item)) }
  const json = jsonOf(value)
  return isObject(json) ? json : { value: json }
}

/** Dates as ISO 8601, whole numbers beyond double precision and decimals of a library as text, what JSON cannot hold as null. */
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

/** Decimal libraries have `toFixed` on an object, and a `toString` that keeps every digit. */
function decimal(value: object): string | undefined {
  if (!("toFixed" in value) || typeof value.toFixed !== "function" || typeof value.toString !== "function") return undefined
  return String(Reflect.apply(value.toString, value, []))
}
