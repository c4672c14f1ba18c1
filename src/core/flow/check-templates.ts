// Every template of a flow [F40–F43]: forms that are none, and references to what is not there, or not yet there.

import { agentOf, nodeAt, type Placed, type Scope } from "./check-scope.ts"
import { pathsOf, type Paths } from "./flow-paths.ts"
import type { Step } from "./flow.ts"
import { shown, type Place } from "./report.ts"
import { anglesIn, bracesIn } from "./stray-template.ts"
import { references, RESULT_FIELDS, ROOTS, type Reference } from "./template.ts"

/** One text of the file that is a template. */
interface Slot {
  readonly where: string
  readonly text: string
  readonly kind: "task" | "input" | "output"
  /** Absent in the flow's own `outputs`. */
  readonly placed?: Placed
  at(excerpt: string): Place
}

export function checkTemplates(scope: Scope): void {
  const paths = lazyPaths(scope)
  for (const slot of slotsOf(scope)) {
    if (scope.report.full()) return
    checkStray(scope, slot)
    const seen = new Set<string>()
    for (const { ref, raw, expr } of references(slot.text, scope.ids)) {
      if (seen.has(raw) || scope.report.full()) continue
      seen.add(raw)
      if (ref === undefined) checkForm(scope, slot, raw, expr)
      else checkReference(scope, slot, raw, ref, paths)
    }
  }
  for (const placed of scope.steps) if (placed.step.type === "conditional") checkCondition(scope, placed, paths)
}

const lazyPaths = (scope: Scope): (() => Paths) => {
  let paths: Paths | undefined
  return () => (paths ??= pathsOf(scope.flow, scope.graph))
}

function slotsOf(scope: Scope): Slot[] {
  const { source } = scope.parsed
  const slot = (kind: Slot["kind"], where: string, text: string, path: readonly (string | number)[], placed?: Placed): Slot => ({
    kind,
    where,
    text,
    ...(placed === undefined ? {} : { placed }),
    at(excerpt) {
      const node = nodeAt(source.root, path)
      return node?.kind === "scalar" ? source.placeIn(node, excerpt) : source.place(path)
    },
  })
  const slots = scope.steps.flatMap((placed): Slot[] => {
    const { step, index, where } = placed
    if (step.type === "conditional") return []
    const of = (key: string, text: string | undefined): Slot[] => (text === undefined ? [] : [slot("task", `${where}, ${key}`, text, ["steps", index, key], placed)])
    return [
      ...of("task", step.task),
      ...(step.type === "fork" ? of("question", step.question) : []),
      ...Object.entries(step.inputs).map(([name, text]) => slot("input", `${where}, input "${name}"`, text, ["steps", index, "inputs", name], placed)),
    ]
  })
  const outputs = Object.entries(scope.flow.outputs ?? {}).map(([name, text]) => slot("output", `output "${name}"`, text, ["outputs", name]))
  return [...slots, ...outputs]
}

function checkStray({ report, order }: Scope, slot: Slot): void {
  for (const { raw } of bracesIn(slot.text)) report.warn("FV-TPL-BRACE", slot.at(raw), `${slot.where}: ${raw} has single braces and stays as it is written`, `$\{${raw}}`)
  for (const { raw } of anglesIn(slot.text, (id) => id === "step" || order.has(id)))
    report.error("FV-TPL-ANGLE", slot.at(raw), `${slot.where}: ${raw} is no template and stays as it is written`, `\${{result.${raw.slice(1, -1)}}}`)
}

function checkForm({ report, ids }: Scope, slot: Slot, raw: string, expr: string | undefined): void {
  const parts = expr?.split(".") ?? []
  const root = parts[0] ?? ""
  const says = `${slot.where}: ${raw}`
  if (expr === undefined) report.error("FV-TPL-FORM", slot.at(raw), `${says} is no form that templates know`, "write $${{ if it is to stay as it is")
  else if (!ROOTS.includes(root)) {
    const step = ids.find((id) => expr === id || expr.startsWith(`${id}.`))
    report.error("FV-TPL-PREFIX", slot.at(raw), `${says} begins with ${shown(root)}, which templates do not know`, step === undefined ? report.hint(root, ROOTS) : `\${{result.${expr}}}`)
  } else if (parts.length >= 4 && root !== "trigger") report.error("FV-TPL-DEEP", slot.at(raw), `${says} reaches into a value; templates take a value whole`, "declare a typed output for the part you need")
  else report.error("FV-TPL-FORM", slot.at(raw), `${says} is no form of "${root}"`, FORMS[root])
}

const FORMS: Readonly<Record<string, string>> = {
  task: "${{task}}",
  input: "${{input.NAME}}",
  flow: "${{flow.input.NAME}}",
  config: "${{config.KEY}}",
  result: "${{result.STEP}} or ${{result.STEP.FIELD}}",
  loop: "${{loop.STEP.iteration}} or ${{loop.STEP.max}}",
  fork: "${{fork.STEP.answer}} or ${{fork.STEP.notes}}",
  run: "${{run.id}}",
  trigger: "${{trigger.FIELD}}",
}

function checkReference(scope: Scope, slot: Slot, raw: string, ref: Reference, paths: () => Paths): void {
  const { flow, report } = scope
  const says = `${slot.where}: ${raw}`
  switch (ref.root) {
    case "task":
    case "run":
    case "trigger":
      return
    case "input":
      return checkInput(scope, slot, says, raw, ref.name)
    case "flow.input":
      if (!Object.hasOwn(flow.inputs, ref.name)) report.error("FV-REF-INPUT", slot.at(raw), `${says}: the flow has no input "${ref.name}"`, report.hint(ref.name, Object.keys(flow.inputs)) ?? `inputs: { ${ref.name}: { type: string } }`)
      return
    case "config":
      if (!Object.hasOwn(flow.config, ref.key)) report.warn("FV-REF-CONFIG", slot.at(raw), `${says}: the flow's config has no "${ref.key}"; it will be empty`, report.hint(ref.key, Object.keys(flow.config)) ?? `config: { ${ref.key}: … }`)
      return
    case "result":
    case "loop":
    case "fork":
      return checkStep(scope, slot, says, raw, ref, paths)
  }
}

function checkInput({ report, world }: Scope, { kind, placed, at }: Slot, says: string, raw: string, name: string): void {
  const step = placed?.step
  if (kind === "output" || step === undefined || step.type === "conditional") report.warn("FV-REF-INPUT", at(raw), `${says}: a flow's outputs have no inputs of a step; it will be empty`, `\${{flow.input.${name}}}`)
  else if (kind === "input") report.warn("FV-REF-INPUT", at(raw), `${says}: inputs cannot read each other; it will be empty`, `\${{flow.input.${name}}} for an input of the flow`)
  else if (!Object.hasOwn(step.inputs, name) && world.agents.get(step.agent ?? "")?.inputs.includes(name) !== true)
    report.warn("FV-REF-INPUT", at(raw), `${says}: the step wires no input "${name}"; it will be empty`, report.hint(name, Object.keys(step.inputs)) ?? `\${{flow.input.${name}}} for an input of the flow`)
}

type StepReference = Extract<Reference, { step: string }>

function checkStep(scope: Scope, slot: Slot, says: string, raw: string, ref: StepReference, paths: () => Paths): void {
  const { report, ids, order } = scope
  const at = slot.at(raw)
  const index = order.get(ref.step)
  const target = scope.steps.find((s) => s.index === index)?.step
  if (index === undefined) return report.error("FV-REF-STEP", at, `${says}: ${shown(ref.step)} is no step`, report.hint(ref.step, ids))
  if (target === undefined) return
  if (ref.root === "loop") {
    if (!("max_iterations" in target)) report.warn("FV-REF-LOOP", at, `${says}: "${ref.step}" does not count iterations; it will be 0`, loopHint(scope))
    return
  }
  if (ref.root === "fork") {
    if (target.type !== "fork") report.error("FV-REF-FORK", at, `${says}: "${ref.step}" is no fork, but of type ${target.type}`, `\${{result.${ref.step}.summary}}`)
  } else if (ref.field !== undefined) checkField(scope, at, says, target, ref.field)
  if (slot.placed !== undefined) checkOrder(scope, at, says, slot.placed, index, paths)
}

function loopHint({ steps }: Scope): string | undefined {
  const loops = steps.flatMap(({ step }) => ("max_iterations" in step ? [step.id] : []))
  return loops.length === 0 ? undefined : `steps that do: ${loops.slice(0, 12).join(", ")}`
}

function checkField(scope: Scope, at: Place, says: string, target: Step, field: string): void {
  const agent = agentOf(scope, target)
  if (RESULT_FIELDS.includes(field) || agent?.outputs.some((o) => o.name === field)) return
  // Nobody knows what an agent that is not there would give.
  if (agent === undefined && target.type !== "conditional") return
  const fields = [...(agent?.outputs.map((o) => o.name) ?? []), ...RESULT_FIELDS]
  scope.report.error("FV-REF-FIELD", at, `${says}: ${agent === undefined ? `step "${target.id}"` : `the agent "${agent.name}"`} gives no ${shown(field)}`, scope.report.hint(field, fields))
}

/** [F54] Has the step that is named been there before this one? */
function checkOrder(scope: Scope, at: Place, says: string, { index, where }: Placed, other: number, paths: () => Paths, skips = true): void {
  const { flow, graph, report } = scope
  const name = flow.steps[other]?.id ?? ""
  // Holes change segments, and doubled ids change everything: nothing true can be said.
  if (scope.hasHoles || scope.ids.length !== scope.order.size) return
  const ways = paths()
  if (other === index) {
    if (!ways.runsAgainAfter(index, other)) report.error("FV-REF-ORDER", at, `${says}: ${where} names itself, and never runs twice`, "name a step before it")
  } else if (graph.segmentOf[other] === graph.segmentOf[index] ? racing(scope, ways, index, other) : other > index && !ways.runsAgainAfter(index, other)) {
    const [what, fix] = other > index && graph.segmentOf[other] !== graph.segmentOf[index] ? ["comes later in the file", `move "${name}" before ${where}`] : [`runs beside ${where}, so its result may not be there`, `blockedBy: ${name}`]
    report.error("FV-REF-ORDER", at, `${says}: "${name}" ${what}`, fix)
  } else if (skips && other < index && ways.mayMiss(index, other)) {
    report.warn("FV-REF-ORDER", at, `${says}: "${name}" may be skipped before ${where}; then this is empty`)
  }
}

/** Steps of one segment that nothing orders: whether the one sees the other's result would be chance. */
function racing({ flow, graph }: Scope, ways: Paths, index: number, other: number): boolean {
  const id = flow.steps[index]?.id ?? ""
  const name = flow.steps[other]?.id ?? ""
  if (!ways.together(index, other) || graph.waiters.get(name)?.has(id)) return false
  // In a loop, what waits for this step has run by the pass before.
  return !(graph.waiters.get(id)?.has(name) && ways.runsAgainAfter(index, other))
}

/** [F22] `check: STEP.FIELD`. That the step may be skipped is what is asked, not a fault. */
function checkCondition(scope: Scope, placed: Placed, paths: () => Paths): void {
  const { step, where, valueAt } = placed
  if (step.type !== "conditional" || step.check.step === "") return
  const at = valueAt("check")
  const index = scope.order.get(step.check.step)
  const target = scope.steps.find((s) => s.index === index)?.step
  if (index === undefined) return scope.report.error("FV-REF-STEP", at, `${where} checks ${shown(step.check.step)}, which is no step`, scope.report.hint(step.check.step, scope.ids))
  if (target === undefined) return
  checkField(scope, at, `${where}, check`, target, step.check.field)
  checkOrder(scope, at, `${where}, check`, placed, index, paths, false)
}
