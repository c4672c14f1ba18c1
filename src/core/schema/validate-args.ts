// Validates arguments against a tool's JSON Schema 2020-12 [G6]: copies and coerces them, fills in defaults, and checks them. Never throws:
// every fault is an error in the list [G10]. The messages are what a model reads when it tries again, so each names its field.

import type { Json, JsonObject, JsonSchema } from "../json.ts"
import { isObject } from "../json.ts"
import { err, ok, type Result } from "../result.ts"
import { messageOf } from "../text/fault-text.ts"
import { copyArgs, type ArgError } from "./arg-value.ts"
import { coerce } from "./coerce-args.ts"
import { judgeOf } from "./judge.ts"
import { measure } from "./measure.ts"
import { bySchema } from "./rule.ts"
import { argErrors } from "./sentence.ts"

export type { ArgError } from "./arg-value.ts"

export function validateArgs(schema: JsonSchema, args: unknown): Result<JsonObject, ArgError[]> {
  try {
    const copied = copyArgs(args, isObject(schema["properties"]) ? schema["properties"] : {})
    if (!copied.ok) return copied
    const { own, judge } = ready(schema)
    const on = measure()
    const filled = withDefaults(own, copied.value)
    const coerced = coerce(own, filled.args, judge, on)
    const value = isObject(coerced) ? coerced : filled.args
    // A default is read like an argument. One that does not fit even so says nothing: it must not spoil every call without that argument.
    for (const [name, property] of filled.added) if (!judge.fits(property, value[name] ?? null, on)) delete value[name]
    const errors = argErrors(judge.findings(value, on))
    return errors.length === 0 ? ok(value) : err(errors)
  } catch (fault) {
    // The schema is unusable (a $ref that leads nowhere, a pattern that cannot be matched) or too costly: no call can be judged by it.
    const why = messageOf(fault, "the tool's schema is not usable")
    return err([{ path: "", message: `the arguments could not be checked: ${why}` }])
  }
}

/** A copy of the schema that no caller changes, and its judge. Most calls meet a schema seen before. */
const ready = bySchema((schema) => {
  const own: JsonSchema = JSON.parse(JSON.stringify(schema))
  return { own, judge: judgeOf(own) }
})

interface Filled {
  readonly args: JsonObject
  readonly added: readonly (readonly [name: string, property: JsonSchema])[]
}

function withDefaults(schema: JsonSchema, args: JsonObject): Filled {
  const properties = schema["properties"]
  if (!isObject(properties)) return { args, added: [] }
  const added = Object.entries(properties).flatMap(([name, property]) =>
    isObject(property) && "default" in property && !Object.hasOwn(args, name) ? [[name, property as JsonSchema] as const] : [],
  )
  const defaults = added.map(([name, property]) => [name, JSON.parse(JSON.stringify(property["default"])) as Json] as const)
  return { args: { ...args, ...Object.fromEntries(defaults) }, added }
}
