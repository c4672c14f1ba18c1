// Computes the tools that an agent's session may call [G1], [F53], from the agent's list, its role, the tenant's policy and its skills' manifests.

import { defined } from "../../defined.ts"
import type { Agent } from "../../flow/agent.ts"
import { TOOLKIT_TOOLS, toolkitTools } from "../../tool/toolkits.ts"
import type { Policy } from "../../tool/policy/policy.ts"
import { providerOf, verdictOf, type Holder, type GrantVerdict } from "../../tool/policy/resolve.ts"
import { isPattern, matchesTool } from "../../tool/policy/tool-names.ts"
import type { ToolSpec } from "../../tool/tool-spec.ts"
import { finishNameOf } from "./finish.ts"
import type { Plan } from "../plan.ts"

export const ARCHITECT = "architect"

/** [T5] No agent declares it: a session gets it with its first cut result. */
export const READ_OUTPUT = "read_output"

/** [G8] Tells whether the role may have the tool. Some tools are not for agents, some only for the architect. */
export const mayHold = (agent: Agent, tool: ToolSpec): boolean =>
  tool.contexts.includes("agent") || (agent.role === ARCHITECT && tool.contexts.includes("architect"))

/** The agent as the policy sees it. `model`: the pinned reference of the session. */
export const holderOf = (plan: Plan, agent: Agent, model: string | undefined): Holder => {
  const provider = providerOf(model)
  const skills = agent.skills.flatMap((name) => {
    const permissions = plan.skills[name]?.permissions
    return permissions ? [{ name, permissions }] : []
  })
  return { agent: agent.name, ...defined({ provider }), skills }
}

/** The tools that an agent declares, by name, glob or inheritance, whether granted or not. */
export function wished(plan: Plan, agent: Agent): ReadonlySet<string> {
  const names = new Set<string>()
  if (agent.tools.kind === "list") {
    for (const name of agent.tools.names) {
      if (isPattern(name)) for (const tool of plan.tools.values()) if (matchesTool(name, tool)) names.add(tool.name)
      if (plan.tools.has(name)) names.add(name)
    }
  } else {
    // Each tool once: its other names would only lengthen the prompt.
    for (const tool of plan.tools.values())
      if (
        tool.contexts.includes("agent") &&
        !TOOLKIT_TOOLS.has(tool.name) &&
        (tool.same ?? tool.name) === tool.name &&
        !agent.tools.denied.some((d) => matchesTool(d, tool))
      )
        names.add(tool.name)
  }
  for (const name of toolkitTools(agent)) if (plan.tools.has(name)) names.add(name)
  names.delete(READ_OUTPUT)
  names.delete("tool_search")
  return names
}

/** The effective list, stored on the step: the model sees only these tools, and the guard admits only these. */
export function grantOf(plan: Plan, agent: Agent, autonomous: boolean, policy: Policy, model?: string): string[] {
  const holder = holderOf(plan, agent, model)
  const granted = (name: string): boolean => {
    const tool = plan.tools.get(name)
    return tool !== undefined && verdictOf(tool, policy, holder).granted
  }
  const names = new Set(
    [...wished(plan, agent)].filter((name) => {
      const tool = plan.tools.get(name)
      return tool !== undefined && mayHold(agent, tool) && granted(name)
    }),
  )
  names.delete("ask_user")
  if (!autonomous && granted("ask_user")) names.add("ask_user")
  if (agent.skills.length === 0) names.delete("skill_read")
  else if (granted("skill_read")) names.add("skill_read")
  return [...names, finishNameOf(agent)]
}

/** Tells whether this policy grants the tool to the agent, and by which rule. */
export const verdictFor = (plan: Plan, agent: Agent, tool: ToolSpec, policy: Policy, model?: string): GrantVerdict =>
  verdictOf(tool, policy, holderOf(plan, agent, model))
