// Services of the simulated world that tools and callbacks reach, with their books.

import type { Asked, Told } from "../platform/network.ts"

export const TOOLS_HOST = "127.0.0.1:8002"
export const RECEIVER_HOST = "127.0.0.1:8003"
export const COLLECTOR_HOST = "127.0.0.1:8004"

export interface Arrival {
  readonly key: string
  readonly path: string
  readonly body: string
  readonly at: number
}

export interface Message {
  /** Of the address: which receiver. */
  readonly path: string
  readonly id: string
  readonly type: string
  readonly run: string
  readonly body: string
  readonly isTaken: boolean
  readonly at: number
}

const SEEN: Told = { status: 200, headers: { "content-type": "text/plain" }, after: 30, parts: [{ after: 0, text: "seen" }] }

const BIG: Told = { ...SEEN, parts: [{ after: 0, text: "so much is to be seen here. ".repeat(250) }] }

/** A server of one tool [T27]. */
function mcp(method: string, body: string): Told {
  if (method !== "POST") return { status: 405, parts: [] }
  const { id, method: what, params } = JSON.parse(body) as { id?: unknown; method?: string; params?: { protocolVersion?: string } }
  if (id === undefined) return { status: 202, parts: [] }
  const tools = [{ name: "spare", description: "is not used", inputSchema: { type: "object", properties: {} } }]
  const hello = { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "spare", version: "1" } }
  const text = JSON.stringify({ jsonrpc: "2.0", id, result: what === "initialize" ? hello : { tools } })
  return { status: 200, headers: { "content-type": "application/json" }, after: 30, parts: [{ after: 0, text }] }
}

export class Services {
  readonly arrivals: Arrival[] = []
  /** How often each key has had its effect: under /keyed/ once, as an idempotent service does. */
  readonly done = new Map<string, number>()
  readonly messages: Message[] = []
  readonly strange: string[] = []
  /** Spans that the collector has taken, as their texts. */
  readonly spans: string[] = []
  readonly #now: () => number
  /** Whether the receiver fails now. */
  readonly #fails: () => boolean
  /** Until when the receiver takes nothing. */
  downUntil = 0
  /** From then on no answer is lost. */
  calmFrom = Number.POSITIVE_INFINITY

  constructor(now: () => number, fails: () => boolean) {
    this.#now = now
    this.#fails = fails
  }

  readonly tools = ({ method, url, headers, body }: Asked): Told => {
    if (url.pathname === "/mcp") return mcp(method, body)
    if (method === "GET") return url.pathname.startsWith("/look/big-") ? BIG : SEEN
    const key = headers.get("idempotency-key") ?? `no key ${this.arrivals.length}`
    const path = url.pathname
    this.arrivals.push({ key, path, body, at: this.#now() })
    if (!path.startsWith("/keyed/") || !this.done.has(key)) this.done.set(key, (this.done.get(key) ?? 0) + 1)
    // After the time limit of the tool, now and then.
    const after = path.includes("/slow") && this.arrivals.length % 2 === 0 ? 9_000 : 30
    return { ...SEEN, after, parts: [{ after: 0, text: "done" }] }
  }

  readonly collector = ({ body }: Asked): Told => {
    if (this.#fails()) return { status: 503, parts: [{ after: 0, text: "busy" }] }
    this.spans.push(body)
    return { status: 200, headers: { "content-type": "application/json" }, parts: [{ after: 0, text: "{}" }] }
  }

  readonly receiver = ({ url, headers, body }: Asked): Told => {
    const isTaken = this.#now() >= this.downUntil && !this.#fails()
    const said = JSON.parse(body) as { type?: string; data?: { run?: string } }
    const message = {
      path: url.pathname,
      id: headers.get("webhook-id") ?? "",
      type: said.type ?? "",
      run: said.data?.run ?? "",
      body,
      isTaken,
      at: this.#now(),
    }
    this.messages.push(message)
    return { status: isTaken ? 204 : 503, parts: isTaken ? [] : [{ after: 0, text: "busy" }] }
  }
}
