// Generates a deterministic value that fits a JSON Schema [M3]: constants, examples and defaults first, then by type, format and pattern.
// Optional properties are filled too, so later steps find every field of a rehearsed result.

import { isObject, type Json, type JsonObject } from "../../core/json.ts"
import { matching } from "./pattern.ts"

const MAX_DEPTH = 8 // limit: levels of a rehearsed value → deeper values are empty

/** `name` is used in generated strings; `given` holds values for properties of the outermost object, if the schema has them. */
export function sample(schema: unknown, name: string, given: JsonObject = {}): Json {
  return valueOf(schema, name, schema, given, 0)
}

function valueOf(schema: unknown, name: string, root: unknown, given: JsonObject, depth: number): Json {
  if (!isObject(schema) || depth > MAX_DEPTH) return null
  const local = resolve(schema, root)
  if (local !== schema) return valueOf(local, name, root, given, depth + 1)
  if (schema["const"] !== undefined) return json(schema["const"])
  for (const list of [schema["examples"], schema["enum"]]) if (Array.isArray(list) && list.length > 0) return json(list[0])
  for (const key of ["example", "default"]) if (schema[key] !== undefined) return json(schema[key])
  for (const key of ["anyOf", "oneOf"]) {
    const list = schema[key]
    if (Array.isArray(list))
      return valueOf({ ...without(schema, key), ...(isObject(list[0]) ? list[0] : {}) }, name, root, given, depth + 1)
  }
  if (Array.isArray(schema["allOf"])) return valueOf(merged(schema, schema["allOf"].filter(isObject)), name, root, given, depth + 1)
  switch (typeOf(schema)) {
    case "object":
      return objectOf(schema, root, given, depth)
    case "array":
      return arrayOf(schema, name, root, depth)
    case "number":
      return numberOf(schema, false)
    case "integer":
      return numberOf(schema, true)
    case "boolean":
      return true
    case "null":
      return null
    default:
      return stringOf(schema, name)
  }
}

function typeOf(schema: Record<string, unknown>): unknown {
  const type = schema["type"]
  if (Array.isArray(type)) return type.find((t) => t !== "null") ?? "null"
  if (type !== undefined) return type
  if (schema["properties"] !== undefined) return "object"
  if (schema["items"] !== undefined || schema["prefixItems"] !== undefined) return "array"
  return schema["minimum"] !== undefined || schema["maximum"] !== undefined ? "number" : "string"
}

function objectOf(schema: Record<string, unknown>, root: unknown, given: JsonObject, depth: number): Json {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {}
  const filled: Record<string, Json> = {}
  for (const [key, property] of Object.entries(properties)) filled[key] = given[key] ?? valueOf(property, key, root, {}, depth + 1)
  for (const key of Array.isArray(schema["required"]) ? schema["required"].map(String) : []) {
    if (!Object.hasOwn(filled, key)) filled[key] = valueOf(schema["additionalProperties"] ?? {}, key, root, {}, depth + 1) ?? key
  }
  return filled
}

function arrayOf(schema: Record<string, unknown>, name: string, root: unknown, depth: number): Json {
  const first = Array.isArray(schema["prefixItems"]) ? schema["prefixItems"].map((item) => valueOf(item, name, root, {}, depth + 1)) : []
  const least = number(schema["minItems"]) ?? 0
  while (first.length < Math.min(least, 100))
    first.push(valueOf(schema["items"] ?? { type: "string" }, `${name} ${first.length + 1}`, root, {}, depth + 1))
  return first
}

function numberOf(schema: Record<string, unknown>, whole: boolean): number {
  const step = number(schema["multipleOf"]) ?? (whole ? 1 : undefined)
  const least = number(schema["minimum"])
  const above = number(schema["exclusiveMinimum"])
  const most = number(schema["maximum"])
  const below = number(schema["exclusiveMaximum"])
  const fits = (n: number): boolean =>
    (least === undefined || n >= least) &&
    (above === undefined || n > above) &&
    (most === undefined || n <= most) &&
    (below === undefined || n < below) &&
    (step === undefined || Math.abs(n / step - Math.round(n / step)) < 1e-9)
  const low = least ?? above
  const high = most ?? below
  const candidates = [1, 0]
  if (low !== undefined && high !== undefined) candidates.push((low + high) / 2)
  for (const edge of [low, high]) {
    if (edge === undefined) continue
    const unit = step ?? 1
    const rung = Math.floor(edge / unit) * unit
    candidates.push(edge, rung, rung + unit, rung - unit)
  }
  if (step !== undefined) candidates.push(step)
  return candidates.find(fits) ?? low ?? high ?? 1
}

const FORMATS: Readonly<Record<string, string>> = {
  date: "2026-01-01",
  time: "12:00:00Z",
  "date-time": "2026-01-01T12:00:00Z",
  duration: "P1D",
  email: "someone@example.com",
  hostname: "example.com",
  uri: "https://example.com/",
  url: "https://example.com/",
  "uri-reference": "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
}

function stringOf(schema: Record<string, unknown>, name: string): string {
  const least = number(schema["minLength"]) ?? 0
  const most = number(schema["maxLength"]) ?? Number.POSITIVE_INFINITY
  const format = typeof schema["format"] === "string" ? FORMATS[schema["format"]] : undefined
  if (typeof schema["pattern"] === "string") return matching(schema["pattern"], least, most) ?? `rehearsed ${name}`
  if (format !== undefined) return format
  const text = `rehearsed ${name}`.padEnd(Math.min(least, 10_000), ".")
  return text.length > most ? text.slice(0, Math.max(0, most)) : text
}

function resolve(schema: Record<string, unknown>, root: unknown): unknown {
  const ref = schema["$ref"]
  if (typeof ref !== "string") return schema
  let at: unknown = root
  // Only references within the document: nothing is fetched.
  for (const part of ref.startsWith("#/") ? ref.slice(2).split("/") : ref === "#" ? [] : [""]) {
    at = isObject(at) ? at[part.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined
  }
  return { ...without(schema, "$ref"), ...(isObject(at) ? at : {}) }
}

function merged(schema: Record<string, unknown>, parts: readonly Record<string, unknown>[]): Record<string, unknown> {
  let all: Record<string, unknown> = without(schema, "allOf")
  for (const part of parts) {
    all = {
      ...all,
      ...part,
      ...(isObject(all["properties"]) && isObject(part["properties"])
        ? { properties: { ...all["properties"], ...part["properties"] } }
        : {}),
      ...(Array.isArray(all["required"]) && Array.isArray(part["required"]) ? { required: [...all["required"], ...part["required"]] } : {}),
    }
  }
  return all
}

const without = (schema: Record<string, unknown>, key: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(schema).filter(([k]) => k !== key))

const number = (value: unknown): number | undefined => (typeof value === "number" && Number.isFinite(value) ? value : undefined)

/** Schema values are already JSON; anything else becomes null. */
function json(value: unknown): Json {
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value
  if (Array.isArray(value)) return value.map(json)
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, json(v)]))
  return null
}
