// A JSON Schema as the library may judge by it [G6]: nothing in it can cost more than a share of the value's and the schema's size.
// Schemas come from tenants, from OpenAPI documents and from MCP servers, values from models: together they could stop a run's object.
//
// The library matches `pattern` and `patternProperties` by backtracking, compares the items of a list each with each, follows references
// as often as choices double them, and asks `format` of an object whose prototype knows more names than formats. Here every pattern
// becomes a format of its own, which is matched in linear time; of `patternProperties` only the names that the value has are left;
// lists that must not repeat themselves are short; references are counted.

import { dereference, format, validate, type OutputUnit, type Schema, type ValidationResult } from "@cfworker/json-schema"
import { isObject, type Json, type JsonSchema } from "../json.ts"
import { compilePattern, effort, type Effort, type Pattern } from "./linear-pattern.ts"
import { holdingOf, withSchemas } from "./schema-keyword.ts"

/** Before a pattern, in the place of a format's name. No schema's own format begins so: the sign is taken out of those. */
const MARK = "\u0000pattern "
/** Comparing so many with each other takes milliseconds, whatever they are. */
const MOST_UNIQUE = 1_000
/** Names of one value that one `patternProperties` can speak of. */
const MOST_NAMES = 1_000
/** What one validation may follow and walk: about half a second. What it may match has as much again. */
const MOST_STEPS = 100_000

/** Counts what a schema makes of a value: throws when it is too much. */
export interface Steps {
  left: number
  readonly matching: Effort
}
export const steps = (): Steps => ({ left: MOST_STEPS, matching: effort() })

export function spend(on: Steps, cost = 1): void {
  on.left -= cost
  if (on.left < 0) throw new Error("the schema is too costly for a value of this size: its choices and references multiply")
}

/** Not of the standard, and followed without end. */
const DROPPED: ReadonlySet<string> = new Set(["$recursiveRef", "$recursiveAnchor"])
/** Said in other words below. */
const OWN: ReadonlySet<string> = new Set(["pattern", "format", "uniqueItems"])
/** Plain data in which a word like `pattern` means nothing, and no reference leads. */
const DATA: ReadonlySet<string> = new Set(["enum", "const", "default", "required", "dependentRequired"])

export interface BoundedSchema {
  /** For values with the names of this one. Throws when the schema cannot be used. */
  judge(named: Json, on: Steps): Judge
}

export interface Judge {
  errors(value: Json): readonly OutputUnit[]
  /** `part`: one of the schema's own parts. */
  fits(part: JsonSchema, value: Json): boolean
}

export function boundedSchema(schema: JsonSchema): BoundedSchema {
  const asksNames = /"patternProperties"/.test(JSON.stringify(schema))
  const fixed = asksNames ? undefined : ready(schema, NO_NAMES, steps())
  return {
    judge(named, on) {
      const { root, parts, lookup } = fixed ?? ready(schema, namesIn(named), on)
      const followed = counted(lookup, on)
      const judged = (part: Schema, value: Json, isQuick: boolean): ValidationResult => {
        matching = on.matching
        return validate(value, part, "2020-12", followed, isQuick)
      }
      return {
        errors: (value) => judged(root, value, false).errors,
        fits(part, value) {
          spend(on)
          const known = parts.get(part)
          if (!known) throw new Error("a $ref leads to where no schema stands")
          return judged(known, value, true).valid
        },
      }
    },
  }
}

/** The pattern that such a finding is about; undefined: it is about a format. */
export function patternOf(finding: Pick<OutputUnit, "error">): string | undefined {
  const at = finding.error.indexOf(MARK)
  return at < 0 ? undefined : finding.error.slice(at + MARK.length).replace(/"\.$/, "")
}

/** The library's copy: it writes marks into what it is given. */
interface Ready {
  readonly root: Schema
  /** A part of the schema → what was made of it. */
  readonly parts: ReadonlyMap<JsonSchema, Schema>
  readonly lookup: Record<string, Schema | boolean>
}

interface Ground {
  readonly parts: Map<JsonSchema, Schema>
  readonly names: readonly string[]
  readonly on: Steps
}

function ready(schema: JsonSchema, names: readonly string[], on: Steps): Ready {
  const parts = new Map<JsonSchema, Schema>()
  const root = boundedPart(schema, { parts, names, on })
  return { root, parts, lookup: dereference(root) }
}

const counted = (lookup: Ready["lookup"], on: Steps): Ready["lookup"] =>
  new Proxy(lookup, {
    get(known, uri) {
      spend(on)
      return typeof uri === "string" ? known[uri] : undefined
    },
  })

function bounded(schema: Json, ground: Ground): Json {
  if (Array.isArray(schema)) return schema.map((part) => bounded(part, ground))
  return isSchema(schema) ? boundedPart(schema, ground) : schema
}

function boundedPart(schema: JsonSchema, ground: Ground): JsonSchema {
  const out: Record<string, Json> = {}
  const within = (part: Json): Json => bounded(part, ground)
  for (const [key, value] of Object.entries(schema)) {
    // The library still reads it, though only older drafts have it.
    const holding = key === "dependencies" ? "named" : holdingOf(key)
    if (DATA.has(key)) out[key] = value
    else if (key === "patternProperties" && isSchema(value)) out[key] = namedProperties(value, ground)
    else if (holding) out[key] = withSchemas(value, holding, within)
    // A reference may lead to what stands under a word that means nothing.
    else if (isSchema(value)) out[key] = within(value)
    else if (!DROPPED.has(key) && !OWN.has(key)) out[key] = value
  }
  const { pattern, format: form, uniqueItems, maxItems } = schema
  const more: Json[] = []
  // `url` is no format of the standard, and is matched by backtracking without end.
  if (typeof form === "string" && form !== "url") out["format"] = form.replaceAll("\u0000", "")
  if (pattern !== undefined) {
    const mark = `${MARK}${typeof pattern === "string" ? pattern : JSON.stringify(pattern)}`
    if (out["format"] === undefined) out["format"] = mark
    else more.push({ format: mark })
  }
  if (uniqueItems === true) {
    out["maxItems"] = Math.min(typeof maxItems === "number" ? maxItems : MOST_UNIQUE, MOST_UNIQUE)
    // Looked at only when the list is short: the library goes on after a fault.
    // oxlint-disable-next-line unicorn/no-thenable -- a word of JSON Schema; nobody awaits one
    more.push({ if: { maxItems: MOST_UNIQUE }, then: { uniqueItems } })
  }
  if (more.length > 0) out["allOf"] = [...(Array.isArray(out["allOf"]) ? out["allOf"] : []), ...more]
  ground.parts.set(schema, out)
  return out
}

/** Each pattern as a choice among the names that it matches: what the library then tests is a list of words. */
function namedProperties(patterns: JsonSchema, ground: Ground): Json {
  const { names, on } = ground
  return Object.fromEntries(
    Object.entries(patterns).map(([source, part], i) => {
      spend(on, 1 + names.length)
      const pattern = linear(source)
      const hit = names.filter((name) => pattern.test(name, on.matching))
      if (hit.length > MOST_NAMES) throw new Error(`more than ${MOST_NAMES} names match ${source}`)
      // The first choice matches nothing; with it, patterns that match the same names stay apart.
      return [`^(?:${[`(?!)${i}`, ...hit.map(literally)].join("|")})$`, bounded(part, ground)]
    }),
  )
}

const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")

const NO_NAMES: readonly string[] = []

function namesIn(value: Json, found = new Set<string>()): readonly string[] {
  if (Array.isArray(value)) for (const item of value) namesIn(item, found)
  else if (isSchema(value))
    for (const [name, member] of Object.entries(value)) {
      found.add(name)
      namesIn(member, found)
    }
  return [...found]
}

const compiled = new Map<string, Pattern>()
const MOST_COMPILED = 500

/** Throws for what needs look-around or back-references, or is too large: what cannot be judged in linear time is not judged at all. */
function linear(source: string): Pattern {
  const known = compiled.get(source)
  if (known) return known
  const pattern = compilePattern(source)
  if (!pattern.ok) throw new Error(`the pattern ${source} cannot be used: ${pattern.error}`)
  if (compiled.size >= MOST_COMPILED) compiled.clear()
  compiled.set(source, pattern.value)
  return pattern.value
}

/** What the validation that is going on may still match: the library hands a format its text and nothing else. */
let matching = effort()

// The library looks a format up by its name. A pattern's is found here, and a name such as `constructor` is none.
Object.setPrototypeOf(
  format,
  new Proxy(Object.create(null), {
    get: (_, name) =>
      typeof name === "string" && name.startsWith(MARK)
        ? (text: string) => linear(name.slice(MARK.length)).test(text, matching)
        : undefined,
  }),
)

const isSchema = (value: Json | undefined): value is JsonSchema => isObject(value)
