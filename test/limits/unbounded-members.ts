// The members of a JSON Schema that nothing bounds: a string without a greatest length, a list without a greatest number of items, an open
// object without a greatest number of members, a number without a range, and any value at all.

import { isObject } from "../../src/core/json.ts"

/** JSON of any shape, bounded in all by this many characters of its text. JSON Schema has no keyword for it. */
const WHOLE = "x-maxChars"

/** Their places, such as `inputs.*` or `tags[]`, each with what it lacks. */
export function unboundedMembers(schema: unknown, place = ""): string[] {
  if (!isObject(schema)) return [`${place}: any value`]
  if (schema["enum"] !== undefined || schema["const"] !== undefined || typeof schema[WHOLE] === "number") return []
  const branches = ["anyOf", "oneOf"].flatMap((key) => (Array.isArray(schema[key]) ? schema[key] : []))
  const all = Array.isArray(schema["allOf"]) ? schema["allOf"] : []
  // Whatever one part of `allOf` bounds is bounded.
  if (all.length > 0)
    return all.map((part) => unboundedMembers(part, place)).reduce((least, now) => (now.length < least.length ? now : least))
  if (branches.length > 0) return [...new Set(branches.flatMap((branch) => unboundedMembers(branch, place)))]
  const types = [schema["type"]].flat()
  if (types.length === 1 && types[0] === undefined) return [`${place}: any value`]
  return types.flatMap((type) => {
    switch (type) {
      case "string":
        return isTextBounded(schema) ? [] : [`${place}: a string without maxLength`]
      case "integer":
      case "number":
        return isNumberBounded(schema) ? [] : [`${place}: a number without a range`]
      case "array":
        return arrayMembers(schema, place)
      case "object":
        return objectMembers(schema, place)
      default:
        return []
    }
  })
}

function arrayMembers(schema: Readonly<Record<string, unknown>>, place: string): string[] {
  const inner = schema["items"] === undefined ? [] : unboundedMembers(schema["items"], `${place}[]`)
  return typeof schema["maxItems"] === "number" ? inner : [`${place}: a list without maxItems`, ...inner]
}

function objectMembers(schema: Readonly<Record<string, unknown>>, place: string): string[] {
  const step = (name: string): string => (place === "" ? name : `${place}.${name}`)
  const { properties, additionalProperties: rest, propertyNames: names } = schema
  const known = isObject(properties) ? Object.entries(properties).flatMap(([name, child]) => unboundedMembers(child, step(name))) : []
  if (rest === false) return known
  const open = typeof schema["maxProperties"] === "number" ? [] : [`${place}: an object without maxProperties`]
  const keys = isObject(names) && (names["enum"] !== undefined || isTextBounded(names)) ? [] : [`${place}: names without maxLength`]
  return [...known, ...open, ...keys, ...unboundedMembers(rest, step("*"))]
}

const isNumberBounded = (schema: Readonly<Record<string, unknown>>): boolean =>
  (typeof schema["minimum"] === "number" || typeof schema["exclusiveMinimum"] === "number") &&
  (typeof schema["maximum"] === "number" || typeof schema["exclusiveMaximum"] === "number")

/** Formats whose texts the parser of the format bounds. */
const SHORT_FORMATS: ReadonlySet<unknown> = new Set(["date-time", "uuid"])

const isTextBounded = (schema: Readonly<Record<string, unknown>>): boolean =>
  typeof schema["maxLength"] === "number" ||
  SHORT_FORMATS.has(schema["format"]) ||
  (typeof schema["pattern"] === "string" && isPatternBounded(schema["pattern"]))

/** A pattern with both anchors that repeats nothing without a greatest number. */
export function isPatternBounded(pattern: string): boolean {
  const bare = pattern.replaceAll(/\\./g, "x").replaceAll(/\[\^?\]?[^\]]*\]/g, "x")
  return bare.startsWith("^") && bare.endsWith("$") && !bare.includes("|") && !/[*+]|\{\d*,\}/.test(bare)
}
