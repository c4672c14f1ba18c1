// sessions.delete: deletes a sticky session and its transcript; its id is unknown afterwards [T25, J25].

import { text, type Tool } from "../../ports/tool.ts"
import { sessionsOf } from "./sessions-list.ts"
import { string } from "../files/workspace-file.ts"

export const sessionsDelete: Tool = {
  name: "sessions.delete",
  label: "Delete session",
  description: "Delete a session of an agent with its transcript, for good.",
  parameters: {
    type: "object",
    properties: {
      agent: { type: "string", minLength: 1, maxLength: 256, description: "Name of the agent." },
      sessionId: { type: "string", minLength: 1, maxLength: 256, description: "Id of the session, as sessions.list gives it." },
    },
    required: ["agent", "sessionId"],
    additionalProperties: false,
  },
  effect: "write",
  contexts: ["agent", "main"],
  groups: ["flow"],
  // Later runs miss what it deletes [G11].
  reach: { to: { within: "tenant" }, method: { fixed: "POST" } },

  async execute(_callId, params, _signal, _onUpdate, powers) {
    const agent = string(params, "agent")
    const sessionId = string(params, "sessionId")
    if (!(await sessionsOf(powers).remove(agent, sessionId)))
      throw new Error(`there is no session ${sessionId} of ${agent}: see sessions.list`)
    return text(`Session ${sessionId} of ${agent} is deleted.`, { agent, sessionId })
  },
}
