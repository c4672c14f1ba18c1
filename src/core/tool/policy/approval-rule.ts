// Parses and evaluates an approval rule [Q4]: `never`, `always`, or `{kind: dynamic, value}` with a condition or the name of a predicate. A
// rule is parsed when it is saved (settings, agents, flows, registered tools), so no unknown rule is ever stored, and evaluated at each
// call.

import { isObject, type JsonObject } from "../../json.ts"
import { nearest } from "../../text/nearest.ts"
import { short } from "../../text/pointer.ts"
import { err, ok, type Result } from "../../result.ts"
import type { ToolSpec } from "../tool-spec.ts"
import { evaluate, parseCondition } from "./condition.ts"
import type { ApprovalRule } from "./policy.ts"
import { PREDICATES } from "./predicates.ts"

export interface RuleFault {
  readonly message: string
  readonly suggestion?: string
}

const FORMS = 'never, always, or {kind: dynamic, value: "args.amount > 10000"}'

export function parseApprovalRule(value: unknown): Result<ApprovalRule, RuleFault> {
  if (value === "never" || value === "always") return ok(value)
  if (!isObject(value)) return err({ message: `must be ${FORMS}` })
  const other = Object.keys(value).find((key) => key !== "kind" && key !== "value")
  if (other !== undefined) return err({ message: `unknown field ${short(other)}`, suggestion: "known: kind, value" })
  if (value["kind"] !== "dynamic") return err({ message: `kind must be dynamic: a rule is ${FORMS}` })
  const given = value["value"]
  if (typeof given !== "string" || given.trim() === "") return err({ message: "value must be a condition or the name of a predicate" })
  const text = given.trim()
  if (isPredicateName(text)) {
    if (PREDICATES.has(text)) return ok({ kind: "dynamic", value: text })
    const near = nearest(text, PREDICATES.keys())
    return err({
      message: `unknown predicate ${short(text)}`,
      suggestion: `${near === undefined ? "" : `did you mean ${near}? `}known: ${[...PREDICATES.keys()].join(", ")}; or a condition: args.amount > 10000`,
    })
  }
  const condition = parseCondition(text, { root: "args" })
  return condition.ok
    ? ok({ kind: "dynamic", value: text })
    : err({
        message: `${condition.error.message} (character ${condition.error.at + 1})`,
        suggestion: 'args.amount > 10000 && args.to != "me"',
      })
}

/** The arguments that a rule reads, each as a path. */
export function argumentsOf(rule: ApprovalRule): readonly (readonly string[])[] {
  if (typeof rule === "string" || isPredicateName(rule.value)) return []
  const condition = parseCondition(rule.value, { root: "args" })
  return condition.ok ? condition.value.any.flatMap((all) => all.map(({ path }) => path)) : []
}

const isPredicateName = (text: string): boolean => /^[A-Za-z_][A-Za-z0-9_-]*$/.test(text)

/** Tells whether this rule requires approval of this call. A condition that cannot be decided requires it. */
export function asks(rule: ApprovalRule, tool: ToolSpec, args: JsonObject): boolean {
  if (rule === "never" || rule === "always") return rule === "always"
  if (isPredicateName(rule.value)) return PREDICATES.get(rule.value)?.holds(tool, args) ?? true
  const condition = parseCondition(rule.value, { root: "args" })
  return !condition.ok || evaluate(condition.value, args) !== false
}
