// POST /mcp [H12]: answers one JSON-RPC message, for the revisions 2026-07-28 (stateless) and 2025-11-25.
//
// Nothing is stored between requests. A session of 2025-11-25 is a signed id; answers to our questions and cancellations find
// their run by signed or derived ids. The library checks headers against the body [threat 18] and implements both protocols.

import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server"
import { isObject } from "../core/json.ts"
import type { McpCall } from "../ports/services.ts"
import { nameAt } from "../engine/run/open-questions.ts"
import type { Client } from "./call-flow.ts"
import { accepting, lenient } from "./lenient.ts"
import { answer, canAsk, createServer } from "./server.ts"
import { callKey, readQuestion, readSession, signQuestion, signSession, type McpSession } from "./signed-state.ts"

/** Sends comments on a silent stream, since the edge closes idle streams. */
const HEARTBEAT_MS = 10_000

export async function serveMcp(asked: McpCall): Promise<Response> {
  const call = { ...asked, message: lenient(asked.message), request: accepting(asked.request) }
  const { message, request } = call
  // Revision 2025-06-18 removed batches, and 2026-07-28 has none.
  if (Array.isArray(message))
    return wrong(400, -32600, "Invalid Request: batches are not supported; send each message in a separate request")
  if (await isLegacyRequest(request, message)) return serveSessions(call)
  const isCall = isObject(message) && message["method"] === "tools/call"
  const handler = createMcpHandler(() => createServer(call, {}), {
    legacy: "reject",
    keepAliveMs: HEARTBEAT_MS,
    // A call may take long: its stream opens at once, so it can be kept alive.
    responseMode: isCall ? "sse" : "auto",
  })
  return handler.fetch(request, { parsedBody: message })
}

/** 2025-11-25 and 2025-06-18. */
async function serveSessions(call: McpCall): Promise<Response> {
  const { message, request } = call
  const token = request.headers.get("mcp-session-id")
  const isFirst = isObject(message) && message["method"] === "initialize"
  const session = token === null || isFirst ? undefined : await readSession(call, token)
  // On this answer a client starts a new session.
  if (token !== null && !isFirst && !session) return wrong(404, -32001, "Session not found")
  if (isObject(message) && !("method" in message) && ("result" in message || "error" in message)) return replied(call, session, message)
  if (isObject(message) && message["method"] === "notifications/cancelled") await canceled(call, session, message["params"])

  const transport = new WebStandardStreamableHTTPServerTransport({ keepAliveMs: HEARTBEAT_MS })
  const server = createServer(call, session ? sessionRevision(call, session, transport) : {})
  const answered = await exchange(server, transport, call)
  if (!isFirst || !answered.ok) return answered
  const opened = await signSession(call, { id: crypto.randomUUID(), asks: canAsk(capabilitiesOf(message)) })
  if (opened !== undefined) answered.headers.set("mcp-session-id", opened)
  return answered
}

const capabilitiesOf = (message: Record<string, unknown>): unknown =>
  isObject(message["params"]) ? message["params"]["capabilities"] : undefined

const sessionRevision = (call: McpCall, session: McpSession, transport: WebStandardStreamableHTTPServerTransport) => ({
  key: (request: string | number) => callKey(session, request),
  ...(session.asks ? { asker: (context: ServerContext) => onStream(call, session, transport, context) } : {}),
})

/** Sends questions on the call's stream, and cancels those that were answered elsewhere. */
function onStream(
  call: McpCall,
  session: McpSession,
  transport: WebStandardStreamableHTTPServerTransport,
  { mcpReq }: ServerContext,
): NonNullable<Client["ask"]> {
  const sent = new Map<string, string>()
  const relatedRequestId = mcpReq.id
  return async (run, open) => {
    for (const [interaction, id] of sent) {
      if (open.some(({ asked }) => nameAt(run, asked) === interaction)) continue
      sent.delete(interaction)
      await mcpReq
        .notify({ method: "notifications/cancelled", params: { requestId: id, reason: "Answered elsewhere." } })
        .catch(() => undefined)
    }
    for (const { asked, form } of open) {
      const name = nameAt(run, asked)
      if (sent.has(name)) continue
      const id = await signQuestion(call, session, run, name)
      if (id === undefined) continue
      sent.set(name, id)
      const params = { mode: "form", ...form }
      await transport.send({ jsonrpc: "2.0", id, method: "elicitation/create", params }, { relatedRequestId })
    }
    return undefined
  }
}

/** The client's user answered, or the client could not ask; the question then stays open for others. */
async function replied(call: McpCall, session: McpSession | undefined, { id, result }: Record<string, unknown>): Promise<Response> {
  const question = session && typeof id === "string" ? await readQuestion(call, session, id) : undefined
  if (!question) return wrong(400, -32600, "Invalid Request: no question of this session has this id")
  if (result === undefined) return new Response(null, { status: 202 })
  const taken = await answer(call, question.run, question.interaction, result)
  return taken
    ? new Response(null, { status: 202 })
    : wrong(400, -32602, "Invalid params: the question is not open, or this does not answer it")
}

/** Cancels a call of this session; without a session the call is unknown. */
async function canceled(call: McpCall, session: McpSession | undefined, params: unknown): Promise<void> {
  const request = isObject(params) ? params["requestId"] : undefined
  if (!session || (typeof request !== "string" && typeof request !== "number")) return
  const run = await call.tenant.runId(await callKey(session, request))
  await call.ask("POST", `/v1/runs/${run}/cancel`)
}

/** Passes one request through the library's transport and closes the server once the answer is read or abandoned. */
async function exchange(
  server: Server,
  transport: WebStandardStreamableHTTPServerTransport,
  { request, message }: McpCall,
): Promise<Response> {
  await server.connect(transport)
  const answered = await transport.handleRequest(request, { parsedBody: message })
  const close = (): Promise<void> => server.close().catch(() => undefined)
  if (!answered.body || !answered.headers.get("content-type")?.startsWith("text/event-stream")) {
    await close()
    return answered
  }
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  void answered.body
    .pipeTo(writable)
    .catch(() => undefined)
    .finally(() => void close())
  return new Response(readable, { status: answered.status, headers: answered.headers })
}

const wrong = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status })
