// call_agent: runs an agent from the caller's routes as a separate run and returns its result [C41, T42].

import { defined } from "../../core/defined.ts"
import { CALL_AGENT } from "../../core/tool/toolkits.ts"
import type { JsonObject } from "../../core/json.ts"
import { text, ToolFailure, type Tool } from "../../ports/tool.ts"
import { teamOf } from "./list-agents.ts"
import { string } from "../files/workspace-file.ts"

/** The called run may wait for a person for more than a day. Its own limits, or the caller's, end it. */
const LONGEST = 7 * 86_400_000 // limit: milliseconds of a call of an agent → the call fails, and its run is canceled

export const callAgent: Tool = {
  name: CALL_AGENT,
  label: "Call agent",
  description: "Hand a piece of work to another agent and wait for its result. It knows only what your prompt tells it.",
  parameters: {
    type: "object",
    properties: {
      agent: { type: "string", minLength: 1, maxLength: 256, description: "The agent's name." },
      prompt: {
        type: "string",
        minLength: 1,
        maxLength: 100_000,
        description: "What the agent should do, with everything it needs to know.",
      },
    },
    required: ["agent", "prompt"],
    additionalProperties: false,
  },
  effect: "write",
  // The run's id is derived from the call, so a repeated call finds the run instead of starting another.
  idempotent: true,
  resumes: true,
  contexts: ["agent"],
  groups: ["flow"],
  timeout: LONGEST,
  truncate: "head",

  async execute(_callId, params, signal, _onUpdate, powers) {
    const team = teamOf(powers)
    const agent = string(params, "agent")
    const routes = team.list().map(({ name }) => name)
    if (!routes.includes(agent))
      throw new Error(`you may not call the agent ${JSON.stringify(agent)}; you may call: ${routes.join(", ") || "no one"}`)
    const answer = await team.call(agent, string(params, "prompt"), signal)
    if (!answer.ok) throw failure(`${agent}: ${answer.message}`, answer.run)
    const { run, report } = answer
    if (report.status !== "succeeded") throw failure(`${agent}: ${report.summary}`, run)
    const { summary, files, outputs, artifacts } = report
    const told: JsonObject = {
      summary,
      ...defined({ artifacts }),
      ...(files.length === 0 ? {} : { files: files.map((f) => ({ ...f })) }),
      ...(Object.keys(outputs).length === 0 ? {} : { outputs }),
    }
    const outcome = text(Object.keys(told).length === 1 ? summary : JSON.stringify(told), { agent, run, ...told })
    return report.tainted === true ? { ...outcome, source: agent, untrusted: true } : outcome
  },
}

const failure = (message: string, run?: string): ToolFailure => new ToolFailure([{ type: "text", text: message }], defined({ run }))
