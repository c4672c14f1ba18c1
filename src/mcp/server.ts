// What the MCP server answers: tools/list and tools/call, the same for both revisions. One instance serves one request.

import {
  CLIENT_CAPABILITIES_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolResult,
  type ServerContext,
} from "@modelcontextprotocol/server"
import { isObject, type JsonObject } from "../core/json.ts"
import type { McpCall } from "../ports/house.ts"
import { callTool } from "./call-tool.ts"
import { followRun, questions, startFlow, type Client } from "./call-flow.ts"
import { listTools, mainTools } from "./list-tools.ts"
import { answerOf } from "./question-form.ts"
import { readState, signState } from "./signed-state.ts"
import { flowOf } from "./tool-names.ts"

/** Newest first. `initialize` offers older clients the newest revision. */
export const REVISIONS = ["2026-07-28", "2025-11-25", "2025-06-18"]

const INSTRUCTIONS =
  "Flows of this tenant are the tools flow_*: calling one starts a run and answers with its outcome. A run continues when the client disconnects; its id is in the first progress message and in the result."

/** How the two revisions differ for flow calls. */
export interface Revision {
  /** The key from which the run's id derives. */
  key?(request: string | number): Promise<string>
  /** Asks the client's user. */
  asker?(context: ServerContext): Client["ask"]
}

export function createServer(call: McpCall, revision: Revision): Server {
  const server = new Server(
    { name: "sluice", title: "Sluice", version: call.house.version },
    {
      capabilities: { tools: {} },
      supportedProtocolVersions: REVISIONS,
      instructions: INSTRUCTIONS,
      inputRequired: { legacyShim: false },
    },
  )
  server.setRequestHandler("tools/list", async ({ params }) => {
    const page = await listTools(call, params?.cursor)
    if (!page) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The cursor is not from this list.")
    return page
  })
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const { name } = params
    const args = jsonOf(params.arguments)
    const tool = (await mainTools(call)).get(name)
    const flow = tool === undefined ? flowOf(name) : undefined
    const result = tool ? await callTool(call, tool.name, args) : flow === undefined ? undefined : await callFlow(flow, name, args, context)
    if (result === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name.slice(0, 128)}`)
    return result
  })

  async function callFlow(flow: string, name: string, args: JsonObject, context: ServerContext) {
    const { id, signal, _meta, notify, inputResponses } = context.mcpReq
    const state = context.mcpReq.requestState()
    const run =
      state === undefined ? await startFlow(call, flow, args, await revision.key?.(id)) : await resumed(name, args, state, inputResponses)
    if (typeof run !== "string") return run
    const token = _meta?.progressToken
    const progress: Client["progress"] = async (done, total, message) => {
      if (token === undefined) return
      const params = { progressToken: token, progress: done, ...(total === undefined ? {} : { total }), message }
      await notify({ method: "notifications/progress", params }).catch(() => undefined)
    }
    const mayAsk = call.caller.scopes.includes("interactions:answer")
    const ask = mayAsk ? (revision.asker?.(context) ?? inputRequired(call, name, args, context)) : undefined
    return await followRun(call, run, { signal, progress, ...(ask === undefined ? {} : { ask }) })
  }

  /** A repeated call with answers: returns the run of the first call. */
  async function resumed(
    name: string,
    args: JsonObject,
    state: unknown,
    replies: Record<string, unknown> = {},
  ): Promise<string | CallToolResult> {
    const run = typeof state === "string" ? await readState(call, name, args, state) : undefined
    if (run === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid or expired requestState")
    for (const [interaction, reply] of Object.entries(replies)) await answer(call, run, interaction, reply)
    return run
  }

  return server
}

/** 2026-07-28: the call ends with the questions and is repeated with the answers. */
function inputRequired(call: McpCall, name: string, args: JsonObject, { mcpReq }: ServerContext): Client["ask"] {
  const said: Record<string, unknown> = { ...mcpReq.envelope }
  if (!canAsk(said[CLIENT_CAPABILITIES_META_KEY])) return undefined
  return async (run, open) => {
    const requestState = open.length === 0 ? undefined : await signState(call, name, args, run)
    if (requestState === undefined) return undefined
    const asked = open.map(({ asked: { id }, form }) => [id, { method: "elicitation/create", params: { mode: "form", ...form } }] as const)
    return { resultType: "input_required", inputRequests: Object.fromEntries(asked), requestState }
  }
}

/** `elicitation: {}` means forms, as before other modes existed. */
export function canAsk(capabilities: unknown): boolean {
  const elicitation = isObject(capabilities) ? capabilities["elicitation"] : undefined
  return isObject(elicitation) && (Object.hasOwn(elicitation, "form") || Object.keys(elicitation).length === 0)
}

/** False: the reply does not answer an open question. An invalid reply leaves the question open to be asked again. */
export async function answer(call: McpCall, run: string, interaction: string, reply: unknown): Promise<boolean> {
  const asked = await call.tenant.run(run).interaction(interaction)
  const body = asked && questions(asked).length > 0 ? answerOf(asked, reply) : undefined
  if (body === undefined) return false
  return (await call.ask("POST", `/v1/runs/${run}/interactions/${encodeURIComponent(interaction)}`, body)).ok
}

const jsonOf = (args: unknown): JsonObject => JSON.parse(JSON.stringify(args ?? {}))
