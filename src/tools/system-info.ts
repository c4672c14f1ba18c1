// system.info: what this deployment is and allows [T25]. Facts of the Worker; there is no host to tell of.

import { text, type Tool } from "../ports/tool.ts"

export const systemInfo: Tool = {
  name: "system.info",
  label: "System",
  description: "What this system is: its version, its environment, which services it is bound to, and the limits of tools. Answers JSON.",
  parameters: { type: "object", properties: {}, additionalProperties: false },
  effect: "read",
  contexts: ["main", "agent", "architect"],

  async execute(_callId, _params, _signal, _onUpdate, powers) {
    if (powers.system === undefined) throw new Error("this deployment tells nothing about itself")
    const facts = await powers.system.info()
    return text(JSON.stringify(facts, null, 2), facts)
  },
}
