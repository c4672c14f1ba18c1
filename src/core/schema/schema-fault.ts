// Checks whether a JSON Schema 2020-12 can be used. It runs when a schema is written (a tool, a server's list, a reference, a plan), so
// that misspelled or unsupported keywords [G6] are reported then, with their place, and not at the first call. Unknown keywords are
// ignored, unless they are almost a keyword in a schema of the tenant's own.

import { isObject, type Json, type JsonSchema } from "../json.ts"
import { compilePattern } from "./linear-pattern.ts"
import { meantKeyword } from "./misspelled-keyword.ts"
import { pointerStep, short } from "../text/pointer.ts"
import { atPointer, decoded } from "./reference-index.ts"
import { holdingOf } from "./schema-keyword.ts"

export interface SchemaFault {
  /** JSON Pointer into the schema. */
  readonly pointer: string
  readonly message: string
}

const MOST_FAULTS = 10 // limit: faults told of a schema → further ones are not told
const MOST_DEPTH = 64 // limit: levels of a schema → the schema is refused

const TYPES: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean", "object", "array", "null"])
const isText = (value: unknown): boolean => typeof value === "string"
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)
const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0

/** What a word must hold, and in words. */
const RULES: readonly (readonly [RegExp, (value: unknown) => boolean, string])[] = [
  [/^(minimum|maximum|exclusiveM(in|ax)imum)$/, (value) => typeof value === "number", "must be a number"],
  [/^multipleOf$/, (value) => typeof value === "number" && value > 0, "must be a number above 0"],
  [/^(min|max)(Length|Items|Properties|Contains)$/, isCount, "must be a whole number, 0 or more"],
  [/^uniqueItems$/, (value) => typeof value === "boolean", "must be true or false"],
  [/^required$/, isTexts, "must be a list of names: it belongs beside properties, not inside one"],
  [/^enum$/, Array.isArray, "must be a list of values"],
  [/^dependentRequired$/, (value) => isObject(value) && Object.values(value).every(isTexts), "must be an object of lists of names"],
  [/^(\$ref|format)$/, isText, "must be a text"],
]
/**
 * The faults of a schema; empty if it can be used. Never throws. `isOwn`: the tenant wrote the schema and can correct it, unlike a schema
 * that a remote server lists.
 */
export function schemaFaults(schema: JsonSchema, { isOwn = false }: { readonly isOwn?: boolean } = {}): readonly SchemaFault[] {
  const faults: SchemaFault[] = []
  const hasIds = /"\$id":/.test(JSON.stringify(schema))
  look({ root: schema, isOwn, hasIds, seen: new Set(), say: (pointer, message) => void faults.push({ pointer, message }) }, schema, "", 0)
  return faults.slice(0, MOST_FAULTS)
}

interface Ground {
  readonly root: JsonSchema
  readonly isOwn: boolean
  readonly hasIds: boolean
  readonly seen: Set<unknown>
  readonly say: (pointer: string, message: string) => void
}

function look(ground: Ground, schema: unknown, at: string, depth: number): void {
  const { say, seen } = ground
  if (typeof schema === "boolean" || seen.has(schema)) return
  if (!isObject(schema)) return say(at, "must be a schema: an object, or true or false")
  if (depth > MOST_DEPTH) return say(at, `is nested deeper than ${MOST_DEPTH} levels`)
  seen.add(schema)
  for (const [key, value] of Object.entries(schema)) {
    const here = at + pointerStep(key)
    const within = (part: unknown, step: string): void => look(ground, part, here + pointerStep(step), depth + 1)
    const rule = RULES.find(([word]) => word.test(key))
    const holding = holdingOf(key)
    const meant = ground.isOwn ? meantKeyword(key) : undefined
    if (meant !== undefined) say(here, `is not a keyword of JSON Schema: did you mean "${meant}"?`)
    else if (rule && !rule[1](value)) say(here, rule[2])
    else if (key === "type") typeFault(value, here, say)
    else if (key === "pattern") patternFault(value, here, say)
    else if (key === "$ref") follow(ground, String(value), here, depth)
    // The validator does not follow it: what it would forbid would be let through.
    else if (key === "$dynamicRef") say(here, "is not checked here: use $ref")
    else if (holding === "named") {
      if (!isObject(value)) say(here, "must be an object: name → schema")
      else
        for (const [name, part] of Object.entries(value)) {
          if (key === "patternProperties") patternFault(name, here + pointerStep(name), say)
          within(part, name)
        }
    } else if (holding === "list") {
      if (!Array.isArray(value) || value.length === 0) say(here, "must be a list of schemas")
      else value.forEach((part: unknown, i) => within(part, String(i)))
    } else if (holding === "one") {
      if (key === "items" && Array.isArray(value)) say(here, "must be one schema: use prefixItems for schemas by position")
      else look(ground, value, here, depth + 1)
    }
  }
}

type Say = Ground["say"]

function typeFault(value: unknown, at: string, say: Say): void {
  const names: readonly unknown[] = Array.isArray(value) ? value : [value]
  const wrong = names.find((name) => !TYPES.has(name))
  if (names.length === 0 || wrong !== undefined)
    say(at, `must be of ${[...TYPES].join(", ")}${wrong === undefined ? "" : `, not ${short(JSON.stringify(wrong))}`}`)
}

function patternFault(value: unknown, at: string, say: Say): void {
  const read = typeof value === "string" ? compilePattern(value) : undefined
  if (!read?.ok) say(at, read ? `cannot be judged: ${read.error}` : "must be a regular expression")
}

/** Nothing is fetched for a schema; anchors and ids are the walk's to find. A part below an unknown keyword counts as a schema from here on. */
function follow(ground: Ground, reference: string, at: string, depth: number): void {
  if (/^#[^/]/.test(reference) || ground.hasIds) return
  const target: Json | undefined =
    reference === "#" || reference.startsWith("#/") ? atPointer(ground.root, decoded(reference.slice(1))) : undefined
  if (target === undefined) ground.say(at, `leads to ${short(JSON.stringify(reference))}, which is not in this schema`)
  else look(ground, target, at, depth + 1)
}
