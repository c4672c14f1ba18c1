// Schemas of an OpenAPI document as JSON Schema 2020-12 [T26]: local references put in place, words that say nothing left out.

import { isObject, type Json, type JsonObject } from "./json.ts"

/** A reference deeper than this is `any`: schemas that hold themselves would never end. */
const MOST_NESTING = 12

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

/** The schema with its references in place, in the words of JSON Schema 2020-12. */
export function inlined(root: Record<string, unknown>, schema: unknown, depth = 0): Json {
  if (typeof schema === "boolean") return schema
  if (!isObject(schema) || depth > MOST_NESTING) return {}
  if (typeof schema["$ref"] === "string") {
    const target = resolved(root, schema)
    return target === undefined ? {} : inlined(root, target, depth + 1)
  }
  const out: JsonObject = {}
  for (const [key, value] of Object.entries(schema)) {
    if (DROPPED.has(key) || key.startsWith("x-") || key === "__proto__") continue
    if (key === "properties" || key === "patternProperties" || key === "$defs") {
      if (isObject(value))
        out[key] = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, inlined(root, part, depth + 1)]))
    } else if (Array.isArray(value) && /^(allOf|anyOf|oneOf|prefixItems)$/.test(key))
      out[key] = value.map((part) => inlined(root, part, depth + 1))
    else if (/^(items|additionalProperties|not|contains|propertyNames|if|then|else)$/.test(key)) out[key] = inlined(root, value, depth + 1)
    else out[key] = value as Json
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
