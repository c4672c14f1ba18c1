// Finds the steps that differ between a fork and its source [K7]: in the step itself, or in its agent, the agent's skills, the model, the
// handler or the child flow.

import { codePathOf } from "../../flow/code-file.ts"
import { agentNameOf, childFlowOf, runsChildren, type Step } from "../../flow/flow.ts"
import { canonical, type Json } from "../../json.ts"
import type { Pins } from "../event-parts.ts"
import type { Plan } from "../plan.ts"

export interface Defined {
  readonly plan: Plan
  readonly pins: Pins
}

/** The changed steps in the order of the fork's flow, then those that it no longer has. */
export function changedSteps(before: Defined, after: Defined): string[] {
  const ids = [...after.plan.stepIds, ...before.plan.stepIds.filter((id) => !after.plan.steps.has(id))]
  return ids.filter((id) => definitionOf(before, id) !== definitionOf(after, id))
}

/** All that a step is defined by, as one text. */
function definitionOf({ plan, pins }: Defined, id: string): string | undefined {
  const step = plan.steps.get(id)
  if (!step) return undefined
  const named = [agentPart(plan, pins, step), codePart(pins, step), runsChildren(step) ? (pins.flows?.[childFlowOf(step)] ?? null) : null]
  return canonical([step, ...named])
}

function agentPart(plan: Plan, pins: Pins, step: Step): Json {
  const name = agentNameOf(step)
  if (name === undefined) return null
  const skills = (plan.agents[name]?.skills ?? []).map((skill) => pins.skills[skill] ?? null)
  const key = `${name}@${step.id}`
  return [pins.agents[name] ?? null, skills, pins.models[key] ?? pins.models[name] ?? null]
}

function codePart(pins: Pins, step: Step): Json {
  if (step.type !== "code" && step.type !== "code-decision") return null
  return pins.code?.[codePathOf(pins.flow.id, step.id, "js")] ?? null
}
