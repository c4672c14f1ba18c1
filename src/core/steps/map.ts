// map: runs a flow as a child for every item of a list. A map of 10,000 items adds only a few numbers to its run.

import { defined } from "../defined.ts"
import type { Placed, CheckScope } from "../flow/check/check-scope.ts"
import type { MapStep } from "../flow/flow.ts"
import type { FieldTable } from "../flow/parse/field-table.ts"
import type { Fields } from "../flow/parse/fields.ts"
import { readFields } from "../flow/parse/read-fields.ts"
import { shown } from "../flow/parse/report.ts"
import { expand, firstOf, forms, onlyOperands, RESULT_FIELDS, type TemplateReference } from "../flow/template.ts"
import type { Json } from "../json.ts"
import { record, type Action, type ChildWish } from "../run/action.ts"
import type { Fact } from "../run/event.ts"
import { collectKey } from "../run/key.ts"
import { taint } from "../run/session/taint.ts"
import { stepState, type Run } from "../run/state.ts"
import { childFinish, childWishes } from "../run/steps/children.ts"
import { lookup, newRoom, presentOf, valueOf, withItem } from "../run/steps/scope.ts"
import { kindOf } from "../schema/arg-value.ts"
import { readFlowId } from "./flow-id.ts"
import type { StepKind } from "./kind.ts"

export const MAX_ITEMS = 10_000 // limit: items of a map → the step fails

const FIELDS = {
  over: {
    kind: "template",
    required: true,
    example: 'over: "${{result.STEP.OUTPUT}}"',
    about: "a single reference to a list; each item starts a child run",
  },
  do: { kind: "flow", required: true, example: "do: NAME", about: "the id of the flow that runs for each item" },
  task: { kind: "template", about: "the child's task; it can use ${{item}} and ${{index}}" },
  inputs: { kind: "templates", about: "the child's typed inputs; they can use ${{item}} and ${{index}}" },
  max_concurrent: {
    kind: "integer",
    least: 1,
    most: 100,
    beyond: "FV-MAP-CONCURRENT",
    fallback: 4,
    about: "how many children run in parallel",
  },
  tolerate: { kind: "text", about: "how many children may fail before the step fails: 3, or 10%" },
  batch_api: {
    kind: "flag",
    about: "send the children's model calls through the provider's batch API: at its lower price, each round within a day",
  },
} as const satisfies FieldTable

export const map: StepKind<MapStep> = {
  fields: FIELDS,
  hints: ["over", "do"],
  read(common, { fields, report }) {
    const { over, do: flow, tolerate, ...values } = readFields(fields, FIELDS)
    const tolerated = tolerate === undefined ? undefined : readTolerate(tolerate.trim(), fields)
    return {
      ...common,
      type: "map",
      over: over.trim(),
      do: flow === "" ? "" : readFlowId("do", flow, fields, report),
      ...values,
      ...defined({ tolerate: tolerated }),
    }
  },
  check: checkOver,
  outputs: () => [
    { name: "total", type: "number" },
    { name: "succeeded", type: "number" },
    { name: "failed", type: "number" },
    { name: "results", type: "array" },
    { name: "bytes", type: "number" },
  ],
  open,
  wishes,
  stub: (base) => ({ ...base, type: "map", over: "", do: "", max_concurrent: 1 }),
}

function readTolerate(text: string, fields: Fields): MapStep["tolerate"] {
  const [, count, percent] = /^(?:(\d{1,5})|(\d{1,3}(?:\.\d{1,3})?)\s*%)$/.exec(text) ?? []
  if (count !== undefined && Number(count) <= MAX_ITEMS) return { count: Number(count) }
  if (percent !== undefined && Number(percent) <= 100) return { percent: Number(percent) }
  fields.wrong(
    fields.valueAt("tolerate"),
    `"tolerate" must be a count or a percentage of children that may fail, not ${shown(text)}`,
    "tolerate: 3, or tolerate: 10%",
    "FV-MAP-TOLERATE",
  )
  return undefined
}

/** Checks that `over` is a single reference to a possible list. */
function checkOver(step: MapStep, { where, valueAt }: Placed, scope: CheckScope): void {
  if (step.over === "") return
  const at = valueAt("over")
  const refs = onlyOperands(step.over, scope.ids)
  if (refs === undefined) {
    const [first] = forms(step.over, scope.ids)
    // check-templates.ts reports a broken form.
    if (first !== undefined && first.operands.some(({ ref }) => ref === undefined) && first.raw === step.over.trim()) return
    scope.report.error(
      "FV-MAP-OVER",
      at,
      `${where}: "over" must be a single reference to a list, not ${shown(step.over)}`,
      'over: "${{result.STEP.OUTPUT}}", or "${{flow.input.NAME}}" with type: array',
    )
    return
  }
  for (const ref of refs) checkList(step, ref, { where, valueAt }, scope)
}

function checkList(
  { over }: MapStep,
  ref: TemplateReference,
  { where, valueAt }: Pick<Placed, "where" | "valueAt">,
  scope: CheckScope,
): void {
  if (ref.root === "item" || ref.root === "index") return
  const type = scope.typeOf(ref)
  if (type === "array" || type === "any") return
  const output = ref.root === "result" && ref.field !== undefined && !RESULT_FIELDS.includes(ref.field) ? ref.field : undefined
  scope.report.error(
    "FV-MAP-OVER",
    valueAt("over"),
    `${where}: ${over} is ${type === "string" ? "text" : `of type ${type}`}, but a map needs a list`,
    ref.root === "flow.input"
      ? `inputs: { ${ref.name}: { type: array } }`
      : output === undefined
        ? 'over: "${{result.STEP.OUTPUT}}" with an output of type array'
        : `in the agent: outputs: [{ name: ${output}, type: array }]`,
  )
}

/** The list, or why there is none. Read again each time, because its value cannot change while the step is open. */
function itemsOf(run: Run, step: MapStep): readonly Json[] | string {
  const list = valueOf(run, step.id, step.over, [])
  if (Array.isArray(list))
    return list.length <= MAX_ITEMS ? list : `${step.over} has ${list.length} items; at most ${MAX_ITEMS} are allowed`
  return `${step.over} is not a list, but ${list === undefined || list === "" ? "empty" : kindOf(list)}`
}

function open(run: Run, step: MapStep): Fact[] {
  const pass = stepState(run, step.id).pass
  const items = itemsOf(run, step)
  const opened: Fact = {
    type: "step.opened",
    step: step.id,
    stepType: step.type,
    pass,
    tools: [],
    total: typeof items === "string" ? 0 : items.length,
    ...taint(run, [step.over, step.task ?? "", ...Object.values(step.inputs)]),
  }
  if (typeof items !== "string") return [opened, ...emptiesOf(run, step, items)]
  return [opened, { type: "step.finished", step: step.id, pass, status: "error", source: "config", summary: items, files: [], outputs: {} }]
}

/** [F40] Warnings about empty references in the children's templates, once when the step opens and not for each child. */
function emptiesOf(run: Run, step: MapStep, items: readonly Json[]): Fact[] {
  const see = lookup(run, {})
  const found = new Map<string, string>()
  for (const template of items.length === 0 ? [] : [step.task ?? "${{item}}", ...Object.values(step.inputs)])
    for (const { operands, expr } of forms(template, run.plan.stepIds)) {
      const refs = operands.map(({ ref }) => ref)
      if (expr === undefined || found.has(expr) || !refs.every((ref) => ref !== undefined)) continue
      if (!refs.some((ref) => ref.root === "item" || ref.root === "index")) {
        if (firstOf(refs, see) === undefined) found.set(expr, "")
        continue
      }
      const lacking = items.flatMap((item, i) => (firstOf(refs, withItem(see, item, i)) === undefined ? [i] : []))
      if (lacking.length > 0) found.set(expr, ` for ${lacking.length} of ${items.length} items, first for index ${lacking[0]},`)
    }
  return [...found].map(([expr, whose]) => ({
    type: "warning",
    code: "template_empty",
    message: `\${{${expr}}} has no value${whose} in step "${step.id}"; it became the empty string`,
    step: step.id,
  }))
}

const tolerated = (step: MapStep, total: number): number =>
  step.tolerate === undefined ? 0 : "count" in step.tolerate ? step.tolerate.count : Math.floor((step.tolerate.percent * total) / 100)

/** Starts children while any remain; then a single effect collects their results. */
function wishes(run: Run, step: MapStep): Action[] {
  const s = stepState(run, step.id)
  const c = s.children
  if (!c) return []
  const most = tolerated(step, c.total)
  if (c.failed > most) {
    const last = c.culprit === undefined ? "" : `, index ${c.culprit}`
    const summary = `${c.failed} of ${c.total} children failed, ${most} were tolerated; the last${last}: ${c.message ?? ""}`
    return [record({ ...childFinish(step.id, s.pass), status: "error", source: "child_failed", summary })]
  }
  if (c.ended < c.total) return childWishes(run, step.id, c, step.max_concurrent, (index) => childOf(run, step, index))
  const key = collectKey(step.id, s.pass)
  return Object.hasOwn(run.underway, key) ? [] : [{ do: "collect", key, step: step.id, pass: s.pass }]
}

function childOf(run: Run, step: MapStep, index: number): Pick<ChildWish, "flow" | "task" | "inputs"> {
  const room = newRoom()
  const items = itemsOf(run, step)
  const item = typeof items === "string" ? null : (items[index] ?? null)
  const see = withItem(lookup(run, {}), item, index)
  const inputs = presentOf(step.inputs, (template) => valueOf(run, step.id, template, [], room, { value: item, index }))
  return { flow: step.do, task: expand(step.task ?? "${{item}}", see, run.plan.stepIds).text, inputs }
}
