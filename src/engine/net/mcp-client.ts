// Calls external MCP servers over streamable HTTP, with the official client over guardedFetch [T27, T21].
//
// One connection per list or call, closed afterwards: no open connection keeps an object awake [J13]. The client
// is a large part of the bundle that most runs never need, so it is loaded at first use.

import type * as Sdk from "./mcp-library.ts"
import type { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { defined } from "../../core/defined.ts"
import { McpFault, type McpCall, type McpPeer, type McpTarget } from "../../ports/mcp.ts"
import type { Net } from "../../ports/net.ts"
import { Lru } from "../lru.ts"
import { callTool, type Cleaning } from "./mcp-call.ts"
import { accessOf } from "./mcp-oauth.ts"
import { rawResults, type RawResults } from "./mcp-raw.ts"
import { RESUMING, wayOut, type WayOut } from "./mcp-way.ts"
import { inTime } from "../../ports/timers.ts"
import { toldChecks } from "../../core/schema/told-checks.ts"
import { lazy } from "../../core/lazy.ts"
import { beginning } from "../../core/secrets/beginning.ts"
import type { Redactor } from "../../core/secrets/redact.ts"
import { messageOf } from "../../core/text/fault-text.ts"
import { Breath } from "../../ports/breath.ts"
import { perIsolate } from "../../ports/isolate.ts"

const library = lazy(() => import("./mcp-library.ts"))

const MAX_PAGES = 32 // limit: pages of a server's list → the list fails
/** The caller's signal is the real limit; the client's default of 60 s would cut long calls short. */
const NO_LIMIT = 24 * 60 * 60 * 1000
/** Time to end the session after the answer arrived. */
const GOODBYE = 2_000
/** Time to open a server's own stream before a call. */
const OPENING_MS = 2_000
const MAX_MESSAGE = 500 // limit: characters of a server's message → the rest is cut
/** More than the requests of one connection. */
const IDS_APART = 1_000

/** Addresses whose server uses a protocol with sessions: skips the request that negotiates it. A forgotten entry costs one request. */
const withSessions = perIsolate(() => new Lru<true>(200))

export const mcpClient: McpPeer = {
  list: (target, net, signal) =>
    connected(target, net, signal, async ({ client, raw, within }) => {
      if (client.getServerCapabilities()?.tools === undefined) return []
      await client.listTools(undefined, { signal: within, timeout: NO_LIMIT })
      return raw.lists.flatMap(({ tools }) => {
        if (Array.isArray(tools)) return tools
        throw new Error("its list of tools is not a list")
      })
    }),

  call: (target, call, net, signal, onProgress) =>
    connected(
      target,
      net,
      signal,
      ({ client, sdk, raw, clean, within }) => callTool({ client, sdk, raw, clean }, call, within, onProgress),
      call.asking,
    ),
}

interface Work {
  readonly client: Client
  readonly sdk: typeof Sdk
  readonly raw: RawResults
  readonly clean: Cleaning
  /** Ends with the caller's patience, and when the server says too much. */
  readonly within: AbortSignal
}

async function connected<T>(
  target: McpTarget,
  net: Net,
  signal: AbortSignal,
  work: (work: Work) => Promise<T>,
  asking?: McpCall["asking"],
): Promise<T> {
  const asks = asking !== undefined
  signal.throwIfAborted()
  const sdk = await library()
  const client = new sdk.Client(
    { name: "sluice", version: "1" },
    {
      versionNegotiation: { mode: "auto" },
      listMaxPages: MAX_PAGES,
      capabilities: asks ? { elicitation: { form: {}, url: {} } } : {},
      // A person may take days, so no question is answered within a request.
      inputRequired: { autoFulfill: false },
    },
  )
  const access = accessOf(sdk, target)
  const redactors = (): Redactor[] => [access?.redactor(), target.redactor?.()].filter((one) => one !== undefined)
  // A request that is made again must have another id, and each connection counts from 0.
  if (asks && asking.answered.length > 0) Reflect.set(client, "_requestMessageId", asking.answered.length * IDS_APART)
  const way = wayOut(target, net, asks)
  const transport = new sdk.StreamableHTTPClientTransport(new URL(target.url), {
    fetch: way.fetch,
    ...defined({ authProvider: access?.provider }),
    // guardedFetch follows and judges redirects.
    redirectPolicy: "follow",
    ...RESUMING,
  })
  endWithItsStream(transport)
  const within = AbortSignal.any([signal, way.signal])
  try {
    const isKnown = withSessions().get(target.url) === true
    await client.connect(transport, { signal: within, timeout: NO_LIMIT, ...(isKnown ? { prior: { kind: "legacy" } as const } : {}) })
    if (client.getProtocolEra() === "legacy") withSessions().set(target.url, true)
    // A server may ask on its own stream, and forgets what it says while nobody listens.
    if (asks && client.getProtocolEra() === "legacy") await inTime(way.listening, OPENING_MS, () => {})
    const clean: Cleaning = async (value) => cleaned(value, redactors(), signal)
    const found = await work({ client, sdk, raw: rawResults(transport), clean, within })
    // What the server says beside its token is looked through with the rest of a tool's result.
    return access === undefined ? found : cleaned(found, [access.redactor()], signal)
  } catch (e) {
    signal.throwIfAborted()
    // The protocol may have changed: the next connection negotiates again.
    withSessions().delete(target.url)
    throw faultOf(sdk, e, way, {
      host: new URL(target.url).host,
      short: (text) => beginning(toldChecks(beginning(text, text.length, ...redactors())), MAX_MESSAGE),
    })
  } finally {
    const gone = goodbye(transport, client)
    // A canceled call does not wait for the server.
    if (!signal.aborted) await gone
  }
}

async function cleaned<T>(value: T, redactors: readonly Redactor[], signal: AbortSignal): Promise<T> {
  const breath = new Breath(signal)
  let clean = value
  for (const redactor of redactors) clean = await breath.through(redactor.jsonPieces(clean))
  return clean
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

interface Server {
  readonly host: string
  /** What a message shows of the server's words. */
  readonly short: (text: string) => string
}

type Errors = Pick<typeof Sdk, "ProtocolError" | "SdkHttpError">

function faultOf(sdk: Errors, e: unknown, way: WayOut, { host, short }: Server): McpFault {
  const stopped = way.fault()
  if (stopped instanceof Error) {
    const refused = stopped.message.startsWith("address refused")
    return new McpFault(
      refused ? "refused" : "failed",
      refused ? short(stopped.message) : `the MCP server at ${host} failed: ${short(stopped.message)}`,
    )
  }
  const challenge = way.challenge()
  if (challenge !== undefined && !sdk.ProtocolError.isInstance(e))
    return new McpFault("unauthorized", `the MCP server at ${host} wants to know who asks: it answered 401`, challenge)
  if (sdk.ProtocolError.isInstance(e) && isUnknownTool(e.code, e.message)) return new McpFault("unknown_tool", short(e.message))
  if (sdk.SdkHttpError.isInstance(e)) {
    const text = typeof e.data.text === "string" ? e.data.text.trim() : ""
    return new McpFault("failed", `the MCP server at ${host} answered ${e.status}${text === "" ? "" : `: ${short(text)}`}`)
  }
  return new McpFault("failed", `the MCP server at ${host} failed: ${short(messageOf(e))}`)
}

/** -32602 is also used for wrong arguments; -32601 would mean tools/call itself. */
export const isUnknownTool = (code: number | undefined, message: string): boolean =>
  code === -32601 || (code === -32602 && /unknown tool|tool\b.{0,150}\b(not found|does not exist|unknown)/is.test(message))
