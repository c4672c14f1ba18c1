// subagent: runs one agent to its end as a separate run, for callers outside a run only [G8]. The answer is the agent's
// finish, preceded by its status and session for clients that show no details (B7 in docs/PARITY.md).

import { defined } from "../../core/defined.ts"
import { MAX_ARG_BYTES } from "../../core/schema/arg-value.ts"
import type { Json, JsonObject } from "../../core/json.ts"
import { isObject } from "../../core/json.ts"
import { SESSION_ID } from "../../core/run/session/sticky.ts"
import { text, ToolFailure, type Finalized, type Tool } from "../../ports/tool.ts"
import { string } from "../files/workspace-file.ts"
import { setOutValue } from "../../core/outside/set-out.ts"

/** The child run has its own limits; this one only bounds how long the caller waits. */
const LONGEST = 15 * 60_000 // limit: milliseconds that `subagent` waits → it answers that the run continues

export const subagent: Tool = {
  name: "subagent",
  label: "Run agent",
  description: "Run one agent of the catalog with a task, and get its result: status, summary, files and outputs.",
  parameters: {
    type: "object",
    properties: {
      agent: { type: "string", minLength: 1, maxLength: 256, description: "Name of the agent in the catalog." },
      task: { type: "string", minLength: 1, maxLength: MAX_ARG_BYTES, description: "What the agent should do." },
      inputs: {
        type: "object",
        maxProperties: 200,
        additionalProperties: { type: "string", maxLength: MAX_ARG_BYTES },
        description: "Values of the inputs the agent declares, by name.",
      },
      sessionId: { type: "string", pattern: SESSION_ID, description: "Id of an earlier session of this agent to continue." },
    },
    required: ["agent", "task"],
    additionalProperties: false,
  },
  effect: "write",
  // A repeated call with the same Idempotency-Key waits for the run that the first call started [H4].
  idempotent: true,
  resumes: true,
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
      ...defined({ sessionId }),
    })
    switch (result.kind) {
      case "session":
        throw new ToolFailure([{ type: "text", text: result.message }], { sessionId: result.sessionId })
      case "failed": {
        const { message, runId, sessionId: session } = result
        const told = `${head("ERROR", session)}${agent}: ${message}${runId === undefined ? "" : ` (run ${runId})`}`
        throw new ToolFailure([{ type: "text", text: told }], defined({ sessionId: session, runId }))
      }
      case "waiting": {
        const { runId, sessionId: session } = result
        return text(
          `${head("WAITING", session)}The agent is not done: it waits for a person or is still at work. See the run \`${runId}\`.`,
          {
            sessionId: session,
            runId,
            waiting: true,
          },
        )
      }
      case "ended": {
        const { runId, sessionId: session, finish, finalized } = result
        return text(`${head(finalized.status, session)}${told(finalized)}${more(finish)}`, {
          sessionId: session,
          runId,
          finish,
          finalized: { ...finalized },
        })
      }
    }
  },
}

const head = (status: string, session: string | undefined): string =>
  `**Status:** ${status}\n${session === undefined ? "" : `**Session ID:** \`${session}\`\n`}\n---\n\n`

const told = (f: Finalized): string => (f.status === "SUCCESS" ? f.result : f.result === undefined ? f.error : `${f.error}\n\n${f.result}`)

/** The files and outputs of a finish. */
function more(finish: JsonObject): string {
  const { status: _status, summary: _summary, files, artifacts, ...outputs } = finish
  const rest: JsonObject = {
    ...(Array.isArray(files) && files.length > 0 ? { files } : {}),
    ...(artifacts === undefined || finish["status"] !== "complete" ? {} : { artifacts }),
    ...outputs,
  }
  return Object.keys(rest).length === 0 ? "" : `\n\n${setOutValue(rest)}`
}

const strings = (value: Json | undefined): Record<string, string> => {
  const out: Record<string, string> = {}
  if (isObject(value)) for (const [name, item] of Object.entries(value)) if (typeof item === "string") out[name] = item
  return out
}
