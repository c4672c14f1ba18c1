// list_agents: lists the agents to which the caller may hand work [C41, C42, T42].

import type { Team, ToolPowers } from "../../ports/tool.ts"
import { text, type Tool } from "../../ports/tool.ts"

export const listAgents: Tool = {
  name: "list_agents",
  label: "List agents",
  description: "List the agents that you may hand work to with call_agent: their names, roles and what they do.",
  parameters: { type: "object", properties: {}, additionalProperties: false },
  effect: "read",
  contexts: ["agent"],
  groups: ["flow"],

  async execute(_callId, _params, _signal, _onUpdate, powers) {
    const agents = teamOf(powers)
      .list()
      .map((mate) => ({ ...mate }))
    return text(JSON.stringify(agents, null, 2), { agents })
  },
}

export function teamOf(powers: ToolPowers): Team {
  if (powers.team === undefined) throw new Error("agents can hand work to each other only inside a run")
  return powers.team
}
