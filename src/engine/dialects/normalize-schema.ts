// Converts parameters in any supported form to one JSON Schema 2020-12 [A1, C2]: zod, a JSON Schema, or the shorthand `{field: type}`.
// References to local $defs are inlined, except recursive ones.

import { z } from "zod"
import { canonical, isObject, type Json, type JsonObject, type JsonSchema } from "../../core/json.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { messageOf } from "../../core/text/fault-text.ts"

const DIALECT = "https://json-schema.org/draft/2020-12/schema"
/** Inlining references can make a small schema large. */
const MAX_CHARS = 256 * 1024 // limit: characters of a schema with its references inlined → the schema is refused
const MAX_DEPTH = 60 // limit: levels of an inlined schema → the schema is refused

const TYPES: ReadonlyMap<string, string> = new Map([
  ["str", "string"],
  ["string", "string"],
  ["int", "integer"],
  ["integer", "integer"],
  ["float", "number"],
  ["number", "number"],
  ["bool", "boolean"],
  ["boolean", "boolean"],
  ["list", "array"],
  ["array", "array"],
  ["dict", "object"],
  ["object", "object"],
  ["null", "null"],
])

export function normalizeSchema(given: unknown): Result<JsonSchema, string> {
  try {
    const schema = given instanceof z.ZodType ? jsonOf(z.toJSONSchema(given)) : isObject(given) ? jsonOf(given) : undefined
    if (!isObject(schema)) return err("parameters must be a JSON Schema, a zod schema or {field: type}")
    const full = isSchema(schema) ? schema : shorthand(schema as JsonObject)
    const inlined = inlineDefs(full as JsonObject)
    if (inlined["type"] !== "object") return err('parameters must describe an object: {type: "object", properties: …}')
    return ok({ $schema: DIALECT, ...inlined })
  } catch (e) {
    return err(messageOf(e))
  }
}

/** The same rule as upstream; a shorthand with a field called `type` must be written as a full schema. */
const isSchema = (value: Readonly<Record<string, unknown>>): boolean =>
  ["$schema", "properties", "$ref", "type"].some((key) => key in value)

function shorthand(fields: JsonObject): JsonObject {
  const properties = Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, typeOf(type, name)]))
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false }
}

/** `str`, `int?` (or null), a list's item type in brackets, a full schema, or a nested shorthand. */
function typeOf(type: Json, at: string): JsonObject {
  if (typeof type === "string") {
    const bare = type.trim()
    const optional = /^(?:(.*)\?|optional\[(.*)\]|(.*)\|\s*(?:none|null))$/i.exec(bare)
    if (optional) return { anyOf: [typeOf((optional[1] ?? optional[2] ?? optional[3] ?? "").trim(), at), { type: "null" }] }
    const known = TYPES.get(bare.toLowerCase())
    if (known !== undefined) return { type: known }
    throw new Error(`${at}: the type ${JSON.stringify(type)} is unknown; known: ${[...TYPES.keys()].join(", ")}, each with ? for "or null"`)
  }
  const [item, ...more] = Array.isArray(type) ? type : []
  if (item !== undefined && more.length === 0) return { type: "array", items: typeOf(item, at) }
  if (isObject(type)) return isSchema(type) || "anyOf" in type || "enum" in type ? type : shorthand(type)
  throw new Error(`${at}: a type is a name, [type], a schema or {field: type}`)
}

function inlineDefs(root: JsonObject): JsonObject {
  let budget = MAX_CHARS
  const walk = (node: Json, depth: number): Json => {
    if (depth > MAX_DEPTH) throw new Error(`parameters are nested deeper than ${MAX_DEPTH} levels`)
    if (--budget < 0) throw new Error("parameters are too large once their references are inlined")
    if (Array.isArray(node)) return node.map((item) => walk(item, depth + 1))
    if (!isObject(node)) return node
    const ref = node["$ref"]
    const found = typeof ref === "string" ? localDef(root, ref) : undefined
    if (typeof ref === "string" && found !== undefined) {
      if (leadsBack(root, ref)) return mapped(node, (value) => walk(value, depth + 1))
      const { $ref: _, ...beside } = node
      const target = walk(found, depth + 1)
      const others = mapped(beside, (value) => walk(value, depth + 1))
      return merged(target, others)
    }
    return mapped(node, (value) => walk(value, depth + 1))
  }
  const { $defs, definitions, ...rest } = root
  const body = walk(rest, 0)
  const result: JsonObject = isObject(body) ? body : {}
  // Only recursive definitions keep their names.
  for (const [key, defs] of Object.entries({ $defs, definitions })) {
    if (!isObject(defs)) continue
    const names = Object.keys(defs).filter((name) => leadsBack(root, `#/${key}/${name}`) && used(root, `#/${key}/${name}`))
    if (names.length > 0) result[key] = Object.fromEntries(names.map((name) => [name, walk(defs[name] ?? true, 1)]))
  }
  if (canonical(result).length > MAX_CHARS) throw new Error("parameters are too large once their references are inlined")
  return result
}

const mapped = (node: JsonObject, change: (value: Json) => Json): JsonObject =>
  Object.fromEntries(Object.entries(node).map(([key, value]) => [key, change(value)]))

/** Keywords beside a reference apply as well; only annotations may replace the target's own. */
function merged(target: Json, beside: JsonObject): Json {
  if (Object.keys(beside).length === 0) return target
  const onlyWords = Object.keys(beside).every((key) => ["description", "title", "default", "examples", "deprecated"].includes(key))
  return isObject(target) && onlyWords ? { ...target, ...beside } : { allOf: [target], ...beside }
}

function localDef(root: JsonObject, ref: string): Json | undefined {
  const [, place, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(ref) ?? []
  const defs = place === undefined ? undefined : root[place]
  const key = name?.replaceAll("~1", "/").replaceAll("~0", "~")
  return isObject(defs) && key !== undefined && Object.hasOwn(defs, key) ? defs[key] : undefined
}

/** Does a definition refer to itself, directly or not? */
function leadsBack(root: JsonObject, start: string): boolean {
  const seen = new Set<string>()
  const open = refsIn(localDef(root, start))
  for (let ref = open.pop(); ref !== undefined; ref = open.pop()) {
    if (ref === start) return true
    if (seen.has(ref)) continue
    seen.add(ref)
    for (const next of refsIn(localDef(root, ref))) open.push(next)
  }
  return false
}

function used(root: JsonObject, name: string): boolean {
  const { $defs: _a, definitions: _b, ...rest } = root
  const seen = new Set<string>()
  const open = refsIn(rest)
  for (let ref = open.pop(); ref !== undefined; ref = open.pop()) {
    if (ref === name) return true
    if (seen.has(ref)) continue
    seen.add(ref)
    for (const next of refsIn(localDef(root, ref))) open.push(next)
  }
  return false
}

function refsIn(node: unknown, depth = 0): string[] {
  if (typeof node !== "object" || node === null || depth > MAX_DEPTH) return []
  return Object.entries(node).flatMap(([key, value]) => (key === "$ref" && typeof value === "string" ? [value] : refsIn(value, depth + 1)))
}

const jsonOf = (value: unknown): Json => JSON.parse(JSON.stringify(value))
