// sessions.list: lists the tenant's sticky sessions, each of which an agent can continue [T25, J25]. An id may be a customer's name or a
// sender's text, so the answer is private, and tainted if a session is [G11].

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
    if (sessions.length === 0) return text("[there are no sessions]", { sessions })
    const outcome = text(sessions.map((s) => JSON.stringify(s)).join("\n"), { sessions })
    const isOutside = sessions.some(({ tainted }) => tainted !== false)
    return { ...outcome, private: true, ...(isOutside ? { source: "sessions", untrusted: true } : {}) }
  },
}

export function sessionsOf(powers: ToolPowers): Sessions {
  if (powers.sessions === undefined) throw new Error("sessions cannot be reached from here")
  return powers.sessions
}
