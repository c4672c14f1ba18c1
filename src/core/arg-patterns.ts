// `pattern` in a schema, judged in linear time. The validator's own check is a backtracking regular expression, and both the
// pattern (an agent's output [F51]) and the text (a model's answer) come from outside: together they could stop a run's object.
//
// Patterns are taken out exactly where the walk below comes by (properties, items, allOf) and checked there. Elsewhere, and
// where one needs what the linear matcher lacks (look-around, back-references), the validator keeps it.

import { escapePointer, shown, type ArgError } from "./arg-value.ts"
import type { Json, JsonSchema } from "./json.ts"
import { isObject } from "./json.ts"
import { compilePattern, type Pattern } from "./linear-pattern.ts"

/** The schema as the validator gets it. */
export function withoutPatterns(schema: JsonSchema): JsonSchema {
  const out: Record<string, Json> = { ...schema }
  if (patternOf(schema) !== undefined) delete out["pattern"]
  const { properties, items, allOf } = schema
  if (isSchema(properties)) out["properties"] = Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, strip(part)]))
  if (items !== undefined && schema["prefixItems"] === undefined) out["items"] = strip(items)
  if (Array.isArray(allOf)) out["allOf"] = allOf.map(strip)
  return out
}

const strip = (part: Json): Json => (isSchema(part) ? withoutPatterns(part) : part)

/** What the removed patterns would have said. Meant for a value that is otherwise being validated. */
export function patternErrors(schema: Json | undefined, value: Json, path = ""): ArgError[] {
  if (!isSchema(schema)) return []
  const errors: ArgError[] = []
  if (typeof value === "string") {
    const pattern = patternOf(schema)
    if (pattern !== undefined && !pattern.test(value)) errors.push({ path, message: `must match ${shown(schema["pattern"])}` })
  }
  const { properties, items, allOf } = schema
  if (isSchema(properties) && isSchema(value)) {
    for (const [name, part] of Object.entries(properties)) {
      const item = Object.hasOwn(value, name) ? value[name] : undefined
      if (item !== undefined) errors.push(...patternErrors(part, item, `${path}/${escapePointer(name)}`))
    }
  }
  if (items !== undefined && schema["prefixItems"] === undefined && Array.isArray(value)) {
    value.forEach((item: Json, i) => errors.push(...patternErrors(items, item, `${path}/${i}`)))
  }
  if (Array.isArray(allOf)) for (const part of allOf) errors.push(...patternErrors(part, value, path))
  return errors
}

const compiled = new WeakMap<JsonSchema, { readonly pattern: Pattern | undefined }>()

/** undefined: there is none, or the validator keeps it. */
function patternOf(schema: JsonSchema): Pattern | undefined {
  const known = compiled.get(schema)
  if (known !== undefined) return known.pattern
  const source = schema["pattern"]
  const result = typeof source === "string" ? compilePattern(source) : undefined
  const pattern = result?.ok === true ? result.value : undefined
  compiled.set(schema, { pattern })
  return pattern
}

const isSchema = (value: Json | undefined): value is JsonSchema => isObject(value)
