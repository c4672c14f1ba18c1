// subagent: one agent, run to its end as a run of its own; for a caller outside a run only. The answer is the agent's finish,
// with the status and, when there is one, the session in front [other-systems B7].

import type { Json, JsonObject } from "../core/json.ts"
import { isObject } from "../core/json.ts"
import { text, type Tool } from "../ports/tool.ts"
import { string } from "./workspace-file.ts"

/** The child has its own limits; this one only keeps a caller from waiting for ever. */
const LONGEST = 15 * 60_000

export const subagent: Tool = {
  name: "subagent",
  label: "Run agent",
  description: "Run one agent of the catalog with a task, and get its result: status, summary, files and outputs.",
  parameters: {
    type: "object",
    properties: {
      agent: { type: "string", minLength: 1, maxLength: 256, description: "Name of the agent in the catalog." },
      task: { type: "string", minLength: 1, description: "What the agent is to do." },
      inputs: {
        type: "object",
        additionalProperties: { type: "string" },
        description: "Values of the inputs the agent declares, by name.",
      },
      sessionId: { type: "string", minLength: 1, maxLength: 256, description: "Go on with an earlier session of this agent." },
    },
    required: ["agent", "task"],
    additionalProperties: false,
  },
  effect: "write",
  contexts: ["main"],
  timeout: LONGEST,
  truncate: "head",

  async execute(_callId, params, signal, _onUpdate, powers) {
    if (powers.subagents === undefined) throw new Error("agents cannot be run from here")
    const agent = string(params, "agent")
    const sessionId = params["sessionId"] === undefined ? undefined : string(params, "sessionId")
    const result = await powers.subagents.run({
      agent,
      task: string(params, "task"),
      inputs: strings(params["inputs"]),
      signal,
      ...(sessionId === undefined ? {} : { sessionId }),
    })
    switch (result.kind) {
      case "failed":
        throw new Error(`${agent}: ${result.message}${result.runId === undefined ? "" : ` (run ${result.runId})`}`)
      case "waiting":
        return text(`**Status:** waiting\n**Run:** \`${result.runId}\`\n\n---\n\nThe agent waits for a person: answer it at the run.`, {
          runId: result.runId,
          waiting: true,
        })
      case "ended": {
        const status = result.finish["status"]
        const head = [`**Status:** ${typeof status === "string" ? status : "unknown"}`, `**Run:** \`${result.runId}\``]
        if (sessionId !== undefined) head.push(`**Session ID:** \`${sessionId}\``)
        return text(`${head.join("\n")}\n\n---\n\n${JSON.stringify(result.finish, null, 2)}`, {
          runId: result.runId,
          finish: result.finish,
          ...(sessionId === undefined ? {} : { sessionId }),
        } satisfies JsonObject)
      }
    }
  },
}

const strings = (value: Json | undefined): Record<string, string> => {
  const out: Record<string, string> = {}
  if (isObject(value)) for (const [name, item] of Object.entries(value)) if (typeof item === "string") out[name] = item
  return out
}
