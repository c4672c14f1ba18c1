// Explains which tools a session may call, and by which rule [G1], [T33]: for a step, by the grant stored when it was opened; for an agent,
// by the grant that a run would get now.

import { defined } from "../../defined.ts"
import type { Agent } from "../../flow/agent.ts"
import type { Policy } from "../../tool/policy/policy.ts"
import { finishNameOf } from "./finish.ts"
import { grantOf, mayHold, verdictFor, wished } from "./grant.ts"
import { TOOL_SEARCH } from "./tool-search.ts"
import { agentNameOf, ownTools } from "../../flow/flow.ts"
import { callerName } from "../own/caller.ts"
import type { Plan } from "../plan.ts"
import type { Run } from "../state.ts"

export interface ToolRule {
  readonly name: string
  readonly granted: boolean
  readonly rule: string
}

export interface Grant {
  readonly plan: Plan
  readonly agent: Agent
  readonly autonomous: boolean
  readonly policy: Policy
  /** The pinned reference of the model. */
  readonly model?: string
  /** The grant stored on the step; absent: the step was never opened. */
  readonly stored?: readonly string[]
}

/** undefined: there is no such step. A step without an agent has no tools. */
export function explainTools(run: Run, id: string): ToolRule[] | undefined {
  const step = run.plan.steps.get(id)
  if (!step) return undefined
  const isOwn = ownTools(step).length > 0
  const name = isOwn ? callerName(id) : (agentNameOf(step) ?? "")
  const agent = run.plan.agents[name]
  if (!agent) return []
  const state = Object.hasOwn(run.steps, id) ? run.steps[id] : undefined
  const models = run.pins?.models ?? {}
  const model = state?.session?.model ?? models[`${name}@${id}`] ?? models[name]
  const rules = grantRules({
    plan: run.plan,
    agent,
    autonomous: run.autonomous,
    policy: run.rules.policy,
    ...defined({ model }),
    ...(state && state.tools.length > 0 ? { stored: [...state.tools, ...(state.session?.searched ?? [])] } : {}),
  })
  // [F26] Such a step has its own tools, and nothing of a session's.
  return isOwn ? rules.filter((rule) => ownTools(step).includes(rule.name)) : rules
}

/** One row per tool, the agent's finish first. A policy narrowed since the grant applies at once, a widened policy does not. */
export function grantRules({ plan, agent, autonomous, policy, model, stored }: Grant): ToolRule[] {
  const ending = finishNameOf(agent)
  const now = grantOf(plan, agent, autonomous, policy, model)
  const wishes = wished(plan, agent)
  const rows = [...plan.tools.values()].map((tool): ToolRule => {
    const { name } = tool
    const verdict = verdictFor(plan, agent, tool, policy, model)
    const granted = now.includes(name) && (stored?.includes(name) ?? true)
    const row = (rule: string): ToolRule => ({ name, granted, rule })
    if (!mayHold(agent, tool)) return row("role: not for agents of this role")
    if (name === "ask_user" && autonomous) return row("the run is autonomous: nobody is asked")
    if (name === "skill_read" && agent.skills.length === 0) return row("the agent declares no skills")
    if (name === TOOL_SEARCH) return row("added when the agent has too many registered tools to list")
    if (name === "read_output") return row("added with the first truncated result")
    if (name !== "ask_user" && name !== "skill_read" && !wishes.has(name)) return row(`agent ${agent.name} does not declare it`)
    if (verdict.granted && !granted) return row(`${verdict.rule}, but not when the step was opened`)
    return row(verdict.rule)
  })
  return [{ name: ending, granted: true, rule: `outside policy: every session of the agent has ${ending}` }, ...rows]
}
