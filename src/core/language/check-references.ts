// Checks references to steps [F41, F54]: the step exists, has the field, and runs earlier.

import { KINDS } from "../steps/kinds.ts"
import { agentOf, type Placed, type CheckScope } from "../flow/check/check-scope.ts"
import type { Paths } from "../flow/check/flow-paths.ts"
import { untilOf, type Step } from "../flow/flow.ts"
import type { SourcePlace } from "../flow/parse/place.ts"
import { shown } from "../flow/parse/report.ts"
import { RESULT_FIELDS, type TemplateReference } from "../flow/template.ts"

export type StepReference = Extract<TemplateReference, { step: string }>

/** `placed`: the step that contains the reference; absent in the flow's outputs. `before`: the operands to the left of its `??`. */
export interface Reading {
  readonly placed?: Placed
  readonly before: readonly TemplateReference[]
  readonly isLast: boolean
}

export function checkStep(scope: CheckScope, at: SourcePlace, says: string, ref: StepReference, { placed, before, isLast }: Reading): void {
  const { report, ids, order } = scope
  const index = order.get(ref.step)
  const target = scope.step(ref.step)
  if (index === undefined)
    return report.error("FV-REF-STEP", at, `${says}: the step ${shown(ref.step)} does not exist`, report.hint(ref.step, ids))
  if (target === undefined) return
  if (ref.root === "loop") {
    if (!("max_iterations" in target))
      report.warn(
        "FV-REF-LOOP",
        at,
        `${says}: "${ref.step}" does not count iterations, so the value is 0`,
        loopHint(scope) ?? `\${{result.${ref.step}.summary}}`,
      )
    return
  }
  if (ref.root === "until") {
    // A round may begin before the step.
    if (untilOf(target) === undefined)
      report.error("FV-REF-UNTIL", at, `${says}: "${ref.step}" has no \`until\``, `\${{result.${ref.step}.summary}}`)
    return
  }
  if (ref.root === "fork") {
    if (target.type !== "fork")
      return report.error(
        "FV-REF-FORK",
        at,
        `${says}: "${ref.step}" is not a fork, but a step of type ${target.type}`,
        `\${{result.${ref.step}.summary}}`,
      )
  } else if (ref.path && target.type !== "tool") return deep(scope, at, says)
  else if (ref.field !== undefined) checkField(scope, at, says, target, ref.field)
  if (placed === undefined) return
  // What ?? covers may be skipped. The last operand is not covered, unless something else than a result stands before it.
  const others = before.map((one) => (one.root === "result" || one.root === "fork" ? order.get(one.step) : undefined))
  const isCovered = !isLast || others.includes(undefined)
  checkOrder(scope, at, says, placed, index, isCovered ? undefined : others.flatMap((other) => other ?? []))
}

/** Only what a tool answered can be reached into [F26]. */
const deep = ({ report }: CheckScope, at: SourcePlace, says: string): void =>
  report.error(
    "FV-TPL-DEEP",
    at,
    `${says} reaches into a value; templates insert whole values`,
    "declare a typed output for the part you need",
  )

function loopHint({ steps }: CheckScope): string | undefined {
  const loops = steps.flatMap(({ step }) => ("max_iterations" in step ? [step.id] : []))
  return loops.length === 0 ? undefined : `steps that count iterations: ${loops.slice(0, 12).join(", ")}`
}

function checkField(scope: CheckScope, at: SourcePlace, says: string, target: Step, field: string): void {
  const outputs = KINDS[target.type].outputs(target, scope)?.map((o) => o.name)
  if (outputs === undefined || RESULT_FIELDS.includes(field) || outputs.includes(field)) return
  const agent = agentOf(scope, target)
  scope.report.error(
    "FV-REF-FIELD",
    at,
    `${says}: ${agent === undefined ? `step "${target.id}"` : `the agent "${agent.name}"`} has no field ${shown(field)}`,
    scope.report.hint(field, [...outputs, ...RESULT_FIELDS]),
  )
}

/** [F54] Has the referenced step run before this step? `instead`: the steps whose results would be taken first; undefined: it may be skipped. */
function checkOrder(
  scope: CheckScope,
  at: SourcePlace,
  says: string,
  { index, where }: Placed,
  other: number,
  instead: readonly number[] | undefined,
): void {
  const { flow, graph, report } = scope
  const name = flow.steps[other]?.id ?? ""
  if (!scope.isWhole) return
  const ways = scope.paths()
  if (other === index) {
    if (!ways.runsAgainAfter(index, other))
      report.error("FV-REF-ORDER", at, `${says}: ${where} refers to itself, but never runs twice`, "refer to an earlier step")
  } else if (
    graph.segmentOf[other] === graph.segmentOf[index]
      ? racing(scope, ways, index, other)
      : other > index && !ways.runsAgainAfter(index, other)
  ) {
    const [what, fix] =
      other > index && graph.segmentOf[other] !== graph.segmentOf[index]
        ? ["comes later in the file", `move "${name}" before ${where}`]
        : [`runs in parallel with ${where}, so its result may be missing`, `blockedBy: ${name}`]
    report.error("FV-REF-ORDER", at, `${says}: "${name}" ${what}`, fix)
  } else if (instead !== undefined && other < index && ways.mayMiss(index, other, ...instead)) {
    report.warn(
      "FV-REF-ORDER",
      at,
      instead.length === 0
        ? `${says}: ${where} can be reached without "${name}", and then there is no value`
        : `${says}: ${where} can be reached without any of these steps, and then there is no value`,
      `add a fallback: \${{${readIn(says) ?? `result.${name}.summary`} ?? config.NAME}}, or make every path lead through "${name}"`,
    )
  }
}

/** What the template reads, as it is written. */
const readIn = (says: string): string | undefined => /\$\{\{\s*([^}]*?)\s*\}\}/.exec(says)?.[1]

/** Do the steps run in parallel without an order? Then it is chance whether a step sees the other's result. */
function racing({ flow, graph }: CheckScope, ways: Paths, index: number, other: number): boolean {
  const id = flow.steps[index]?.id ?? ""
  const name = flow.steps[other]?.id ?? ""
  if (!ways.together(index, other) || graph.waiters.get(name)?.has(id)) return false
  // In a loop, a step that waits for this step ran in the previous pass.
  return !(graph.waiters.get(id)?.has(name) && ways.runsAgainAfter(index, other))
}

/** [F22] Checks results that a key names without a template. The named step may be skipped: that is what the key tests. */
export function checkReads(scope: CheckScope): void {
  for (const placed of scope.steps) {
    const reads = KINDS[placed.step.type].reads?.(placed.step)
    if (reads !== undefined && reads.step !== "") checkRead(scope, placed, reads)
  }
}

function checkRead(scope: CheckScope, placed: Placed, { key, step, field }: { key: string; step: string; field: string }): void {
  const { where, valueAt } = placed
  const at = valueAt(key)
  const index = scope.order.get(step)
  const target = scope.step(step)
  if (index === undefined)
    return scope.report.error("FV-REF-STEP", at, `${where} checks ${shown(step)}, which does not exist`, scope.report.hint(step, scope.ids))
  if (target === undefined) return
  checkField(scope, at, `${where}, ${key}`, target, field)
  checkOrder(scope, at, `${where}, ${key}`, placed, index, undefined)
}
