// Defines the shared parts of the `plans` toolkit [C33, T41]: a plan's id, and its form for an agent.

import { defined } from "../../core/defined.ts"
import type { JsonObject, JsonSchema } from "../../core/json.ts"
import type { Plans, PlanView } from "../../ports/tenant/authoring/plans.ts"
import type { ToolOutcome, ToolPowers } from "../../ports/tool.ts"

export const PLAN_ID: JsonSchema = {
  type: "string",
  pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$",
  description: "The plan's id, once in a run: letters, digits, `.`, `_` and `-`.",
}

export function plansOf(powers: ToolPowers): Plans {
  if (powers.plans === undefined) throw new Error("plans exist only inside a run")
  return powers.plans
}

/** [G11] Marks a result with the taint of the plan's author. */
export const marked = ({ tainted, private: isPrivate }: PlanView, outcome: ToolOutcome): ToolOutcome => ({
  ...outcome,
  ...(tainted === true ? { source: "plan", untrusted: true } : {}),
  ...(isPrivate === true ? { private: true } : {}),
})

export function planShown({ planId, plan, state, display, body, result, error }: PlanView): JsonObject {
  return {
    planId,
    specName: plan,
    status: state,
    ...defined({ display }),
    body,
    ...(result === undefined ? {} : { result: result === null ? null : { ...result } }),
    ...defined({ error }),
  }
}
