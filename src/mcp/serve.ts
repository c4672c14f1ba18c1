// POST /mcp [H12]: one JSON-RPC message in, its answer out, for the revisions 2026-07-28 (stateless by itself) and 2025-11-25.
//
// Nothing is kept between requests. What 2025-11-25 calls a session is a signed id; an answer to a question of ours and a cancellation find
// their run by ids that are signed or derived. The library checks headers against the body [threat 18] and speaks both wires.

import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server"
import { isObject } from "../core/json.ts"
import type { McpCall } from "../ports/house.ts"
import type { Client } from "./call-flow.ts"
import { answer, canAsk, createServer } from "./server.ts"
import { callKey, readQuestion, readSession, signQuestion, signSession, type Session } from "./signed-state.ts"

/** Comments on a silent stream: the edge closes one that says nothing. */
const HEARTBEAT_MS = 10_000

export async function serveMcp(call: McpCall): Promise<Response> {
  const { message, request } = call
  // Revision 2025-06-18 took them away, and 2026-07-28 has none.
  if (Array.isArray(message)) return wrong(400, -32600, "Invalid Request: batches are not taken, send each message by a request of its own")
  if (await isLegacyRequest(request, message)) return serveSessions(call)
  const isCall = isObject(message) && message["method"] === "tools/call"
  const handler = createMcpHandler(() => createServer(call, {}), {
    legacy: "reject",
    keepAliveMs: HEARTBEAT_MS,
    // A call may take long: its stream is open from the beginning, so that it can be kept so.
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
  // A client that is told so begins anew.
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

const sessionRevision = (call: McpCall, session: Session, transport: WebStandardStreamableHTTPServerTransport) => ({
  key: (request: string | number) => callKey(session, request),
  ...(session.asks ? { asker: (context: ServerContext) => onStream(call, session, transport, context) } : {}),
})

/** Questions go out on the stream of the call; one that somebody else answered is taken back. */
function onStream(
  call: McpCall,
  session: Session,
  transport: WebStandardStreamableHTTPServerTransport,
  { mcpReq }: ServerContext,
): NonNullable<Client["ask"]> {
  const sent = new Map<string, string>()
  const relatedRequestId = mcpReq.id
  return async (run, open) => {
    for (const [interaction, id] of sent) {
      if (open.some(({ asked }) => asked.id === interaction)) continue
      sent.delete(interaction)
      await mcpReq.notify({ method: "notifications/cancelled", params: { requestId: id, reason: "It is decided." } }).catch(() => undefined)
    }
    for (const { asked, form } of open) {
      if (sent.has(asked.id)) continue
      const id = await signQuestion(call, session, run, asked.id)
      if (id === undefined) continue
      sent.set(asked.id, id)
      const params = { mode: "form", ...form }
      await transport.send({ jsonrpc: "2.0", id, method: "elicitation/create", params }, { relatedRequestId })
    }
    return undefined
  }
}

/** The client's user answered, or the client could not ask: then the question stays open for others. */
async function replied(call: McpCall, session: Session | undefined, { id, result }: Record<string, unknown>): Promise<Response> {
  const question = session && typeof id === "string" ? await readQuestion(call, session, id) : undefined
  if (!question) return wrong(400, -32600, "Invalid Request: no question of this session has this id")
  if (result === undefined) return new Response(null, { status: 202 })
  const taken = await answer(call, question.run, question.interaction, result)
  return taken
    ? new Response(null, { status: 202 })
    : wrong(400, -32602, "Invalid params: the question is not open, or this does not answer it")
}

/** Only a call of this session can be meant; without a session nobody knows which. */
async function canceled(call: McpCall, session: Session | undefined, params: unknown): Promise<void> {
  const request = isObject(params) ? params["requestId"] : undefined
  if (!session || (typeof request !== "string" && typeof request !== "number")) return
  const run = await call.tenant.runId(await callKey(session, request))
  await call.ask("POST", `/v1/runs/${run}/cancel`)
}

/** One request through the library's transport; what it opened is closed when the answer has been read, or nobody reads it any more. */
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
