// Converts the schemas of an OpenAPI document to JSON Schema 2020-12 [T26]: inlines local references and removes annotations. It also
// removes `readOnly` members, which only responses have: a tool's arguments are a request.

import { isObject, type Json, type JsonObject } from "../json.ts"
import { compilePattern } from "../schema/linear-pattern.ts"
import { meantKeyword } from "../schema/misspelled-keyword.ts"
import { holdingOf, withSchemas } from "../schema/schema-keyword.ts"

const MAX_NESTING = 12 // limit: levels of an imported schema → deeper values may be anything
/** How often a reference may be expanded inside itself. Below that the schema allows anything, because a recursive schema would never end. */
const MAX_RINGS = 2 // limit: times that a reference is expanded inside itself → deeper values may be anything
/** The most parts of an `allOf` that are searched for `readOnly` members. */
const MAX_PARTS = 20 // limit: parts of an `allOf` that are searched → further parts are not searched

/** Keywords whose schemas describe the same value as the schema around them. */
const CHOICES: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf"])
const NONE: ReadonlySet<string> = new Set()
/** A value of this many characters beside a schema (such as a list of choices), or this many searched names, count as one more schema. */
const CHARS_IN_ONE = 256
const NAMES_IN_ONE = 16

/** The number of schemas that may still be inlined: a few references to each other can expand to billions of schemas [S17]. */
export interface Room {
  left: number
  /** A reference that leads out of the document: what stands there is not known. */
  outside?: string
}

/** How much of a schema is included in a tool. */
export interface Detail {
  /** Below this depth, a schema allows anything. */
  readonly nesting: number
  /** Below this depth, descriptions are left out. */
  readonly described: number
}

export const WHOLE: Detail = { nesting: MAX_NESTING, described: MAX_NESTING }

/** Keywords that do not affect which values are valid. */
const DROPPED: ReadonlySet<string> = new Set([
  "example",
  "examples",
  "xml",
  "discriminator",
  "externalDocs",
  "nullable",
  "readOnly",
  "writeOnly",
  "deprecated",
])

/** The schema as JSON Schema 2020-12 with its references inlined. Without room left, the result is `{}`. */
export function inlined(root: Record<string, unknown>, schema: unknown, room: Room, detail: Detail = WHOLE): Json {
  return inPlace({ root, room, detail }, schema, [], 0, new Set())
}

interface Ground {
  readonly root: Record<string, unknown>
  readonly room: Room
  readonly detail: Detail
}

/** `open`: the references being expanded around this schema. `hidden`: `readOnly` members according to the schema around it. */
function inPlace(ground: Ground, schema: unknown, open: readonly string[], depth: number, hidden: ReadonlySet<string>): Json {
  const { root, room, detail } = ground
  // Every schema counts, even `true`: a thousand references to an object of a thousand `true` make a million.
  if (room.left <= 0) return {}
  room.left -= 1
  if (typeof schema === "boolean") return schema
  if (!isObject(schema) || depth > ground.detail.nesting) return {}
  const ref = schema["$ref"]
  if (typeof ref === "string") {
    if (!ref.startsWith("#")) room.outside ??= ref
    const target = open.filter((one) => one === ref).length >= MAX_RINGS ? undefined : resolved(root, schema)
    return target === undefined ? {} : inPlace(ground, target, [...open, ref], depth + 1, hidden)
  }
  const unasked = new Set([...hidden, ...onlyAnswered(ground, schema)])
  const out: JsonObject = {}
  for (const [key, value] of Object.entries(schema)) {
    if (DROPPED.has(key) || key.startsWith("x-") || key === "__proto__" || meantKeyword(key) !== undefined) continue
    if (depth > detail.described && (key === "description" || key === "title")) continue
    // A pattern that cannot be checked here is left for the server to check.
    if (key === "pattern" && !(typeof value === "string" && compilePattern(value).ok)) continue
    const holding = holdingOf(key)
    if (holding !== undefined) {
      if (holding === "named" && !isObject(value)) continue
      // Each member would count, so there is no need to look at them.
      if (typeof value === "object" && value !== null && Object.keys(value).length > room.left) {
        room.left = 0
        return {}
      }
      const asked = key === "properties" ? without(value as Json, unasked) : (value as Json)
      const names = CHOICES.has(key) ? unasked : NONE
      out[key] = withSchemas(asked, holding, (part) => inPlace(ground, part, open, depth + 1, names))
    } else if (key === "required" && Array.isArray(value)) {
      const asked = value.filter((name) => typeof name === "string" && !unasked.has(name))
      if (asked.length > 0) out[key] = asked
    } else {
      out[key] = value as Json
      room.left -= Math.floor((JSON.stringify(value)?.length ?? 0) / CHARS_IN_ONE)
    }
  }
  // OpenAPI 3.0 writes exclusive limits as booleans, and null as `nullable`.
  for (const [flag, limit] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    if (typeof out[flag] !== "boolean") continue
    if (out[flag] && typeof out[limit] === "number") {
      out[flag] = out[limit]
      delete out[limit]
    } else delete out[flag]
  }
  // Which form is meant says the discriminator, so several may fit. Here only the words of `oneOf` would count, and refuse such a value.
  if (isObject(schema["discriminator"]) && Array.isArray(out["oneOf"])) {
    const forms = { anyOf: out["oneOf"] }
    delete out["oneOf"]
    if (out["anyOf"] === undefined) out["anyOf"] = forms.anyOf
    else out["allOf"] = [...(Array.isArray(out["allOf"]) ? out["allOf"] : []), forms]
  }
  if (schema["nullable"] === true && typeof out["type"] === "string") out["type"] = [out["type"], "null"]
  return out
}

const without = (members: Json, names: ReadonlySet<string>): Json =>
  isObject(members) ? Object.fromEntries(Object.entries(members).filter(([name]) => !names.has(name))) : members

/** The names of the `readOnly` members in the schema itself and in its `allOf` parts. */
function onlyAnswered({ root, room }: Ground, schema: Record<string, unknown>): readonly string[] {
  const names: string[] = []
  const parts: unknown[] = [schema]
  for (let i = 0; i < Math.min(parts.length, MAX_PARTS); i++) {
    const part = resolved(root, parts[i])
    if (!isObject(part)) continue
    const members = Object.entries(isObject(part["properties"]) ? part["properties"] : {})
    room.left -= Math.floor(members.length / NAMES_IN_ONE)
    if (members.length > room.left) break
    for (const [name, member] of members) {
      const whole = resolved(root, member)
      if (isObject(whole) && whole["readOnly"] === true) names.push(name)
    }
    if (Array.isArray(part["allOf"])) parts.push(...part["allOf"].slice(0, MAX_PARTS))
  }
  return names
}

/** The target of a local `$ref`, followed through further references; undefined when it leads outside the document or in a circle. */
export function resolved(root: Record<string, unknown>, value: unknown): unknown {
  let here = value
  for (let n = 0; isObject(here) && typeof here["$ref"] === "string"; n++) {
    const ref = here["$ref"]
    if (!ref.startsWith("#/") || n > 20) return undefined
    let found: unknown = root
    for (const step of ref.slice(2).split("/")) {
      const name = unescape(step)
      found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined
    }
    here = found
  }
  return here
}

function unescape(step: string): string {
  const plain = step.replaceAll("~1", "/").replaceAll("~0", "~")
  try {
    return decodeURIComponent(plain)
  } catch {
    return plain
  }
}
