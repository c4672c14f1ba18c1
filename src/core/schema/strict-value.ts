// A JSON value against a JSON Schema as it stands: nothing is coerced, no default is filled in [C21, C30]. What is kept, and hashed, is
// what was sent.

import { canonical, isObject, type Json, type JsonObject, type JsonSchema } from "../json.ts"
import { pointerStep, short } from "../text/pointer.ts"
import { schemaFaults } from "./schema-fault.ts"
import { validateArgs } from "./validate-args.ts"

export interface ValueFault {
  /** JSON Pointer into the value. */
  readonly path: string
  readonly message: string
}

const wrapped = new WeakMap<JsonSchema, JsonSchema>()

/** Everything that is wrong with it; none: it fits. Never throws. */
export function valueFaults(schema: JsonSchema, value: Json): readonly ValueFault[] {
  const whole = { value }
  const result = validateArgs(wrap(schema), whole)
  if (!result.ok)
    return result.error.map(({ path, message }) => ({ path: path.replace(/^\/?value(?=[/.]|$)/, "").replace(/^\./, "/"), message }))
  const path = changedAt(value, result.value["value"] ?? null)
  return path === undefined ? [] : [{ path, message: "is of another type than the schema asks for" }]
}

/** Where a value that was coerced is no longer what was sent. */
function changedAt(sent: Json, made: Json, at = ""): string | undefined {
  if (canonical(sent) === canonical(made)) return undefined
  if (Array.isArray(sent) && Array.isArray(made) && sent.length === made.length)
    for (const [i, item] of sent.entries()) {
      const path = changedAt(item, made[i] ?? null, `${at}/${i}`)
      if (path !== undefined) return path
    }
  if (isObject(sent) && isObject(made))
    for (const [key, item] of Object.entries(sent as JsonObject)) {
      const path = changedAt(item, (made as JsonObject)[key] ?? null, at + pointerStep(key))
      if (path !== undefined) return path
    }
  return at
}

/** A schema may speak of any value, arguments are objects. References inside it keep their root. */
function wrap(schema: JsonSchema): JsonSchema {
  const known = wrapped.get(schema)
  if (known) return known
  const { $defs, definitions, $id: _id, $schema: _dialect, ...rest } = schema
  const made: JsonSchema = {
    type: "object",
    properties: { value: rest },
    required: ["value"],
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  }
  wrapped.set(schema, made)
  return made
}

/** Can it be used at all? A reference that leads nowhere is found when the schema is written, not when it is needed. */
export function schemaFault(schema: unknown): string | undefined {
  if (!isObject(schema)) return "must be a JSON Schema: an object"
  const root = schema as JsonSchema
  const lost = lostReference(schema, schema)
  if (lost !== undefined) return `a $ref leads to #/$defs/NAME or #/definitions/NAME of this schema; ${short(lost)} does not`
  const [first] = schemaFaults(root)
  if (first) return `cannot be used: ${first.pointer || "it"} ${first.message}`
  const tried = valueFaults(root, {})
  const broken = tried.find(({ message }) => message.startsWith("the arguments could not be checked"))
  return broken?.message.replace("the arguments could not be checked", "cannot be used")
}

/** A `$ref` that is none of the schema's own definitions. */
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
