// Defines the keys and checks of steps that choose among named branches [F18–F21].

import type { Placed, CheckScope } from "../flow/check/check-scope.ts"
import { isAhead } from "../flow/check/entries.ts"
import type { Branch, BranchStep } from "../flow/flow.ts"
import type { FieldSpec } from "../flow/parse/field-table.ts"
import { shown } from "../flow/parse/report.ts"

export const BRANCHES = {
  kind: "branches",
  required: true,
  example: "branches:\n  LABEL: step-id",
  about: "label → the id of the step that it leads to",
} as const satisfies FieldSpec
export const CAP = {
  kind: "integer",
  least: 1,
  about: "the maximum number of times that each branch back may be taken",
} as const satisfies FieldSpec
export const EXHAUSTED = {
  kind: "text",
  about: "the branch to take when max_iterations is used up; it must lead to a later step",
} as const satisfies FieldSpec

interface Ways {
  readonly back: readonly Branch[]
  readonly ahead: readonly Branch[]
}

export const waysOf = (step: BranchStep, { index }: Placed, { order }: CheckScope): Ways => ({
  back: step.branches.filter((b) => order.has(b.target) && !isAhead(order, index, b.target)),
  ahead: step.branches.filter((b) => order.has(b.target) && isAhead(order, index, b.target)),
})

/** [F18, F20] `plain`: the step type that does the same work without a decision. */
export function checkDecision(step: Exclude<BranchStep, { type: "fork" }>, placed: Placed, scope: CheckScope, plain: string): void {
  const { where, keyAt, node } = placed
  const ways = waysOf(step, placed, scope)
  if (step.branches.length < 2 && node("branches") !== undefined)
    scope.report.error(
      "FV-DEC-MIN",
      keyAt("branches"),
      `${where} has ${step.branches.length === 1 ? "one branch" : "no branches"}: a decision needs at least two`,
      `add a branch, or make it a step of type ${plain}`,
    )
  const [first] = ways.back
  if (first !== undefined && step.max_iterations === undefined)
    scope.report.error("FV-DEC-LOOP", ...endless(placed, first), "max_iterations: 3")
  checkExhausted(step.on_exhausted, step.branches, ways, placed, scope)
}

/** The place and message for a branch that leads back without a limit. */
export const endless = ({ where, valueAt }: Placed, { label, target }: Branch): [ReturnType<Placed["valueAt"]>, string] => [
  valueAt("branches", label),
  `${where}: branch ${shown(label)} leads back to "${target}" without a limit`,
]

function checkExhausted(
  named: string | undefined,
  branches: readonly Branch[],
  { back, ahead }: Ways,
  { where, keyAt, valueAt }: Placed,
  { report }: CheckScope,
): void {
  const [on] = ahead
  if (named === undefined) {
    if (back.length > 0 && ahead.length > 1 && on !== undefined)
      report.warn(
        "FV-EXHAUSTED",
        keyAt("branches"),
        `${where}: when its iterations are used up, the run takes the first branch that leads forward: ${shown(on.label)}`,
        `on_exhausted: ${on.label}`,
      )
    return
  }
  const at = valueAt("on_exhausted")
  const labels = branches.map((b) => b.label)
  if (!labels.includes(named))
    report.error("FV-EXHAUSTED", at, `${where}: on_exhausted names ${shown(named)}, which is not a branch`, report.hint(named, labels))
  else if (back.some((b) => b.label === named))
    report.error(
      "FV-EXHAUSTED",
      at,
      `${where}: on_exhausted names ${shown(named)}, which leads back`,
      on === undefined ? "add a branch that leads forward" : `on_exhausted: ${on.label}`,
    )
}
