// A JSON value against a JSON Schema as it stands: nothing is coerced, no default is filled in [C21, C30]. What is kept, and hashed, is
// what was sent.

import { canonical, isObject, type Json, type JsonSchema } from "./json.ts"
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
  if (canonical(result.value["value"]) !== canonical(value))
    return [{ path: "", message: "has a value of another type than the schema asks for, or lacks one that has a default" }]
  return []
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
  if (/"\$ref":"#(?!\/(?:\$defs|definitions)\/)/.test(JSON.stringify(schema))) return "a $ref leads into #/$defs or #/definitions only"
  const tried = valueFaults(root, {})
  const broken = tried.find(({ message }) => message.startsWith("the arguments could not be checked"))
  return broken?.message.replace("the arguments could not be checked", "cannot be used")
}
