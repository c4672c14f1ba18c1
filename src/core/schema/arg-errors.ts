// The validator's findings as sentences a model can act on: what is missing, what is unknown, what was got instead of what.

import type { OutputUnit } from "@cfworker/json-schema"
import { escapePointer, kindOf, shown, type ArgError } from "./arg-value.ts"
import { patternOf } from "./bounded-schema.ts"
import { resolve } from "./coerce-args.ts"
import type { Json, JsonObject, JsonSchema } from "../json.ts"
import { isObject } from "../json.ts"
import { nearest } from "../text/nearest.ts"

export function readableErrors(root: JsonSchema, units: readonly OutputUnit[], args: JsonObject): ArgError[] {
  const errors: ArgError[] = []
  for (let i = 0; i < units.length; i++) {
    const unit = units[i]
    if (unit === undefined || WRAPPERS.has(unit.keyword)) continue
    const inside = CHOICES.has(unit.keyword) ? insideOf(units, i) : []
    errors.push(...sentences(root, unit, inside, args))
    // What lies inside a failed choice is told by the choice.
    i += inside.length
  }
  // The library has a finding that none of the sentences below knows: say it in its own words rather than let the call pass.
  if (errors.length === 0 && units.length > 0) errors.push(...units.map((u) => ({ path: pointer(u.instanceLocation), message: u.error })))
  return errors
}

/** The library puts what it found inside a choice right behind it. */
function insideOf(units: readonly OutputUnit[], choice: number): readonly OutputUnit[] {
  const place = `${units[choice]?.keywordLocation}/`
  let end = choice + 1
  while (units[end]?.keywordLocation.startsWith(place)) end++
  return units.slice(choice + 1, end)
}

/** Findings that only say that something inside them failed, which is told apart. */
const WRAPPERS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "items",
  "prefixItems",
  "$ref",
  "allOf",
  "if",
  "dependentSchemas",
])
const CHOICES: ReadonlySet<string> = new Set(["anyOf", "oneOf"])
/** Told with what the schema asks for. */
const RULED: ReadonlySet<string> = new Set(["type", "enum", "const"])

/** `inside`: of a choice, what was found in its alternatives. */
function sentences(root: JsonSchema, unit: OutputUnit, inside: readonly OutputUnit[], args: JsonObject): ArgError[] {
  const path = pointer(unit.instanceLocation)
  const schema = schemaAt(root, unit.keywordLocation)
  const got = valueAt(args, path)
  const say = (message: string): ArgError[] => [{ path, message }]
  const rule = schema?.[unit.keyword]
  // Below `patternProperties` the place is not that of the schema as it was written: the library's own words say it too.
  if (rule === undefined && RULED.has(unit.keyword)) return say(unit.error)
  switch (unit.keyword) {
    case "required":
      return missing(path, schema, got)
    case "additionalProperties":
    case "unevaluatedProperties":
      return [] // told by `false`, which names the property itself
    case "false":
      return unknown(path, schemaAbove(root, unit.keywordLocation))
    case "type":
      return say(`must be ${orList((Array.isArray(rule) ? rule : [rule]).map((t) => article(shown(t))))}, not ${glimpse(got)}`)
    case "enum":
      return say(`must be one of ${list(rule)}, not ${glimpse(got)}`)
    case "const":
      return say(`must be ${JSON.stringify(rule)}, not ${glimpse(got)}`)
    case "anyOf":
    case "oneOf":
      return say(choice(root, unit, inside, args))
    case "not":
      return say("has a form that is not allowed here")
    case "format": {
      const pattern = patternOf(unit)
      return say(pattern === undefined ? `must be a valid ${shown(rule)}` : `must match ${pattern}`)
    }
    default: {
      const bound = BOUNDS[unit.keyword]
      return say(bound === undefined || rule === undefined ? unit.error : `${bound} ${shown(rule)}`)
    }
  }
}

const BOUNDS: Readonly<Record<string, string>> = {
  minimum: "must be at least",
  maximum: "must be at most",
  exclusiveMinimum: "must be more than",
  exclusiveMaximum: "must be less than",
  multipleOf: "must be a multiple of",
  minLength: "is shorter than",
  maxLength: "is longer than",
  minItems: "has fewer items than",
  maxItems: "has more items than",
  minProperties: "has fewer properties than",
  maxProperties: "has more properties than",
}

/** The library reports each missing name apart, but says it only in prose: ask the schema instead. */
function missing(path: string, schema: JsonSchema | undefined, got: Json | undefined): ArgError[] {
  const required = schema?.["required"]
  if (!Array.isArray(required) || !isObject(got)) return [{ path, message: "a required property is missing" }]
  const names = required.filter((name) => typeof name === "string" && !Object.hasOwn(got, name)).map(String)
  return names.map((name) => {
    const property = isObject(schema?.["properties"]) ? schema["properties"][name] : undefined
    return { path: `${path}/${escapePointer(name)}`, message: `"${name}" is missing${wanted(property)}` }
  })
}

function wanted(property: unknown): string {
  if (!isObject(property)) return ""
  if (Array.isArray(property["enum"])) return `: it must be one of ${list(property["enum"])}`
  const type = typeof property["type"] === "string" ? property["type"] : ""
  const about = typeof property["description"] === "string" ? property["description"] : ""
  return type === "" && about === "" ? "" : `: ${[type === "" ? "" : article(type), about].filter((x) => x !== "").join(", ")}`
}

function unknown(path: string, parent: JsonSchema | undefined): ArgError[] {
  const name = path
    .slice(path.lastIndexOf("/") + 1)
    .replaceAll("~1", "/")
    .replaceAll("~0", "~")
  const known = isObject(parent?.["properties"]) ? Object.keys(parent["properties"]) : []
  const near = nearest(name, known)
  const hint =
    near !== undefined ? `did you mean "${near}"?` : known.length > 0 ? `known: ${known.slice(0, 20).join(", ")}` : "nothing may stand here"
  return [{ path, message: `"${name.slice(0, 64)}" is not known; ${hint}` }]
}

function choice(root: JsonSchema, unit: OutputUnit, inside: readonly OutputUnit[], args: JsonObject): string {
  const within = inside.filter((u) => !WRAPPERS.has(u.keyword) && !CHOICES.has(u.keyword))
  if (within.length === 0) return "fits more than one of the allowed forms; exactly one must fit"
  const base = pointer(unit.instanceLocation).length
  const reasons = within.flatMap((u) => sentences(root, u, [], args)).map((e) => `${e.path.slice(base)} ${e.message}`.trim())
  return `fits none of the allowed forms: ${[...new Set(reasons)].slice(0, 4).join("; ")}`
}

/** `#/a/b` as the library writes it, percent-encoded, to `/a/b`. */
function pointer(location: string): string {
  const raw = location.replace(/^#/, "")
  try {
    return decodeURIComponent(raw)
  } catch {
    return raw
  }
}

/** The schema object that holds the keyword at the end of a keyword location, through references. */
function schemaAt(root: JsonSchema, location: string): JsonSchema | undefined {
  return descend(root, parts(location).slice(0, -1))
}

/** `false` is reported at the place of the value; its keyword location is that place too, so the parent is found by the value. */
function schemaAbove(root: JsonSchema, location: string): JsonSchema | undefined {
  return byValue(root, root, parts(location).slice(0, -1))
}

function descend(root: JsonSchema, keys: readonly string[]): JsonSchema | undefined {
  let at: Json | undefined = root
  for (const key of keys) {
    if (Array.isArray(at)) at = at[Number(key)]
    else if (!isSchema(at)) return undefined
    else if (key === "$ref") at = typeof at["$ref"] === "string" ? resolve(root, at["$ref"]) : undefined
    else at = Object.hasOwn(at, key) ? at[key] : undefined
  }
  return isSchema(at) ? at : undefined
}

function byValue(root: JsonSchema, schema: Json | undefined, keys: readonly string[], hops = 0): JsonSchema | undefined {
  if (!isSchema(schema) || hops > 32) return undefined
  if (typeof schema["$ref"] === "string" && schema["properties"] === undefined)
    return byValue(root, resolve(root, schema["$ref"]), keys, hops + 1)
  const [key, ...rest] = keys
  if (key === undefined) return schema
  const properties = schema["properties"]
  const below =
    isSchema(properties) && Object.hasOwn(properties, key) ? properties[key] : (schema["items"] ?? schema["additionalProperties"])
  return byValue(root, below, rest, hops + 1)
}

const parts = (location: string): string[] =>
  pointer(location)
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))

function valueAt(args: JsonObject, path: string): Json | undefined {
  let at: Json | undefined = args
  for (const key of parts(path)) {
    if (Array.isArray(at)) at = at[Number(key)]
    else at = isSchema(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }
  return at
}

const isSchema = (value: Json | undefined): value is JsonSchema => isObject(value)

const article = (type: string): string => (type === "null" ? "null" : /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`)

const list = (values: unknown): string => (Array.isArray(values) ? values.map((v) => JSON.stringify(v)).join(", ") : "")

const orList = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`

function glimpse(value: Json | undefined): string {
  if (value === undefined || value === null || typeof value === "object") return kindOf(value)
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}
