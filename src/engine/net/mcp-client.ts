// mcpPeer: external MCP servers over streamable HTTP, with the official client over guardedFetch [T27, T21].
//
// One connection per list or call, closed afterwards: no open connection keeps an object awake [J13]. The client
// is a large part of the bundle that most runs never need, so it is loaded at first use.

import type * as Sdk from "@modelcontextprotocol/client"
import type { Client, FetchLike, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import type { Json } from "../../core/json.ts"
import { McpFault, type McpPeer, type McpTarget } from "../../ports/mcp.ts"
import type { Net } from "../../ports/net.ts"
import { Lru } from "../lru.ts"
import { oauthWay } from "./mcp-oauth.ts"
import { inTime } from "../time/deadline.ts"

/** Total bytes of all answers to one list or call. */
const MAX_BYTES = 8 * 1024 * 1024
const MAX_PAGES = 32
/** The caller's signal is the real limit; the client's default of 60 s would cut long calls short. */
const NO_LIMIT = 24 * 60 * 60 * 1000
/** Time to end the session after the answer arrived. */
const GOODBYE = 2_000
const MAX_MESSAGE = 500

/** Addresses whose server uses a protocol with sessions: skips the request that negotiates it. A forgotten entry costs one request. */
const withSessions = new Lru<true>(200)

export const mcpPeer: McpPeer = {
  list: (target, net, signal) =>
    connected(target, net, signal, async (client) => {
      if (client.getServerCapabilities()?.tools === undefined) return []
      return (await client.listTools(undefined, { signal, timeout: NO_LIMIT })).tools
    }),

  call: (target, { tool, args }, net, signal, onProgress) =>
    connected(target, net, signal, async (client) => {
      const result = await client.callTool(
        { name: tool, arguments: args },
        { signal, timeout: NO_LIMIT, ...(onProgress === undefined ? {} : { onprogress: (p) => onProgress(progressOf(p)) }) },
      )
      const { content, structuredContent, isError } = result
      return {
        content: Array.isArray(content) ? content : [],
        ...(structuredContent === undefined ? {} : { structured: jsonOf(structuredContent) }),
        isError: isError === true,
      }
    }),
}

async function connected<T>(target: McpTarget, net: Net, signal: AbortSignal, work: (client: Client) => Promise<T>): Promise<T> {
  signal.throwIfAborted()
  const sdk = await import("@modelcontextprotocol/client")
  const client = new sdk.Client(
    { name: "sluice", version: "1" },
    { versionNegotiation: { mode: "auto" }, listMaxPages: MAX_PAGES, capabilities: {} },
  )
  const oauth = target.oauth && oauthWay(sdk.ClientCredentialsProvider, target, target.oauth)
  const way = wayOut(target, net)
  const transport = new sdk.StreamableHTTPClientTransport(new URL(target.url), {
    fetch: way.fetch,
    ...(oauth === undefined ? {} : { authProvider: oauth.provider }),
    // guardedFetch follows and judges redirects.
    redirectPolicy: "follow",
    reconnectionOptions: { maxRetries: 0, initialReconnectionDelay: 0, maxReconnectionDelay: 0, reconnectionDelayGrowFactor: 1 },
  })
  endWithItsStream(transport)
  try {
    const isKnown = withSessions.get(target.url) === true
    await client.connect(transport, { signal, timeout: NO_LIMIT, ...(isKnown ? { prior: { kind: "legacy" } as const } : {}) })
    if (client.getProtocolEra() === "legacy") withSessions.set(target.url, true)
    const found = await work(client)
    return oauth === undefined ? found : oauth.redactor().json(found)
  } catch (e) {
    signal.throwIfAborted()
    // The protocol may have changed: the next connection negotiates again.
    withSessions.delete(target.url)
    const fault = faultOf(sdk, e, way.fault(), target)
    throw oauth === undefined ? fault : new McpFault(fault.kind, oauth.redactor().text(fault.message))
  } finally {
    const gone = goodbye(transport, client)
    // A canceled call does not wait for the server.
    if (!signal.aborted) await gone
  }
}

/** The library keeps waiting after a response stream ended: this gives it an error, which it ignores if it already has the answer. */
function endWithItsStream(transport: StreamableHTTPClientTransport): void {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    const id = !Array.isArray(message) && "method" in message && "id" in message ? message.id : undefined
    const onRequestStreamEnd = (): void => {
      options?.onRequestStreamEnd?.()
      const error = { code: -32000, message: "it closed the stream before answering" }
      if (id !== undefined) transport.onmessage?.({ jsonrpc: "2.0", id, error })
    }
    return send(message, { ...options, onRequestStreamEnd })
  }
}

interface WayOut {
  readonly fetch: FetchLike
  /** The original error of a request: the client wraps it. */
  fault(): unknown
}

function wayOut(target: McpTarget, net: Net): WayOut {
  let fault: unknown
  let left = MAX_BYTES
  const take = (bytes: number): void => {
    left -= bytes
    if (left < 0) throw (fault = new Error(`its answers are larger than ${MAX_BYTES / 1024 / 1024} MiB`))
  }
  return {
    fault: () => fault,
    async fetch(url, init) {
      const method = init?.method ?? "GET"
      // GET opens the stream for unsolicited server messages, which could stay open indefinitely.
      if (method === "GET" && String(url) === target.url) return new Response(null, { status: 405 })
      const { body } = init ?? {}
      const { authorization, ...headers } = Object.fromEntries(new Headers(init?.headers ?? {}))
      // A token or a client's secret must not follow a redirect.
      const secret = authorization === undefined ? target.secretHeaders : { ...target.secretHeaders, authorization }
      const request = {
        url: String(url),
        method,
        headers,
        ...(secret === undefined ? {} : { secretHeaders: secret }),
        ...(typeof body === "string" || body instanceof URLSearchParams ? { body: String(body) } : {}),
      }
      const signal = init?.signal ?? new AbortController().signal
      try {
        if (net.open === undefined) {
          const { status, headers, body } = await net.fetch({ ...request, maxBytes: Math.max(left, 1), timeout: NO_LIMIT }, signal)
          take(body.byteLength)
          return response(status, headers, body)
        }
        const { status, headers, body } = await net.open(request, signal)
        return response(status, headers, body === null ? null : counted(body, take))
      } catch (e) {
        if (!signal.aborted) fault = e
        throw e
      }
    },
  }
}

/** Some statuses may not have a body, even if one was sent. */
const response = (status: number, headers: Readonly<Record<string, string>>, body: BodyInit | null): Response =>
  new Response(status === 204 || status === 205 || status === 304 ? null : body, {
    status: status >= 200 && status <= 599 ? status : 502,
    headers: { ...headers },
  })

const counted = (body: ReadableStream<Uint8Array>, take: (bytes: number) => void): ReadableStream<Uint8Array> =>
  body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        take(chunk.byteLength)
        controller.enqueue(chunk)
      },
    }),
  )

/** Ends an open session; does not wait long for a server that does not respond. */
async function goodbye(transport: StreamableHTTPClientTransport, client: Client): Promise<void> {
  if (transport.sessionId !== undefined) {
    await inTime(
      transport.terminateSession().catch(() => {}),
      GOODBYE,
      () => {},
    )
  }
  await client.close().catch(() => {})
}

function faultOf(sdk: Pick<typeof Sdk, "ProtocolError" | "SdkHttpError">, e: unknown, stopped: unknown, target: McpTarget): McpFault {
  const host = new URL(target.url).host
  if (stopped instanceof Error) {
    const refused = stopped.message.startsWith("address refused")
    return new McpFault(
      refused ? "refused" : "failed",
      refused ? stopped.message : `the MCP server at ${host} failed: ${short(stopped.message)}`,
    )
  }
  if (sdk.ProtocolError.isInstance(e) && isUnknownTool(e.code, e.message)) return new McpFault("unknown_tool", short(e.message))
  if (sdk.SdkHttpError.isInstance(e)) {
    const text = typeof e.data.text === "string" ? e.data.text.trim() : ""
    return new McpFault("failed", `the MCP server at ${host} answered ${e.status}${text === "" ? "" : `: ${short(text)}`}`)
  }
  return new McpFault("failed", `the MCP server at ${host} failed: ${short(e instanceof Error ? e.message : String(e))}`)
}

/** -32602 is also used for wrong arguments; -32601 would mean tools/call itself. */
export const isUnknownTool = (code: number | undefined, message: string): boolean =>
  code === -32601 || (code === -32602 && /unknown tool|tool\b.{0,150}\b(not found|does not exist|unknown)/is.test(message))

const short = (text: string): string => (text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE - 1)}…` : text)

const progressOf = (p: { readonly progress: number; readonly total?: number | undefined; readonly message?: string | undefined }) => ({
  progress: p.progress,
  ...(p.total === undefined ? {} : { total: p.total }),
  ...(p.message === undefined ? {} : { message: p.message }),
})

const jsonOf = (value: unknown): Json => JSON.parse(JSON.stringify(value))
