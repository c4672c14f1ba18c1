// Extracts the part of an MCP tool's schema that can be judged here [T27, G6]: a `pattern` with look-around or back-references (an e-mail
// address of zod's has one) cannot be matched in linear time, and is left to the server. It is removed only where that makes the schema
// weaker: below `not`, `if` or `oneOf` the meaning would change, so it stays there, and the tool is reported as unusable.

import { isObject, type Json, type JsonObject, type JsonSchema } from "../json.ts"
import { compilePattern } from "./linear-pattern.ts"
import { holdingOf, withSchemas } from "./schema-keyword.ts"

/** Where parts that say less make the whole say less. */
const LESS: ReadonlySet<string> = new Set("properties allOf anyOf prefixItems items additionalProperties".split(" "))
/** There too, as long as they are asked for from such places only. */
const DEFINITIONS: ReadonlySet<string> = new Set(["$defs", "definitions"])

/** There is no limit of depth: the reader of `schema` has already limited it. */
export function judgeable(schema: JsonSchema): JsonSchema {
  return less(schema, !isReferredToElsewhere(schema))
}

function less(schema: JsonSchema, withDefinitions: boolean): JsonSchema {
  const out: JsonObject = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key === "pattern" && typeof value === "string" && isBeyondUs(value)) continue
    const holding = LESS.has(key) || (withDefinitions && DEFINITIONS.has(key)) ? holdingOf(key) : undefined
    out[key] = holding ? withSchemas(value, holding, (part) => (isObject(part) ? less(part, withDefinitions) : part)) : value
  }
  return out
}

/** Does a `$ref` stand where less would be something else? Then what it names has to stay whole. */
function isReferredToElsewhere(schema: JsonSchema): boolean {
  let found = false
  for (const [key, value] of Object.entries(schema)) {
    const holding = holdingOf(key)
    if (!holding) continue
    if (!LESS.has(key) && !DEFINITIONS.has(key)) found ||= /"\$ref"/.test(JSON.stringify(value))
    else
      withSchemas(value, holding, (part: Json) => {
        if (isObject(part)) found ||= isReferredToElsewhere(part)
        return part
      })
  }
  return found
}

/** A regular expression, and none that is matched in linear time. What is none at all is a fault of the schema. */
function isBeyondUs(pattern: string): boolean {
  if (compilePattern(pattern).ok) return false
  try {
    return new RegExp(pattern, "u") instanceof RegExp
  } catch {
    return false
  }
}
