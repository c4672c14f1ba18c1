// Answers for the MCP server: tools, resources, prompts and completions, the same for both revisions. One instance serves one request.

import {
  CLIENT_CAPABILITIES_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type CallToolResult,
  type ServerContext,
} from "@modelcontextprotocol/server"
import { defined } from "../core/defined.ts"
import { isObject, type JsonObject } from "../core/json.ts"
import { barred } from "../core/tool/policy/main-gate.ts"
import { absentTool } from "../core/tool/absent-tool.ts"
import type { ToolSpec } from "../core/tool/tool-spec.ts"
import type { McpCall } from "../ports/services.ts"
import { ASK, askPerson, outsideId, viewOf } from "./ask-person.ts"
import { callTool, errorText } from "./call-tool.ts"
import { startBody } from "./flow-tool.ts"
import { followRun, questions, startFlow, type Client } from "./call-flow.ts"
import { complete } from "./completions.ts"
import { flowResults, readResults } from "./flow-results.ts"
import { listTools, mainTools } from "./list-tools.ts"
import { filledPrompt, listPrompts, promptFlow } from "./prompts.ts"
import { answerOf } from "./question-form.ts"
import { listResources, readResource, TEMPLATES } from "./resources.ts"
import { serveSkills, SKILLS } from "./skills.ts"
import { readState, signState } from "./signed-state.ts"
import { flowsOf } from "./tool-names.ts"
import { nameAt, questionOf } from "../engine/run/open-questions.ts"

/** Newest first. `initialize` offers older clients the newest revision. */
export const REVISIONS = ["2026-07-28", "2025-11-25", "2025-06-18"]

const INSTRUCTIONS =
  "Flows of this tenant are the tools flow_*: calling one starts a run and answers with its outcome. A run continues when the client disconnects; its id is in the first progress message and in the result. flow_results reads what earlier runs found; the files of runs are resources."

/** The differences of a revision for flow calls. */
export interface McpRevision {
  /** The key from which the run's id derives. */
  key?(request: string | number): Promise<string>
  /** Asks the client's user. */
  asker?(context: ServerContext): Client["ask"]
}

export function createServer(call: McpCall, revision: McpRevision): Server {
  const server = new Server(
    { name: "sluice", title: "Sluice", version: call.services.version },
    {
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {}, extensions: { [SKILLS]: {} } },
      supportedProtocolVersions: REVISIONS,
      instructions: INSTRUCTIONS,
      inputRequired: { legacyShim: false },
    },
  )
  server.setRequestHandler("tools/list", async ({ params }) => paged(await listTools(call, params?.cursor)))
  server.setRequestHandler("resources/list", async ({ params }) => paged(await listResources(call, params?.cursor)))
  serveSkills(server, call)
  server.setRequestHandler("resources/templates/list", async () => ({ resourceTemplates: TEMPLATES }))
  server.setRequestHandler("prompts/list", async ({ params }) => paged(await listPrompts(call, params?.cursor)))
  server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
    const read = await readResource(call, uri)
    if (read === undefined) throw new ResourceNotFoundError(uri.slice(0, 2_000))
    return typeof read === "string" ? wrong(`The resource cannot be read: ${read}.`) : read
  })
  server.setRequestHandler("prompts/get", async ({ params: { name, arguments: given = {} } }) => {
    const flow = (await promptFlow(call, name)) ?? wrong(`Unknown prompt: ${name.slice(0, 128)}`)
    const prompt = filledPrompt(flow, given)
    return typeof prompt === "string" ? wrong(`The prompt ${flow.name} cannot be filled: ${prompt}.`) : prompt
  })
  server.setRequestHandler("completion/complete", async ({ params }) => {
    return (await complete(call, params)) ?? wrong("Unknown prompt or resource template.")
  })
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const { name } = params
    const args = jsonOf(params.arguments)
    const { listed, spelled, builtins } = await mainTools(call)
    const flows = await flowsOf(name, builtins, async () => (await call.tenant.catalog.files("flow")).data.map(({ id }) => id))
    const tool = listed.get(name) ?? (flows.length > 0 ? undefined : spelled.get(name))
    const own = tool ? await callMain(tool, name, args, context) : undefined
    if (own) return own
    for (const flow of flows) {
      const result = await callFlow(flow, name, args, context)
      if (result) return result
    }
    const other = tool ? undefined : spelled.get(name)
    return (other && (await callMain(other, name, args, context))) ?? absentHere(name) ?? wrong(absentTool(name))
  })

  /** [T25] A tool that this instance lacks: the same sentence as over the API. */
  function absentHere(name: string): CallToolResult | undefined {
    const found = [...(call.services.missing ?? [])].find(([tool]) => [tool, tool.replaceAll(/[^A-Za-z0-9_-]/g, "_")].includes(name))
    return found && errorText(`not_configured: ${absentTool(found[0], { reason: found[1] })}`)
  }

  /** undefined: no such tool for this caller. */
  async function callMain(tool: ToolSpec, name: string, args: JsonObject, context: ServerContext) {
    if (tool.name === ASK) return asked(name, args, context)
    if (tool.name !== flowResults.name) return callTool(call, tool.name, args)
    const gate = barred(flowResults, args, await call.tenant.settings.rules())
    return gate ? errorText(`${gate.code}: ${gate.reason}`) : readResults(call, args)
  }

  async function asked(name: string, args: JsonObject, context: ServerContext) {
    const { id, signal, inputResponses } = context.mcpReq
    const state = context.mcpReq.requestState()
    const run = state === undefined ? undefined : await resumed(name, args, state, inputResponses)
    const key = await revision.key?.(id)
    const ask = askerOf(name, args, context)
    return askPerson(call, args, { signal, ...defined({ ask }) }, defined({ run, key }))
  }

  function askerOf(name: string, args: JsonObject, context: ServerContext): Client["ask"] {
    const mayAsk = call.caller.scopes.includes("interactions:answer")
    return mayAsk ? (revision.asker?.(context) ?? inputRequired(call, name, args, context)) : undefined
  }

  async function callFlow(flow: string, name: string, args: JsonObject, context: ServerContext) {
    const { id, signal, _meta, notify, inputResponses } = context.mcpReq
    const state = context.mcpReq.requestState()
    const run =
      state === undefined
        ? await startFlow(call, flow, startBody(args, _meta), await revision.key?.(id))
        : await resumed(name, args, state, inputResponses)
    if (typeof run !== "string") return run
    const token = _meta?.progressToken
    const progress: Client["progress"] = async (done, total, message) => {
      if (token === undefined) return
      const params = { progressToken: token, progress: done, ...defined({ total }), message }
      await notify({ method: "notifications/progress", params }).catch(() => undefined)
    }
    const ask = askerOf(name, args, context)
    return await followRun(call, run, { signal, progress, ...defined({ ask }) })
  }

  /** A repeated call with answers: returns the run of the first call. */
  async function resumed(name: string, args: JsonObject, state: unknown, replies: Record<string, unknown> = {}): Promise<string> {
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
    const asked = open.map(
      ({ asked, form }) => [nameAt(run, asked), { method: "elicitation/create", params: { mode: "form", ...form } }] as const,
    )
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
  const outside = outsideId(run)
  const question = outside === interaction ? await call.tenant.questions.find(outside) : undefined
  const asked = outside === undefined ? await askedAt(call, run, interaction) : question && viewOf(question)
  const body = asked && questions(asked).length > 0 ? answerOf(asked, reply) : undefined
  if (asked === undefined || body === undefined) return false
  const place = outside === undefined ? `/v1/runs/${asked.run}/interactions` : "/v1/interactions"
  return (await call.ask("POST", `${place}/${encodeURIComponent(asked.id)}`, { ...body })).ok
}

/** A question of the run, or of one below it [P5]. */
const askedAt = ({ tenant }: McpCall, run: string, name: string) =>
  name.startsWith("run_") ? questionOf(tenant.run, { id: run }, name) : tenant.run(run).interaction(name)

/** `page` is absent if the cursor was wrong. */
const paged = <T>(page: T | undefined): T => page ?? wrong("The cursor is not from this list.")

function wrong(message: string): never {
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message)
}

const jsonOf = (args: unknown): JsonObject => JSON.parse(JSON.stringify(args ?? {}))
