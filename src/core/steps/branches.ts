// Keys and checks of steps that choose among named branches [F18–F21].

import type { Placed, Scope } from "../flow/check/check-scope.ts"
import { isAhead } from "../flow/check/flow-paths.ts"
import type { Branch, BranchStep } from "../flow/flow.ts"
import type { FieldSpec } from "../flow/parse/field-table.ts"
import { shown } from "../flow/parse/report.ts"

export const BRANCHES = {
  kind: "branches",
  required: true,
  example: "branches:\n  LABEL: step-id",
  about: "label → the step that it leads to",
} as const satisfies FieldSpec
export const CAP = { kind: "integer", least: 1, about: "how often each branch that leads back may be taken" } as const satisfies FieldSpec
export const EXHAUSTED = {
  kind: "text",
  about: "the branch to take when max_iterations is used up; must lead on",
} as const satisfies FieldSpec

interface Ways {
  readonly back: readonly Branch[]
  readonly ahead: readonly Branch[]
}

export const waysOf = (step: BranchStep, { index }: Placed, { order }: Scope): Ways => ({
  back: step.branches.filter((b) => order.has(b.target) && !isAhead(order, index, b.target)),
  ahead: step.branches.filter((b) => order.has(b.target) && isAhead(order, index, b.target)),
})

/** [F18, F20] `plain`: the type of a step that does the same work and does not decide. */
export function checkDecision(step: Exclude<BranchStep, { type: "fork" }>, placed: Placed, scope: Scope, plain: string): void {
  const { where, keyAt, node } = placed
  const ways = waysOf(step, placed, scope)
  if (step.branches.length < 2 && node("branches") !== undefined)
    scope.report.error(
      "FV-DEC-MIN",
      keyAt("branches"),
      `${where} has ${step.branches.length === 1 ? "one branch" : "no branches"}: a decision needs two`,
      `add a branch, or make it a step of type ${plain}`,
    )
  const [first] = ways.back
  if (first !== undefined && step.max_iterations === undefined)
    scope.report.error("FV-DEC-LOOP", ...endless(placed, first), "max_iterations: 3")
  checkExhausted(step.on_exhausted, step.branches, ways, placed, scope)
}

/** Where a branch leads back, and that no key says how often. */
export const endless = ({ where, valueAt }: Placed, { label, target }: Branch): [ReturnType<Placed["valueAt"]>, string] => [
  valueAt("branches", label),
  `${where}: branch ${shown(label)} leads back to "${target}" and nothing says how often`,
]

function checkExhausted(
  named: string | undefined,
  branches: readonly Branch[],
  { back, ahead }: Ways,
  { where, keyAt, valueAt }: Placed,
  { report }: Scope,
): void {
  const [on] = ahead
  if (named === undefined) {
    if (back.length > 0 && ahead.length > 1 && on !== undefined)
      report.warn(
        "FV-EXHAUSTED",
        keyAt("branches"),
        `${where}: when its iterations are used up, the first branch that leads on is taken: ${shown(on.label)}`,
        `on_exhausted: ${on.label}`,
      )
    return
  }
  const at = valueAt("on_exhausted")
  const labels = branches.map((b) => b.label)
  if (!labels.includes(named))
    report.error("FV-EXHAUSTED", at, `${where}: on_exhausted names ${shown(named)}, which is no branch`, report.hint(named, labels))
  else if (back.some((b) => b.label === named))
    report.error(
      "FV-EXHAUSTED",
      at,
      `${where}: on_exhausted names ${shown(named)}, which leads back`,
      on === undefined ? "add a branch that leads on" : `on_exhausted: ${on.label}`,
    )
}
