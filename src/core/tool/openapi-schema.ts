// Schemas of an OpenAPI document as JSON Schema 2020-12 [T26]: local references put in place, words that say nothing left out, and what
// only answers have, since a tool's arguments are a request.

import { isObject, type Json, type JsonObject } from "../json.ts"
import { compilePattern } from "../schema/linear-pattern.ts"
import { holdingOf, withSchemas } from "../schema/schema-keyword.ts"

/** Deeper than this is anything. */
const MOST_NESTING = 12
/** A reference may stand in itself so often; below it is anything, for a schema that holds itself would never end. */
const MOST_RINGS = 2
/** Of an `allOf`, looked at for what only answers have. */
const MOST_PARTS = 20

/** They speak of the same value as the schema around them. */
const CHOICES: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf"])
const NONE: ReadonlySet<string> = new Set()
/** So long a text beside a schema (a list of choices, say), and so many names looked through, take as much room as one more. */
const CHARS_IN_ONE = 256
const NAMES_IN_ONE = 16

/** Schemas that may yet be put in place: a few references to each other can stand for billions of them [S17]. */
export interface Room {
  left: number
}

/** What says nothing about which values fit. */
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

/** The schema with its references in place, in the words of JSON Schema 2020-12. Without room there is nothing left but `{}`. */
export function inlined(root: Record<string, unknown>, schema: unknown, room: Room): Json {
  return inPlace({ root, room }, schema, [], 0, new Set())
}

interface Ground {
  readonly root: Record<string, unknown>
  readonly room: Room
}

/** `open`: the references this stands in. `hidden`: members that only answers have, as the schema around this one says. */
function inPlace(ground: Ground, schema: unknown, open: readonly string[], depth: number, hidden: ReadonlySet<string>): Json {
  const { root, room } = ground
  // Whatever it is, it takes room: a thousand references to an object of a thousand `true` are a million.
  if (room.left <= 0) return {}
  room.left -= 1
  if (typeof schema === "boolean") return schema
  if (!isObject(schema) || depth > MOST_NESTING) return {}
  const ref = schema["$ref"]
  if (typeof ref === "string") {
    const target = open.filter((one) => one === ref).length >= MOST_RINGS ? undefined : resolved(root, schema)
    return target === undefined ? {} : inPlace(ground, target, [...open, ref], depth + 1, hidden)
  }
  const unasked = new Set([...hidden, ...onlyAnswered(ground, schema)])
  const out: JsonObject = {}
  for (const [key, value] of Object.entries(schema)) {
    if (DROPPED.has(key) || key.startsWith("x-") || key === "__proto__") continue
    // What cannot be judged here is the server's to judge.
    if (key === "pattern" && !(typeof value === "string" && compilePattern(value).ok)) continue
    const holding = holdingOf(key)
    if (holding !== undefined) {
      if (holding === "named" && !isObject(value)) continue
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
  // 3.0 says these in words of its own.
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
  if (schema["nullable"] === true && typeof out["type"] === "string") out["type"] = [out["type"], "null"]
  return out
}

const without = (members: Json, names: ReadonlySet<string>): Json =>
  isObject(members) ? Object.fromEntries(Object.entries(members).filter(([name]) => !names.has(name))) : members

/** Names of `readOnly` members, of the schema itself and of the parts it is made of. */
function onlyAnswered({ root, room }: Ground, schema: Record<string, unknown>): readonly string[] {
  const names: string[] = []
  const parts: unknown[] = [schema]
  for (let i = 0; i < Math.min(parts.length, MOST_PARTS); i++) {
    const part = resolved(root, parts[i])
    if (!isObject(part)) continue
    const members = Object.entries(isObject(part["properties"]) ? part["properties"] : {})
    room.left -= Math.floor(members.length / NAMES_IN_ONE)
    for (const [name, member] of members) {
      const whole = resolved(root, member)
      if (isObject(whole) && whole["readOnly"] === true) names.push(name)
    }
    if (Array.isArray(part["allOf"])) parts.push(...part["allOf"].slice(0, MOST_PARTS))
  }
  return names
}

/** What a local `$ref` names, followed to its end; undefined for one that leads outside or round in a circle. */
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
