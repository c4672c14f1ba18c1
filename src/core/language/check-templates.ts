// Checks every template of a flow [F40–F43]: invalid forms, and references to values that do not exist, or not yet.

import { defined } from "../defined.ts"
import { checkStep } from "./check-references.ts"
import { templatesOf } from "../steps/kinds.ts"
import { runsAgent } from "../flow/flow.ts"
import { namesIn, written } from "../text/member-path.ts"
import { nodeAt, type Placed, type CheckScope } from "../flow/check/check-scope.ts"
import type { SourcePlace } from "../flow/parse/place.ts"
import { shown } from "../flow/parse/report.ts"
import { isMeant, meantIn, spelling, WRAPPERS, type KnownNames } from "../flow/foreign-form.ts"
import { anglesIn, bracesIn, doublesIn } from "../flow/parse/stray-template.ts"
import { startKeys } from "../start/start-keys.ts"
import { KEY_ROOTS } from "./resolve-start.ts"
import { FORMS, forms, keptForms, parseReference, ROOTS, type Form, type TemplateReference } from "../flow/template.ts"

/** A text of the file that is a template. */
interface Slot {
  readonly where: string
  readonly text: string
  readonly kind: "task" | "input" | "output" | "value" | "key"
  /** Absent in the flow's own `outputs`. */
  readonly placed?: Placed
  /** A map's `over`, where no item exists yet. */
  readonly isOver: boolean
  /** The quote that can stand in this text as the file has it. */
  quote(): '"' | "'"
  /** The place in the file of the excerpt at this offset of the text. */
  at(excerpt: string, offset: number): SourcePlace
}

export function checkTemplates(scope: CheckScope): void {
  for (const slot of slotsOf(scope)) {
    if (scope.report.full()) return
    checkStray(scope, slot)
    checkKept(scope, slot)
    const seen = new Set<string>()
    for (const form of forms(slot.text, scope.ids)) {
      if (seen.has(form.raw) || scope.report.full()) continue
      seen.add(form.raw)
      checkOperands(scope, slot, form)
    }
  }
}

function checkOperands(scope: CheckScope, slot: Slot, { raw: whole, operands }: Form): void {
  const before: TemplateReference[] = []
  for (const [i, { ref, raw, expr, offset }] of operands.entries()) {
    if (expr === "")
      scope.report.error("FV-TPL-FORM", slot.at(whole, offset), `${slot.where}: ${whole} lacks a reference beside ??`, "${{a ?? b}}")
    else if (ref === undefined) checkForm(scope, slot, raw, offset, expr)
    else checkReference(scope, slot, raw, offset, { ref, before, isLast: i === operands.length - 1 })
    if (ref === undefined) return
    if (i < operands.length - 1 && alwaysHasValue(scope, ref))
      scope.report.warn(
        "FV-TPL-UNUSED",
        slot.at(raw, offset),
        `${slot.where}: ${raw} always has a value, so what follows its ?? is never used`,
        `\${{${expr ?? ""}}}`,
      )
    before.push(ref)
  }
}

function alwaysHasValue({ flow }: CheckScope, ref: TemplateReference): boolean {
  if (ref.root !== "flow.input") return ["task", "run", "conversation", "loop", "index"].includes(ref.root)
  const input = Object.hasOwn(flow.inputs, ref.name) ? flow.inputs[ref.name] : undefined
  return input !== undefined && (input.required === true || input.default !== undefined)
}

function slotsOf(scope: CheckScope): Slot[] {
  const { source } = scope.parsed
  const slot = (kind: Slot["kind"], where: string, text: string, path: readonly (string | number)[], placed?: Placed): Slot => ({
    kind,
    where,
    text,
    isOver: path.at(-1) === "over",
    ...defined({ placed }),
    quote() {
      const node = nodeAt(source.root, path)
      return node?.kind === "scalar" && source.written(node).startsWith('"') ? "'" : '"'
    },
    at(excerpt, offset) {
      const node = nodeAt(source.root, path)
      if (node?.kind !== "scalar") return source.place(path)
      let before = 0
      for (let i = text.indexOf(excerpt); i >= 0 && i < offset; i = text.indexOf(excerpt, i + 1)) before++
      return source.placeIn(node, excerpt, before)
    },
  })
  const slots = scope.steps.flatMap((placed) =>
    templatesOf(placed.step).map(({ key, text, input, path: place = [] }): Slot => {
      const path = ["steps", placed.index, key]
      const what = placed.step.type === "tool" ? "argument" : "input"
      if (input !== undefined) return slot("input", `${placed.where}, ${what} "${input}"`, text, [...path, ...place], placed)
      const kind = key === "task" && runsAgent(placed.step) ? "task" : "value"
      return slot(kind, `${placed.where}, ${key}`, text, path, placed)
    }),
  )
  const outputs = Object.entries(scope.flow.outputs ?? {}).map(([name, text]) =>
    slot("output", `output "${name}"`, text, ["outputs", name]),
  )
  const keys = startKeys(scope.flow.start).map(([member, text]) => slot("key", `start.${member}.key`, text, ["start", member, "key"]))
  return [...slots, ...outputs, ...keys]
}

/** `cost $${{flow.input.a}}` prints the form, which nobody means whose flow has that value. */
function checkKept(scope: CheckScope, slot: Slot): void {
  for (const { ref, raw, offset } of keptForms(slot.text, scope.ids))
    if (hasValue(scope, ref, slot))
      scope.report.warn(
        "FV-TPL-DOLLAR",
        slot.at(raw, offset),
        `${slot.where}: ${raw} writes the form itself, because $$ before {{ is one $`,
        `$$${raw.slice(1)} for a dollar sign and the value`,
      )
}

function hasValue({ flow, ids }: CheckScope, ref: TemplateReference, { placed }: Slot): boolean {
  switch (ref.root) {
    case "flow.input":
      return Object.hasOwn(flow.inputs, ref.name)
    case "config":
      return Object.hasOwn(flow.config, ref.key)
    case "result":
    case "loop":
    case "fork":
    case "until":
      return ids.includes(ref.step)
    case "input":
      return placed !== undefined && runsAgent(placed.step) && Object.hasOwn(placed.step.inputs, ref.name)
    case "item":
    case "index":
      return placed?.step.type === "map"
    case "trigger":
      return true
    case "task":
    case "run":
    case "session":
    case "conversation":
    case "thread":
      return false
  }
}

const knownNames = ({ ids, flow }: CheckScope): KnownNames => ({ steps: ids, inputs: Object.keys(flow.inputs) })

function checkStray(scope: CheckScope, slot: Slot): void {
  const { report, order } = scope
  const known = knownNames(scope)
  for (const { raw, offset, inside } of doublesIn(slot.text)) {
    if (!isMeant(inside, known)) continue
    const [root = ""] = inside.split(/[^\w]/)
    report.error(
      "FV-TPL-DOUBLE",
      slot.at(raw, offset),
      `${slot.where}: ${raw} has no dollar sign, so it is not a template and is left as is`,
      spelling(inside, known) ?? FORMS[root] ?? "${{…}}, or for text a value of config",
    )
  }
  for (const { raw, offset } of bracesIn(slot.text))
    report.warn(
      "FV-TPL-BRACE",
      slot.at(raw, offset),
      `${slot.where}: ${raw} has single braces, so it is not a template and is left as is`,
      `$\{${raw}}`,
    )
  for (const { raw, offset } of anglesIn(slot.text, (id) => id === "step" || order.has(id)))
    report.error(
      "FV-TPL-ANGLE",
      slot.at(raw, offset),
      `${slot.where}: ${raw} is not a template and is left as is`,
      `\${{result.${raw.slice(1, -1)}}}`,
    )
}

function checkForm(scope: CheckScope, slot: Slot, raw: string, offset: number, expr: string | undefined): void {
  const { report, ids } = scope
  const parts = namesIn(expr ?? "") ?? expr?.split(".") ?? []
  const root = parts[0] ?? ""
  const says = `${slot.where}: ${raw}`
  const known = knownNames(scope)
  if (expr === undefined) return checkExpression(scope, slot, raw, offset)
  if (VALUE.test(expr))
    return report.error("FV-TPL-FORM", slot.at(raw, offset), `${says} is a value, and a template inserts references`, NAMED_VALUE)
  const right = spelling(expr, known)
  if (!ROOTS.includes(root)) {
    const step = ids.find((id) => expr === id || expr.startsWith(`${id}.`))
    report.error(
      "FV-TPL-PREFIX",
      slot.at(raw, offset),
      `${says} begins with ${shown(root)}, which is not a template root`,
      right ?? (step === undefined ? secretHint(root) : `\${{result.${expr}}}`) ?? report.hint(root, ROOTS),
    )
  } else if (parts.length >= 4 && root !== "trigger")
    report.error(
      "FV-TPL-DEEP",
      slot.at(raw, offset),
      `${says} reaches into a value; templates insert whole values`,
      parts[0] === "result" && WRAPPERS.includes(parts[2] ?? "") && right !== undefined
        ? right
        : "declare a typed output for the part you need",
    )
  else report.error("FV-TPL-FORM", slot.at(raw, offset), `${says} is not a valid form of "${root}"`, right ?? FORMS[root])
}

const secretHint = (root: string): string | undefined =>
  root === "secrets" || root === "secret" ? "templates cannot read secrets; a registered tool names its scope under auth" : undefined

/** A form that is more than a dotted name: a filter, an operator, a call, an index. */
function checkExpression(scope: CheckScope, slot: Slot, raw: string, offset: number): void {
  const inside = /^\$\{\{([^}]*)\}\}$/.exec(raw)?.[1] ?? ""
  const other = meantIn(inside)
  if (other !== undefined)
    return scope.report.error(
      "FV-TPL-FORM",
      slot.at(raw, offset),
      `${slot.where}: ${raw} is not a valid template: ${other.how}`,
      `\${{${written(other.names, slot.quote())}}}`,
    )
  const right = isMeant(inside, knownNames(scope)) ? spelling(inside, knownNames(scope)) : undefined
  const choice = choiceIn(inside, scope)
  if (choice !== undefined)
    return scope.report.error(
      "FV-TPL-FORM",
      slot.at(raw, offset),
      `${slot.where}: ${raw} is an expression; ?? chooses the first of several references that has a value, and nothing else`,
      choice,
    )
  const why = inside.includes("|") && !inside.includes("||") ? "has a filter" : "is an expression"
  if (inside.trim() === "" || !/[|&=!<>()[\]?+*'",/]/.test(inside))
    // Half of a name would be another one.
    scope.report.error(
      "FV-TPL-FORM",
      slot.at(raw, offset),
      `${slot.where}: ${raw} is not a valid template`,
      (/^\s*[\w.-]*\s*$/.test(inside) ? right : FORMS[/^\s*(\w*)/.exec(inside)?.[1] ?? ""]) ?? LITERAL,
    )
  else
    scope.report.error(
      "FV-TPL-FORM",
      slot.at(raw, offset),
      `${slot.where}: ${raw} ${why}; a template inserts a single, unmodified value`,
      `${right ?? "${{result.STEP.FIELD}}"}, and a code step for whatever is computed from it`,
    )
}
/** What to write for `a || b`, or with a text of the author's on the right. */
function choiceIn(inside: string, scope: CheckScope): string | undefined {
  const names = inside.split(/\|\||\?\?/).map((part) => part.trim())
  const isReference = (name: string): boolean =>
    parseReference(name, scope.ids) !== undefined && ROOTS.includes(name.split(/[.[]/)[0] ?? "")
  const [first = ""] = names
  if (names.length < 2 || !isReference(first)) return undefined
  if (names.every(isReference)) return `\${{${names.join(" ?? ")}}}`
  return `\${{${first} ?? config.NAME}}, with the text in the flow's config`
}

const VALUE = /^(?:\d+|true|false|null)(?:\.\d+)?$/
const NAMED_VALUE = "give the input a default, or write the value in the flow's config and refer to it as ${{config.NAME}}"

const LITERAL = "write $${{ for a literal ${{"

/** A reference with what `??` puts before and behind it. */
interface Operand {
  readonly ref: TemplateReference
  readonly before: readonly TemplateReference[]
  readonly isLast: boolean
}

function checkReference(scope: CheckScope, slot: Slot, raw: string, offset: number, { ref, ...place }: Operand): void {
  const { flow, report } = scope
  const says = `${slot.where}: ${raw}`
  if (slot.kind === "key" && !KEY_ROOTS.includes(ref.root))
    return report.error(
      "FV-START",
      slot.at(raw, offset),
      `${says}: a key is read before the run begins, and sees only ${KEY_ROOTS.join(", ")}`,
      "${{flow.input.NAME}}",
    )
  switch (ref.root) {
    case "thread":
      if (slot.kind !== "key")
        report.error("FV-TPL-PREFIX", slot.at(raw, offset), `${says}: "thread" exists only in the keys of start`, "${{run.id}}")
      return
    case "task":
    case "run":
    case "session":
    case "conversation":
    case "trigger":
      return
    case "item":
    case "index":
      if (slot.placed?.step.type !== "map" || slot.isOver)
        report.error(
          "FV-REF-ITEM",
          slot.at(raw, offset),
          `${says}: "${ref.root}" exists only in the task and the inputs of a map step`,
          ref.root === "item" ? "${{result.STEP.OUTPUT}} for the whole list" : undefined,
        )
      return
    case "input":
      return checkInput(scope, slot, says, slot.at(raw, offset), ref.name)
    case "flow.input":
      if (!Object.hasOwn(flow.inputs, ref.name))
        report.error(
          "FV-REF-INPUT",
          slot.at(raw, offset),
          `${says}: the flow has no input "${ref.name}"`,
          report.hint(ref.name, Object.keys(flow.inputs)) ?? `inputs: { ${ref.name}: { type: string } }`,
        )
      return
    case "config":
      if (!Object.hasOwn(flow.config, ref.key))
        report.warn(
          "FV-REF-CONFIG",
          slot.at(raw, offset),
          `${says}: the flow's config has no "${ref.key}", so the value is empty`,
          report.hint(ref.key, Object.keys(flow.config)) ?? `config: { ${ref.key}: … }`,
        )
      return
    case "result":
    case "loop":
    case "fork":
    case "until":
      return checkStep(scope, slot.at(raw, offset), says, ref, { ...place, ...defined({ placed: slot.placed }) })
  }
}

function checkInput({ report, world }: CheckScope, { kind, placed }: Slot, says: string, at: SourcePlace, name: string): void {
  const step = placed?.step
  if (kind === "output" || step === undefined)
    report.warn("FV-REF-INPUT", at, `${says}: a flow's outputs cannot read step inputs, so the value is empty`, `\${{flow.input.${name}}}`)
  else if (kind === "input")
    report.warn(
      "FV-REF-INPUT",
      at,
      `${says}: inputs cannot read each other, so the value is empty`,
      `\${{flow.input.${name}}} for an input of the flow`,
    )
  else if (kind === "value" || !runsAgent(step))
    report.warn(
      "FV-REF-INPUT",
      at,
      `${says}: only the step's agent can read its inputs, so the value is empty here`,
      `\${{flow.input.${name}}} for an input of the flow`,
    )
  else if (!Object.hasOwn(step.inputs, name) && world.agents.get(step.agent ?? "")?.inputs.includes(name) !== true)
    report.warn(
      "FV-REF-INPUT",
      at,
      `${says}: the step sets no input "${name}", so the value is empty`,
      report.hint(name, Object.keys(step.inputs)) ?? `\${{flow.input.${name}}} for an input of the flow`,
    )
}
