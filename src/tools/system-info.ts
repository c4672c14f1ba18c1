// system.info: facts about this deployment and its limits [T25].

import { text, type Tool } from "../ports/tool.ts"

export const systemInfo: Tool = {
  name: "system.info",
  label: "System",
  description: "What this system is: its version, its environment, which services it is bound to, and the limits of tools. Answers JSON.",
  parameters: { type: "object", properties: {}, additionalProperties: false },
  effect: "read",
  contexts: ["main", "agent", "architect"],

  async execute(_callId, _params, _signal, _onUpdate, powers) {
    if (powers.system === undefined) throw new Error("this deployment provides no information about itself")
    const facts = await powers.system.info()
    return text(JSON.stringify(facts, null, 2), facts)
  },
}
