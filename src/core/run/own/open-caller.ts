// Opens a step that calls tools itself, without an agent [F26], and wants its calls. From the guard on, such a call is one like any other: same
// rules, approvals, effects, retries and events.

import { ownTools, type Step } from "../../flow/flow.ts"
import type { JsonObject } from "../../json.ts"
import type { Policy } from "../../tool/policy/policy.ts"
import type { CallsWish } from "../action.ts"
import type { ToolCall } from "../event-parts.ts"
import type { Fact, FactOf } from "../event.ts"
import { callsKey } from "../key.ts"
import type { Plan } from "../plan.ts"
import { mayHold, verdictFor } from "../session/grant.ts"
import { taint } from "../session/taint.ts"
import { stepState, type Run } from "../state.ts"
import { callerName } from "./caller.ts"

interface Given {
  readonly values: JsonObject
  /** [G11] The texts that the values were made from. */
  readonly templates: readonly string[]
  readonly warnings: readonly Fact[]
}

/** The facts of entering such a step. */
export function openCaller(run: Run, step: Step, { values, templates, warnings }: Given): Fact[] {
  const opened: FactOf<"step.opened"> = {
    type: "step.opened",
    step: step.id,
    stepType: step.type,
    pass: stepState(run, step.id).pass,
    tools: grantedTo(run.plan, step, run.rules.policy),
    values,
    ...taint(run, templates),
    calls: true,
  }
  return [opened, ...warnings]
}

/** [G1] The tools that the policy grants as the step opens. */
function grantedTo(plan: Plan, step: Step, policy: Policy): string[] {
  const caller = plan.agents[callerName(step.id)]
  return ownTools(step).filter((name) => {
    const tool = plan.tools.get(name)
    return tool !== undefined && caller !== undefined && mayHold(caller, tool) && verdictFor(plan, caller, tool, policy).granted
  })
}

/** Wants these calls to come before the guard; nothing while they are on their way. */
export function callsWish(run: Run, step: string, calls: readonly ToolCall[]): CallsWish[] {
  const { pass, session } = stepState(run, step)
  const key = callsKey(step, pass, session?.turn ?? 0)
  return Object.hasOwn(run.underway, key) ? [] : [{ do: "make-calls", key, step, calls }]
}
