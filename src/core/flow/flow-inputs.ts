// Checks the inputs of a start against a flow's typed inputs [H3]: missing, wrong type, unknown. Fills in defaults.

import { z } from "zod"
import type { Json, JsonObject } from "../json.ts"
import { NOT_EXACT, wholeIn } from "../outside/exact-json.ts"
import { nearest } from "../text/nearest.ts"
import { pointerStep, short } from "../text/pointer.ts"
import { err, ok, type Result } from "../result.ts"

/** More unknown names than this would only flood the reader. */
const MAX_FAULTS = 50 // limit: unknown inputs that one refusal names → further ones are not named

export interface InputFault {
  readonly pointer: string
  readonly message: string
  readonly suggestion?: string
}

/** A flow's `InputSpec`, as stored with the pins. */
const Spec = z.object({ type: z.string(), required: z.boolean(), default: z.json().exactOptional() })

/** `specs` is the flow's `inputs` by name. */
export function checkInputs(specs: JsonObject, given: JsonObject): Result<JsonObject, readonly InputFault[]> {
  const names = Object.keys(specs)
  const strangers = Object.keys(given).filter((name) => !Object.hasOwn(specs, name))
  const errors: InputFault[] = strangers.slice(0, MAX_FAULTS + 1).map((name) => unknown(name, names))
  const values: [string, Json][] = []
  for (const name of names) {
    const { type, required, default: otherwise } = Spec.parse(specs[name])
    const value = Object.hasOwn(given, name) ? given[name] : otherwise
    const pointer = `/inputs${pointerStep(name)}`
    if (value === undefined) {
      if (required) errors.push({ pointer, message: `the flow needs the input "${name}" (${type})` })
    } else if (value === otherwise || typeOf(value) === type) values.push([name, value])
    else if (type === "number" && wholeIn(value) !== undefined)
      errors.push({ pointer, message: `must be of type number, but has too many digits for one: ${NOT_EXACT}` })
    else errors.push({ pointer, message: `must be of type ${type}, but is of type ${typeOf(value)}` })
  }
  return errors.length > 0 ? err(errors) : ok(Object.fromEntries(values))
}

function typeOf(value: Json): string {
  if (value === null) return "null"
  return Array.isArray(value) ? "array" : typeof value
}

function unknown(name: string, names: readonly string[]): InputFault {
  const pointer = `/inputs${pointerStep(name)}`
  if (names.length === 0)
    return {
      pointer,
      message: `the flow declares no inputs, but the start gives "${short(name)}"`,
      suggestion: "declare it under `inputs:` in the flow",
    }
  const near = nearest(name, names)
  return {
    pointer,
    message: `unknown input "${short(name)}"`,
    suggestion: near === undefined ? `the flow's inputs: ${names.join(", ")}` : `did you mean "${near}"?`,
  }
}
