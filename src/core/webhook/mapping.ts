// Turns a delivery into a run's task and inputs [W1], with templates that see only the trigger. Inserted text is never expanded again.
//
// A template that is exactly one reference keeps the value's JSON type. If the reference has no value, the input is not given and the
// flow's default applies.

import { defined } from "../defined.ts"
import { follow } from "../text/follow.ts"
import { asText, expand, firstOf, forms, onlyOperands, references, type TemplateReference } from "../flow/template.ts"
import { isObject, type Json, type JsonObject } from "../json.ts"
import { meant, written } from "../text/member-path.ts"
import { nearest } from "../text/nearest.ts"
import { pointerStep, short } from "../text/pointer.ts"
import { err, ok, type Result } from "../result.ts"
import { GivenFiles, namedFiles, type GivenFile } from "../run/given-file.ts"
import { openMembers } from "../run/start-members.ts"
import { Thread } from "../run/thread.ts"
import { bodyFaults } from "../schema/body-faults.ts"
import type { Mapping } from "./hook.ts"
import { saidStart } from "../start/said-start.ts"
import type { SaidStart } from "../start/start-block.ts"
import { withKeys } from "../start/start-keys.ts"
import type { TriggerStart } from "../start/start-schema.ts"
import { MOST_MISSING } from "../run/missing.ts"
import type { Payload } from "./payload.ts"

export interface MappingFault {
  readonly pointer: string
  readonly message: string
  readonly suggestion?: string
}

/** Limit: characters of task and inputs of a delivery → the delivery starts no run. */
export const MAX_GIVEN = 2_000_000
const MAX_TEMPLATE = 20_000 // limit: characters of a hook's template → 422 at the template
const MAX_INPUTS = 100 // limit: inputs of a hook's mapping → 422 at `/mapping/inputs`
const KEYS = openMembers("delivery")
const PARTS = ["headers", "body", "query"]

/** `pointer`: the JSON pointer of the mapping. */
export function readMapping(given: unknown, pointer: string): Result<Mapping, readonly MappingFault[]> {
  if (!isObject(given)) return err([{ pointer, message: "must be an object with task, inputs, files and thread" }])
  const faults: MappingFault[] = Object.keys(given)
    .filter((key) => !KEYS.includes(key))
    .slice(0, MAX_INPUTS)
    .map((key) => ({
      pointer: pointer + pointerStep(key),
      message: `unknown field ${JSON.stringify(short(key))}`,
      suggestion: hint(key, KEYS),
    }))
  const { task, inputs = {}, files = {}, thread } = given
  for (const [name, template] of Object.entries({ task, thread }))
    if (typeof template === "string") faults.push(...templateFaults(template, `${pointer}/${name}`))
    else if (template !== undefined) faults.push({ pointer: `${pointer}/${name}`, message: "must be a text with a template" })
  if (!isObject(inputs)) faults.push({ pointer: `${pointer}/inputs`, message: "must be an object: input → template" })
  else if (Object.keys(inputs).length > MAX_INPUTS)
    faults.push({ pointer: `${pointer}/inputs`, message: `has more than ${MAX_INPUTS} inputs` })
  else
    for (const [name, value] of Object.entries(inputs))
      if (typeof value === "string") faults.push(...templateFaults(value, `${pointer}/inputs${pointerStep(name)}`))
  const read = GivenFiles.safeParse(files)
  if (!read.success) faults.push(...bodyFaults(GivenFiles, files, read.error.issues, MAX_INPUTS, `${pointer}/files`))
  else faults.push(...fileFaults(read.data, `${pointer}/files`))
  if (faults.length > 0 || !read.success) return err(faults)
  return ok({
    ...(Object.keys(read.data).length > 0 ? { files: read.data } : {}),
    ...(typeof task === "string" ? { task } : {}),
    ...(typeof thread === "string" ? { thread } : {}),
    // Checked above; what came as JSON is JSON.
    ...(isObject(inputs) && Object.keys(inputs).length > 0 ? { inputs: inputs as JsonObject } : {}),
  })
}

function fileFaults(files: GivenFiles, pointer: string): MappingFault[] {
  const named = namedFiles(files, pointer)
  if (!named.ok) return named.error
  return named.value.flatMap(({ at, file }) => {
    const [member, template] = templateOf(file)
    return templateFaults(template, member === undefined ? at : `${at}/${member}`)
  })
}

/** The template of a file, and the member that holds it. */
function templateOf(file: GivenFile): readonly [member: "text" | "base64" | "object" | undefined, template: string] {
  if (typeof file === "string") return [undefined, file]
  const { text, base64, object } = file
  return text !== undefined ? ["text", text] : base64 !== undefined ? ["base64", base64] : ["object", object ?? ""]
}

/** Faults of a hook's template, which may refer only to `trigger.headers`, `trigger.body` and `trigger.query`. */
export function templateFaults(text: string, pointer: string): MappingFault[] {
  if (text.length > MAX_TEMPLATE) return [{ pointer, message: `is longer than ${MAX_TEMPLATE} characters` }]
  return references(text).flatMap(({ ref, raw }): MappingFault[] => {
    const fault = (message: string, suggestion?: string): MappingFault[] => [
      { pointer, message: `${short(raw)} ${message}`, ...defined({ suggestion }) },
    ]
    if (ref === undefined) {
      const other = meant(raw.slice("${{".length).replace(/\}\}$/, ""))
      if (other?.names[0] === "trigger") return fault(`is not a valid template: ${other.how}`, `\${{${written(other.names, "'")}}}`)
      return fault("is not a valid template", "to keep it as literal text, write $${{")
    }
    if (ref.root !== "trigger") return fault("is not available here: a hook's templates see only the trigger", "${{trigger.body.FIELD}}")
    const [part = "", name, ...more] = ref.path
    if (!PARTS.includes(part)) return fault("is not a part of the trigger", hint(part, PARTS))
    if (part === "body") return []
    if (name === undefined || (part === "headers" && more.length > 0)) return fault(`needs one name: \${{trigger.${part}.NAME}}`)
    if (part === "headers" && name !== name.toLowerCase())
      return fault("never has a value: header names are lowercase", `\${{trigger.headers.${name.toLowerCase()}}}`)
    return []
  })
}

/** The inputs that are a single reference: a delivery may give them any value, or none. */
export const openInputs = (inputs: JsonObject): ReadonlySet<string> =>
  new Set(Object.entries(inputs).flatMap(([name, value]) => (typeof value === "string" && only(value) !== undefined ? [name] : [])))

interface Given {
  readonly task: string
  readonly inputs: JsonObject
  readonly files?: GivenFiles
  readonly thread?: string
  /** [F40] References that have no value in this delivery. */
  readonly missing?: readonly string[]
}

export function given({ task, inputs = {}, files = {}, thread }: Mapping, payload: Payload): Result<Given, string> {
  let left = MAX_GIVEN
  const missing = new Set<string>()
  const fill = (template: string): string => {
    const { text, cut, missing: empty } = expand(template, (ref) => textOf(lookUp(payload, ref)), undefined, Math.max(0, left))
    for (const expr of empty) missing.add(expr)
    left -= cut ? left + 1 : text.length
    return text
  }
  const look = ({ refs, expr }: Only): Json | undefined => {
    const [ref, ...more] = refs
    const found = ref && more.length === 0 ? lookUp(payload, ref) : firstOf(refs, (one) => lookUp(payload, one) ?? undefined)
    if (textOf(found) === undefined) missing.add(expr)
    return found
  }
  const values = Object.entries(inputs).flatMap(([name, value]): [string, Json][] => {
    if (typeof value !== "string") return [[name, value]]
    const alone = only(value)
    if (alone === undefined) return [[name, fill(value)]]
    const found = look(alone)
    left -= found === undefined ? 0 : asText(found).length
    return found === undefined ? [] : [[name, found]]
  })
  // A file whose template is one reference without a value is not given, like an input.
  const filledFiles = Object.entries(files).flatMap(([path, file]): [string, GivenFile][] => {
    const [member, template] = templateOf(file)
    const alone = only(template)
    if (alone !== undefined && look(alone) === undefined) return []
    const text = fill(template)
    return [[path, member === undefined || typeof file === "string" ? text : { ...file, [member]: text }]]
  })
  // [P1] A template that comes out empty names no thread.
  const named = thread === undefined ? "" : fill(thread).trim()
  if (left >= 0 && named !== "" && !Thread.safeParse(named).success)
    return err(`the thread ${JSON.stringify(short(named))} must have 1 to 256 printable ASCII characters`)
  const text = task === undefined ? "" : fill(task)
  const filled = {
    task: text,
    inputs: Object.fromEntries(values),
    ...(filledFiles.length > 0 ? { files: Object.fromEntries(filledFiles) } : {}),
    ...(named === "" ? {} : { thread: named }),
    ...(missing.size > 0 ? { missing: [...missing].slice(0, MOST_MISSING).map(short) } : {}),
  }
  return left < 0 ? err(`task, inputs, files and thread grow beyond ${MAX_GIVEN} characters`) : ok(filled)
}

/** A template as text, for `dedupe`; empty when none of its references has a value. */
export const rendered = (template: string, payload: Payload): string => {
  const { text, missing } = expand(template, (ref) => textOf(lookUp(payload, ref)), undefined, MAX_TEMPLATE)
  return missing.length > 0 && missing.length === forms(template).length ? "" : text.trim()
}

/** [R4] The block of a hook with its keys read: they see the trigger alone. */
export const hookStart = (start: TriggerStart, payload: Payload | undefined): SaidStart =>
  withKeys(saidStart(start), (key) => expand(key, (ref) => textOf(payload && lookUp(payload, ref)), undefined, MAX_TEMPLATE).text)

interface Only {
  readonly refs: readonly TemplateReference[]
  readonly expr: string
}

/** The operands of a template that consists of exactly one form. */
function only(template: string): Only | undefined {
  const refs = onlyOperands(template)
  return refs && { refs, expr: forms(template)[0]?.expr ?? "" }
}

const lookUp = (payload: Payload, ref: TemplateReference): Json | undefined =>
  ref.root === "trigger" ? follow({ headers: payload.headers, body: payload.body, query: payload.query }, ref.path) : undefined

const textOf = (value: Json | undefined): string | undefined => (value === undefined || value === null ? undefined : asText(value))

const hint = (word: string, known: readonly string[]): string => {
  const near = nearest(word, known)
  return near === undefined ? `known: ${known.join(", ")}` : `did you mean "${near}"?`
}
