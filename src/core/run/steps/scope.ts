// Looks up the values that a template can use [F41], [F42]: from a reference to its text, undefined if it has no value.

import { follow } from "../../text/follow.ts"
import {
  asText,
  DATA,
  expand,
  expandParts,
  firstOf,
  MAX_EXPANDED,
  onlyOperands,
  onlyTextOf,
  type ExpandedPart,
  type TemplateReference,
} from "../../flow/template.ts"
import type { Json, JsonObject } from "../../json.ts"
import { conversationText } from "../protocol/conversation.ts"
import type { Fact } from "../event.ts"
import { toldOfRound } from "../rounds/told-round.ts"
import type { Run } from "../state.ts"

export type Lookup = (ref: TemplateReference) => string | undefined

/** `inputs` are the step's own inputs, already expanded; {} while the step has none. */
export function lookup(run: Run, inputs: Readonly<Record<string, string>>): Lookup {
  return (ref) => {
    switch (ref.root) {
      case "task":
        return run.task
      case "input":
        return own(inputs, ref.name)
      case "flow.input":
        return textOf(own(run.inputs, ref.name))
      case "config":
        return textOf(own(run.plan.flow.config, ref.key))
      case "result":
        return ref.path ? textOf(typed(run, ref)) : resultField(run, ref.step, ref.field)
      case "loop": {
        const step = run.plan.steps.get(ref.step)
        if (step === undefined) return undefined
        if (ref.field === "max") return String("max_iterations" in step ? (step.max_iterations ?? 0) : 0)
        const s = own(run.steps, ref.step)
        if (step.type === "agent-loop-decision") return String(s?.entered ?? 0)
        return String(Object.values(s?.taken ?? {}).reduce((a, b) => a + b, 0))
      }
      case "fork": {
        const choice = own(run.forks, ref.step)
        return ref.field === "answer" ? choice?.answer : choice?.notes
      }
      case "until":
        return toldOfRound(own(run.steps, ref.step)?.rounds, ref.field)
      case "run":
        return run.id
      case "session":
        return run.session
      case "conversation":
        return conversationText(run.conversation ?? [])
      case "trigger":
        return textOf(follow(triggerOf(run), ref.path))
      case "thread":
      case "item":
      case "index":
        return undefined
    }
  }
}

/** [F42] The value without a field is the last assistant text, or the summary. A skipped step has only the field `status`. */
export function resultField(run: Run, id: string, field?: string): string | undefined {
  const r = own(run.steps, id)?.result
  if (!r) return undefined
  if (field === "status") return r.status
  if (r.status === "skipped") return undefined
  switch (field) {
    case undefined:
      return r.text ?? r.summary
    case "summary":
      return r.summary
    case "files":
      return r.files.map((f) => f.path).join(",")
    case "artifacts":
      return r.artifacts
    case "fullOutput":
      return r.text ?? r.summary
    case "text":
      // [F26] Of a tool step, whatever it is; of any other, an output like any.
      return (
        textOf(own(r.outputs, field)) ?? (run.plan.steps.get(id)?.type === "tool" ? (r.text ?? textOf(own(r.outputs, DATA))) : undefined)
      )
    default:
      return textOf(own(r.outputs, field))
  }
}

/** [F40] Expands a template; a reference without a value becomes a warning that names it. */
export function fill(
  run: Run,
  step: string,
  inputs: Readonly<Record<string, string>>,
  template: string,
  warnings: Fact[],
  room: Room = newRoom(),
): string {
  return onlyTextOf(fillParts(run, step, inputs, template, warnings, room))
}

/** The same in parts. */
export function fillParts(
  run: Run,
  step: string,
  inputs: Readonly<Record<string, string>>,
  template: string,
  warnings: Fact[],
  room: Room,
): ExpandedPart[] {
  const { parts, missing, cut } = expandParts(template, lookup(run, inputs), run.plan.stepIds, room.left)
  room.left -= Math.min(room.left, onlyTextOf(parts).length)
  for (const reference of missing)
    warn(warnings, step, "template_empty", `\${{${reference}}} has no value in step "${step}"; it became the empty string`)
  if (cut) warn(warnings, step, "template_cut", tooLong(step))
  return parts
}

/** The number of characters left for all templates of a step, or of a flow's outputs, together. */
export interface Room {
  left: number
}
export const newRoom = (): Room => ({ left: MAX_EXPANDED })

const tooLong = (step: string): string =>
  `what step "${step}" is given grows beyond ${MAX_EXPANDED} characters and was cut: hand over files, or a summary`

function warn(warnings: Fact[], step: string, code: string, message: string): void {
  if (!warnings.some((w) => w.type === "warning" && w.message === message)) warnings.push({ type: "warning", code, message, step })
}

/** The item of a map that a template sees, and its 0-based index. */
interface Item {
  readonly value: Json
  readonly index: number
}

/**
 * The value of a template. A template that is exactly one form keeps its JSON type, and without a value there is none; a form inside other text
 * becomes text. `item`: for a template of a map's child, whose warnings the map gives for all children at once.
 */
export function valueOf(run: Run, step: string, template: string, warnings: Fact[], room: Room = newRoom(), item?: Item): Json | undefined {
  const refs = onlyOperands(template, run.plan.stepIds)
  const see = item === undefined ? lookup(run, {}) : withItem(lookup(run, {}), item.value, item.index)
  if (refs) {
    const [only, ...more] = refs
    const value =
      only !== undefined && more.length === 0
        ? typed(run, only, item)
        : firstOf(refs, (ref) => typed(run, ref, item) ?? see(ref) ?? undefined)
    const size = value === undefined ? 0 : sizeOf(value)
    if (value !== undefined && size <= room.left) {
      room.left -= size
      return value
    }
    if (hasAbsence(run) && firstOf(refs, see) === undefined) {
      if (item === undefined) warn(warnings, step, "template_empty", `${template.trim()} has no value in step "${step}"; it is left out`)
      return undefined
    }
  }
  return item === undefined ? fill(run, step, {}, template, warnings, room) : expand(template, see, run.plan.stepIds, room.left).text
}

/** Does a template of values leave out what has none? Before, it gave an empty text. */
const hasAbsence = ({ kernel = 1 }: Run): boolean => kernel >= 2

/** [N4] A map asks for its list at each start of a child, and to write out 10,000 items takes milliseconds. Values are never changed in place. */
const sizes = new WeakMap<object, number>()

function sizeOf(value: Json): number {
  if (typeof value !== "object" || value === null) return asText(value).length
  const before = sizes.get(value)
  if (before !== undefined) return before
  const size = asText(value).length
  sizes.set(value, size)
  return size
}

/** [F24] An input that is exactly one reference keeps its JSON type. */
export function valuesOf(run: Run, step: string, inputs: Readonly<Record<string, string>>, warnings: Fact[]): JsonObject {
  const room = newRoom()
  return presentOf(inputs, (template) => valueOf(run, step, template, warnings, room))
}

/** The values of the templates that have one. */
export const presentOf = (templates: Readonly<Record<string, string>>, value: (template: string) => Json | undefined): JsonObject =>
  Object.fromEntries(
    Object.entries(templates).flatMap(([name, template]) => {
      const found = value(template)
      return found === undefined ? [] : [[name, found] as const]
    }),
  )

/** [W1] The trigger and its data. */
const triggerOf = (run: Run): JsonObject => ({ ...((run.cause ?? run.trigger) as JsonObject), ...run.payload })

/** The JSON value of a reference, for references that may have one. */
function typed(run: Run, ref: TemplateReference, item?: Item): Json | undefined {
  if (item !== undefined && ref.root === "index") return item.index
  if (item !== undefined && ref.root === "item") return follow(item.value, ref.path) ?? undefined
  if (ref.root === "flow.input") return own(run.inputs, ref.name)
  if (ref.root === "config") return own(run.plan.flow.config, ref.key)
  if (ref.root === "trigger") return follow(triggerOf(run), ref.path)
  if (ref.root !== "result" || ref.field === undefined) return undefined
  const r = own(run.steps, ref.step)?.result
  if (!r || r.status === "skipped") return undefined
  if (ref.field === "files") return r.files.map((f) => ({ ...f }))
  const value = own(r.outputs, ref.field)
  return ref.path && value !== undefined ? follow(value, ref.path) : value
}

/** A map's lookup: everything that `see` finds, plus the current item and its index. */
export const withItem =
  (see: Lookup, item: Json, index: number): Lookup =>
  (ref) => {
    if (ref.root === "index") return String(index)
    if (ref.root === "item") return textOf(follow(item, ref.path))
    return see(ref)
  }

const textOf = (value: unknown): string | undefined => (value === undefined || value === null ? undefined : asText(value))

function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}
