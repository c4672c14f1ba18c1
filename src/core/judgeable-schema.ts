// The part of an MCP tool's schema that can be judged here [T27, G6]: a `pattern` with look-around or back-references (an e-mail address
// of zod's has one) cannot be matched in linear time, and is left to the server, which knows its own arguments. Left out only where the
// schema then says less: below `not`, `if` or `oneOf` less would be something else, so there it stays, and the tool is told to be unusable.

import { isObject, type Json, type JsonObject, type JsonSchema } from "./json.ts"
import { compilePattern } from "./linear-pattern.ts"

const MAPS: ReadonlySet<string> = new Set(["properties", "$defs", "definitions"])
const LISTS: ReadonlySet<string> = new Set(["allOf", "anyOf", "prefixItems"])
const PARTS: ReadonlySet<string> = new Set(["items", "additionalProperties"])

/** The same object where there is nothing to leave out in it. `schema` is at most as deep as its reader lets it be: no limit here. */
export function judgeable(schema: JsonSchema): JsonSchema {
  const out: JsonObject = {}
  let changed = false
  for (const [key, value] of Object.entries(schema)) {
    if (key === "pattern" && typeof value === "string" && !compilePattern(value).ok) {
      changed = true
      continue
    }
    const part = within(key, value)
    changed ||= part !== value
    out[key] = part
  }
  return changed ? out : schema
}

function within(key: string, value: Json): Json {
  if (PARTS.has(key)) return isObject(value) ? judgeable(value) : value
  if (LISTS.has(key) && Array.isArray(value)) {
    const parts = value.map((part) => (isObject(part) ? judgeable(part) : part))
    return parts.some((part, i) => part !== value[i]) ? parts : value
  }
  if (!MAPS.has(key) || !isObject(value)) return value
  const entries = Object.entries(value)
  const members = entries.map(([name, part]): [string, Json] => [name, isObject(part) ? judgeable(part) : part])
  return members.some(([, part], i) => part !== entries[i]?.[1]) ? Object.fromEntries(members) : value
}
