// A JSON Schema as the library may judge by it [G6]: nothing in it can cost more than a share of the value's and the schema's size.
// Schemas come from tenants, from OpenAPI documents and from MCP servers, values from models: together they could stop a run's object.
//
// The library matches `pattern` and `patternProperties` by backtracking, compares the items of a list each with each, follows references
// as often as choices double them, and asks `format` of an object whose prototype knows more names than formats. Here every pattern
// becomes a format of its own, which is matched in linear time; of `patternProperties` only the names that the value has are left;
// lists that must not repeat themselves are short; references are counted.

import { dereference, format, validate, type OutputUnit, type Schema } from "@cfworker/json-schema"
import { isObject, type Json, type JsonSchema } from "./json.ts"
import { compilePattern, type Pattern } from "./linear-pattern.ts"

/** Before a pattern, in the place of a format's name. No schema's own format begins so: the sign is taken out of those. */
const MARK = "\u0000pattern "
/** Comparing so many with each other takes milliseconds, whatever they are. */
const MOST_UNIQUE = 1_000
/** Names of one value that one `patternProperties` can speak of. */
const MOST_NAMES = 1_000
/** What one validation may follow and walk: about half a second. */
const MOST_STEPS = 100_000

/** Counts what a schema makes of a value: throws when it is too much. */
export interface Steps {
  left: number
}
export const steps = (): Steps => ({ left: MOST_STEPS })

export function spend(on: Steps, cost = 1): void {
  on.left -= cost
  if (on.left < 0) throw new Error("the schema is too costly for a value of this size: its choices and references multiply")
}

/** Not of the standard, and matched by backtracking without end. */
const DROPPED: ReadonlySet<string> = new Set(["url", "$recursiveRef", "$recursiveAnchor"])
const MAPS: ReadonlySet<string> = new Set(["$defs", "definitions", "properties", "dependentSchemas", "dependencies"])
const LISTS: ReadonlySet<string> = new Set(["prefixItems", "items", "allOf", "anyOf", "oneOf"])
/** Said in other words below. */
const OWN: ReadonlySet<string> = new Set(["pattern", "format", "uniqueItems"])
/** Plain data in which a word like `pattern` means nothing. */
const DATA: ReadonlySet<string> = new Set(["enum", "const", "default", "examples", "required", "dependentRequired"])

export interface BoundedSchema {
  /** Throws when the schema cannot be used. */
  errors(value: Json, on: Steps): readonly OutputUnit[]
}

export function boundedSchema(schema: JsonSchema): BoundedSchema {
  const asksNames = /"patternProperties"/.test(JSON.stringify(schema))
  const fixed = asksNames ? undefined : ready(schema, NO_NAMES)
  return {
    errors(value, on) {
      const { root, lookup } = fixed ?? ready(schema, namesIn(value))
      return validate(value, root, "2020-12", counted(lookup, on), false).errors
    },
  }
}

/** The pattern that such a finding is about; undefined: it is about a format. */
export function patternOf(finding: Pick<OutputUnit, "error">): string | undefined {
  const at = finding.error.indexOf(MARK)
  return at < 0 ? undefined : finding.error.slice(at + MARK.length).replace(/"\.$/, "")
}

interface Ready {
  readonly root: Schema
  readonly lookup: Record<string, Schema | boolean>
}

function ready(schema: JsonSchema, names: readonly string[]): Ready {
  // A copy: the library writes marks into what it is given.
  const root: Schema = JSON.parse(JSON.stringify(bounded(schema, names)))
  return { root, lookup: dereference(root) }
}

const counted = (lookup: Ready["lookup"], on: Steps): Ready["lookup"] =>
  new Proxy(lookup, {
    get(known, uri) {
      spend(on)
      return typeof uri === "string" ? known[uri] : undefined
    },
  })

function bounded(schema: Json, names: readonly string[]): Json {
  if (Array.isArray(schema)) return schema.map((part) => bounded(part, names))
  if (!isSchema(schema)) return schema
  const out: Record<string, Json> = {}
  for (const [key, value] of Object.entries(schema)) {
    if (DATA.has(key)) out[key] = value
    else if (key === "patternProperties" && isSchema(value)) out[key] = namedProperties(value, names)
    else if (MAPS.has(key) && isSchema(value))
      out[key] = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, bounded(part, names)]))
    else if (LISTS.has(key) || isSchema(value)) out[key] = bounded(value, names)
    else if (!DROPPED.has(key) && !OWN.has(key)) out[key] = value
  }
  const { pattern, format: form, uniqueItems, maxItems } = schema
  const more: Json[] = []
  if (typeof form === "string" && !DROPPED.has(form)) out["format"] = form.replaceAll("\u0000", "")
  if (pattern !== undefined) {
    const mark = `${MARK}${typeof pattern === "string" ? pattern : JSON.stringify(pattern)}`
    if (out["format"] === undefined) out["format"] = mark
    else more.push({ format: mark })
  }
  if (uniqueItems === true) {
    out["maxItems"] = Math.min(typeof maxItems === "number" ? maxItems : MOST_UNIQUE, MOST_UNIQUE)
    // Looked at only when the list is short: the library goes on after a fault.
    more.push({ if: { maxItems: MOST_UNIQUE }, then: { uniqueItems } })
  }
  if (more.length > 0) out["allOf"] = [...(Array.isArray(out["allOf"]) ? out["allOf"] : []), ...more]
  return out
}

/** Each pattern as a choice among the names that it matches: what the library then tests is a list of words. */
function namedProperties(patterns: JsonSchema, names: readonly string[]): Json {
  return Object.fromEntries(
    Object.entries(patterns).map(([source, part], i) => {
      const pattern = linear(source)
      const hit = names.filter((name) => pattern.test(name))
      if (hit.length > MOST_NAMES) throw new Error(`more than ${MOST_NAMES} names match ${source}`)
      // Patterns that match the same names stay apart.
      const never = "(?!)|".repeat(i + 1)
      return [`^(?:${never}${hit.map(literally).join("|") || "(?!)"})$`, bounded(part, names)]
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

// The library looks a format up by its name. A pattern's is found here, and a name such as `constructor` is none.
Object.setPrototypeOf(
  format,
  new Proxy(Object.create(null), {
    get: (_, name) =>
      typeof name === "string" && name.startsWith(MARK) ? (text: string) => linear(name.slice(MARK.length)).test(text) : undefined,
  }),
)

const isSchema = (value: Json | undefined): value is JsonSchema => isObject(value)
