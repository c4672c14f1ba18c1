// agent_catalog: lists the agents for a flow's author. Needs the role architect, or a key with the scope [G8].

import type { Json } from "../../core/json.ts"
import { text, type Tool } from "../../ports/tool.ts"

export const agentCatalog: Tool = {
  name: "agent_catalog",
  label: "Agent catalog",
  description: "List every agent of the catalog with its description, tools, inputs, outputs and notes for flow design, as JSON.",
  parameters: { type: "object", properties: {}, additionalProperties: false },
  effect: "read",
  contexts: ["main", "architect"],
  truncate: "head",

  async execute(_callId, _params, _signal, _onUpdate, powers) {
    if (powers.author === undefined)
      throw new Error("the catalog is not open here: it needs role architect, or a key with scope catalog:read")
    // The seed's answer is JSON text; the details carry the same list as data, for display.
    const agents: Json = JSON.parse(JSON.stringify(await powers.author.agents()))
    return text(JSON.stringify(agents, null, 2), agents)
  },
}
