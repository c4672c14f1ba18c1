// Arguments against a tool's JSON Schema 2020-12 [G6]: copied, coerced, defaults filled in, judged. Never throws; whatever goes
// wrong is an error in the list [G10]. The messages are what a model reads when it tries again: each names its field.

import { copyArgs, type ArgError } from "./arg-value.ts"
import { coerce } from "./coerce-args.ts"
import { readableErrors } from "./arg-errors.ts"
import { boundedSchema, steps, type BoundedSchema } from "./bounded-schema.ts"
import type { Json, JsonObject, JsonSchema } from "../json.ts"
import { isObject } from "../json.ts"
import { err, ok, type Result } from "../result.ts"

export type { ArgError } from "./arg-value.ts"

export function validateArgs(schema: JsonSchema, args: unknown): Result<JsonObject, ArgError[]> {
  try {
    const copied = copyArgs(args)
    if (!copied.ok) return copied
    const checker = checkerOf(schema)
    const on = steps()
    const judge = checker.bounded.judge(withDefaults(checker.schema, copied.value), on)
    const coerced = coerce(checker.schema, copied.value, judge.fits, on)
    const value = withDefaults(checker.schema, isObject(coerced) ? coerced : copied.value)
    const errors = readableErrors(checker.schema, judge.errors(value), value)
    return errors.length === 0 ? ok(value) : err(limited(errors))
  } catch (fault) {
    // A schema that cannot be used (an unresolved $ref, a regular expression that is none): no call of this tool can be judged.
    return err([
      {
        path: "",
        message: `the arguments could not be checked: ${fault instanceof Error ? fault.message : "the tool's schema is not usable"}`,
      },
    ])
  }
}

interface Checker {
  readonly schema: JsonSchema
  readonly bounded: BoundedSchema
}

// Most calls meet a schema seen before.
const checkers = new WeakMap<JsonSchema, Checker>()

function checkerOf(schema: JsonSchema): Checker {
  const known = checkers.get(schema)
  if (known !== undefined) return known
  const own: JsonSchema = JSON.parse(JSON.stringify(schema))
  const checker = { schema: own, bounded: boundedSchema(own) }
  checkers.set(schema, checker)
  return checker
}

function withDefaults(schema: JsonSchema, args: JsonObject): JsonObject {
  const properties = schema["properties"]
  if (!isObject(properties)) return args
  const filled: Record<string, Json> = { ...args }
  for (const [name, property] of Object.entries(properties)) {
    if (isObject(property) && "default" in property && !Object.hasOwn(args, name))
      filled[name] = JSON.parse(JSON.stringify(property["default"]))
  }
  return filled
}

const MOST = 20

/** Each fault once, in the order found; a list nobody reads to its end is cut. */
function limited(errors: readonly ArgError[]): ArgError[] {
  const once = [...new Map(errors.map((e) => [`${e.path}\n${e.message}`, e])).values()]
  return once.length <= MOST ? once : [...once.slice(0, MOST), { path: "", message: `and ${once.length - MOST} more errors` }]
}
