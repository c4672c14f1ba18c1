// sessions.list: the tenant's sticky sessions, each of which an agent can continue [T25, J25].

import { text, type Tool, type ToolPowers, type Sessions } from "../../ports/tool.ts"

export const sessionsList: Tool = {
  name: "sessions.list",
  label: "List sessions",
  description: "List the sessions that agents can continue, as JSON.",
  parameters: { type: "object", properties: {}, additionalProperties: false },
  effect: "read",
  contexts: ["agent", "main"],
  groups: ["flow"],
  truncate: "head",

  async execute(_callId, _params, _signal, _onUpdate, powers) {
    const sessions = [...(await sessionsOf(powers).list())]
    return text(sessions.length === 0 ? "[there are no sessions]" : sessions.map((s) => JSON.stringify(s)).join("\n"), { sessions })
  },
}

export function sessionsOf(powers: ToolPowers): Sessions {
  if (powers.sessions === undefined) throw new Error("sessions cannot be reached from here")
  return powers.sessions
}
