// From a delivery to a run's task and inputs [W1]: templates over the trigger alone. What is inserted is never looked at again.
//
// A value that is exactly one reference keeps its JSON type; one that has no value is an input not given, so the flow's default holds.

import { follow } from "../text/follow.ts"
import { checkInputs } from "../flow/flow-inputs.ts"
import { asText, expand, references } from "../flow/template.ts"
import { isObject, type Json, type JsonObject } from "../json.ts"
import { nearest } from "../text/nearest.ts"
import { pointerStep, short } from "../text/pointer.ts"
import { err, ok, type Result } from "../result.ts"
import type { Mapping } from "./hook.ts"
import type { Payload } from "./payload.ts"

export interface MappingFault {
  readonly pointer: string
  readonly message: string
  readonly suggestion?: string
}

/** Characters that task and inputs of one delivery may have together. */
export const MOST_GIVEN = 2_000_000
const MOST_TEMPLATE = 20_000
const MOST_INPUTS = 100
const KEYS = ["task", "inputs"]
const PARTS = ["headers", "body", "query"]

/** `pointer`: where the mapping stands. */
export function readMapping(given: unknown, pointer: string): Result<Mapping, readonly MappingFault[]> {
  if (!isObject(given)) return err([{ pointer, message: "must be an object with task and inputs" }])
  const faults: MappingFault[] = Object.keys(given)
    .filter((key) => !KEYS.includes(key))
    .slice(0, MOST_INPUTS)
    .map((key) => ({
      pointer: pointer + pointerStep(key),
      message: `unknown field ${JSON.stringify(short(key))}`,
      suggestion: hint(key, KEYS),
    }))
  const { task, inputs = {} } = given
  if (task !== undefined) {
    if (typeof task === "string") faults.push(...templateFaults(task, `${pointer}/task`))
    else faults.push({ pointer: `${pointer}/task`, message: "must be a template, a text" })
  }
  if (!isObject(inputs)) faults.push({ pointer: `${pointer}/inputs`, message: "must be an object: input → template" })
  else if (Object.keys(inputs).length > MOST_INPUTS)
    faults.push({ pointer: `${pointer}/inputs`, message: `has more than ${MOST_INPUTS} inputs` })
  else
    for (const [name, value] of Object.entries(inputs))
      if (typeof value === "string") faults.push(...templateFaults(value, `${pointer}/inputs${pointerStep(name)}`))
  if (faults.length > 0) return err(faults)
  return ok({
    ...(typeof task === "string" ? { task } : {}),
    // Checked above; what came as JSON is JSON.
    ...(isObject(inputs) && Object.keys(inputs).length > 0 ? { inputs: inputs as JsonObject } : {}),
  })
}

/** What a template of a hook must not say: anything but `trigger.headers`, `trigger.body` and `trigger.query`. */
export function templateFaults(text: string, pointer: string): MappingFault[] {
  if (text.length > MOST_TEMPLATE) return [{ pointer, message: `is longer than ${MOST_TEMPLATE} characters` }]
  return references(text).flatMap(({ ref, raw }): MappingFault[] => {
    const fault = (message: string, suggestion?: string): MappingFault[] => [
      { pointer, message: `${short(raw)} ${message}`, ...(suggestion === undefined ? {} : { suggestion }) },
    ]
    if (ref === undefined) return fault("is no form that templates know", "write $${{ if it is to stay as it is")
    if (ref.root !== "trigger") return fault("is not known here: a hook's templates see the trigger alone", "${{trigger.body.FIELD}}")
    const [part = "", name, ...more] = ref.path
    if (!PARTS.includes(part)) return fault("is no part of the trigger", hint(part, PARTS))
    if (part === "body") return []
    if (name === undefined || (part === "headers" && more.length > 0)) return fault(`needs one name: \${{trigger.${part}.NAME}}`)
    if (part === "headers" && name !== name.toLowerCase())
      return fault("never has a value: header names are in lower case", `\${{trigger.headers.${name.toLowerCase()}}}`)
    return []
  })
}

/** Why no delivery could ever start the flow so: an input that it does not have or that is another type whatever is sent, one that it
 *  needs and is not given, a task that it needs. */
export function startFaults(
  { task, inputs = {} }: Mapping,
  flow: { readonly inputs: JsonObject; readonly task_required: boolean },
  pointer: string,
): MappingFault[] {
  // What a lone reference will bring nobody knows: it may be what is asked for.
  const open = new Set(
    Object.entries(inputs).flatMap(([name, value]) => (typeof value === "string" && only(value) !== undefined ? [name] : [])),
  )
  const isOpen = (name: string): boolean => open.has(name) && Object.hasOwn(flow.inputs, name)
  const specs = Object.entries(flow.inputs).map(([name, spec]): [string, Json] => [
    name,
    isOpen(name) && isObject(spec) ? { ...spec, required: false } : (spec ?? null),
  ])
  const fixed = Object.entries(inputs).filter(([name]) => !isOpen(name))
  const checked = checkInputs(Object.fromEntries(specs), Object.fromEntries(fixed))
  const faults: MappingFault[] = checked.ok ? [] : checked.error.map((fault) => ({ ...fault, pointer: pointer + fault.pointer }))
  if (flow.task_required && (task ?? "").trim() === "") faults.push({ pointer: `${pointer}/task`, message: "is required by the flow" })
  return faults
}

export function given({ task, inputs = {} }: Mapping, payload: Payload): Result<{ task: string; inputs: JsonObject }, string> {
  let left = MOST_GIVEN
  const fill = (template: string): string => {
    const { text, cut } = expand(template, (ref) => textOf(lookUp(payload, ref)), undefined, Math.max(0, left))
    left -= cut ? left + 1 : text.length
    return text
  }
  const values = Object.entries(inputs).flatMap(([name, value]): [string, Json][] => {
    if (typeof value !== "string") return [[name, value]]
    const alone = only(value)
    if (alone === undefined) return [[name, fill(value)]]
    const found = lookUp(payload, alone)
    left -= found === undefined ? 0 : asText(found).length
    return found === undefined ? [] : [[name, found]]
  })
  const said = { task: task === undefined ? "" : fill(task), inputs: Object.fromEntries(values) }
  return left < 0 ? err(`task and inputs grow beyond ${MOST_GIVEN} characters`) : ok(said)
}

/** A template as text, for `dedupe`; empty when nothing of it has a value. */
export const rendered = (template: string, payload: Payload): string => {
  const { text, missing } = expand(template, (ref) => textOf(lookUp(payload, ref)), undefined, MOST_TEMPLATE)
  return missing.length > 0 && missing.length === references(template).length ? "" : text.trim()
}

type Reference = NonNullable<ReturnType<typeof references>[number]["ref"]>

/** The reference that a template is nothing else than. */
function only(template: string): Reference | undefined {
  const [first, ...more] = references(template)
  return first?.ref && more.length === 0 && first.raw === template.trim() ? first.ref : undefined
}

const lookUp = (payload: Payload, ref: Reference): Json | undefined =>
  ref.root === "trigger" ? follow({ headers: payload.headers, body: payload.body, query: payload.query }, ref.path) : undefined

const textOf = (value: Json | undefined): string | undefined => (value === undefined || value === null ? undefined : asText(value))

const hint = (word: string, known: readonly string[]): string => {
  const near = nearest(word, known)
  return near === undefined ? `known: ${known.join(", ")}` : `did you mean "${near}"?`
}
