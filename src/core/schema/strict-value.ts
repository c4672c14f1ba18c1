// Checks a JSON value against a JSON Schema without changing it: nothing is coerced and no default is filled in [C21, C30], so the value
// that is kept and hashed is the value that was sent.

import { isObject, type Json, type JsonSchema } from "../json.ts"
import { messageOf } from "../text/fault-text.ts"
import { short } from "../text/pointer.ts"
import { copyArgs } from "./arg-value.ts"
import { judgeOf } from "./judge.ts"
import { measure } from "./measure.ts"
import { bySchema } from "./rule.ts"
import { schemaFaults } from "./schema-fault.ts"
import { argErrors } from "./sentence.ts"

export interface ValueFault {
  /** JSON Pointer into the value. */
  readonly path: string
  readonly message: string
}

/** Of a copy of the schema that no caller changes. */
const judgeFor = bySchema((schema) => judgeOf(JSON.parse(JSON.stringify(schema))))

/** All faults of the value; empty if it fits. Never throws. */
export function valueFaults(schema: JsonSchema, value: Json): readonly ValueFault[] {
  // The limits on arguments hold here too; arguments are an object, a value may be anything.
  const copied = copyArgs({ value })
  if (!copied.ok) return copied.error.map(({ path, message }) => ({ path: path.replace(/^\/value/, ""), message }))
  try {
    return argErrors(judgeFor(schema).findings(copied.value["value"] ?? null, measure()))
  } catch (fault) {
    return [{ path: "", message: `the value could not be checked: ${reason(fault)}` }]
  }
}

const reason = (fault: unknown): string => messageOf(fault, "the schema is not usable")

/** The reason why a schema cannot be used; undefined: it can. A dangling reference is reported when the schema is written, not when it is used. */
export function schemaFault(schema: unknown): string | undefined {
  if (!isObject(schema)) return "must be a JSON Schema: an object"
  const root = schema as JsonSchema
  const lost = lostReference(schema, schema)
  if (lost !== undefined) return `a $ref leads to #/$defs/NAME or #/definitions/NAME of this schema; ${short(lost)} does not`
  const [first] = schemaFaults(root, { isOwn: true })
  if (first) return `cannot be used: ${first.pointer || "it"} ${first.message}`
  try {
    judgeFor(root).findings({}, measure())
    return undefined
  } catch (fault) {
    return `cannot be used: ${reason(fault)}`
  }
}

/** A `$ref` to anything but the schema's own definitions. */
function lostReference(root: Readonly<Record<string, unknown>>, part: unknown, depth = 0): string | undefined {
  if (typeof part !== "object" || part === null || depth > 64) return undefined
  if (isObject(part) && typeof part["$ref"] === "string") {
    const [, where = "", name = ""] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(part["$ref"]) ?? []
    const known = root[where]
    if (!isObject(known) || !Object.hasOwn(known, name)) return part["$ref"]
  }
  for (const inner of Object.values(part)) {
    const lost = lostReference(root, inner, depth + 1)
    if (lost !== undefined) return lost
  }
  return undefined
}
