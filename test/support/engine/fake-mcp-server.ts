// A minimal MCP server for what a well-behaved server never does: a changed tool list, an answer that hangs, a stream
// that never ends. It speaks the 2025-11 protocol with or without sessions, and records what it receives.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"

export interface Seen {
  readonly method: string
  readonly rpc: string | undefined
  readonly headers: IncomingMessage["headers"]
  readonly message: Rpc
}

export type Rpc = { id?: number | string; method?: string; params?: Record<string, unknown>; result?: Record<string, unknown> }

export class FakeMcpServer {
  tools: Record<string, unknown>[] = []
  /** Tools per page; undefined: all at once. */
  pageSize: number | undefined
  /** The answer to a call; throwing a number makes it that JSON-RPC error. */
  call: (name: string, args: unknown, response: ServerResponse) => unknown = (name) => ({
    content: [{ type: "text", text: `called ${name}` }],
  })
  /** Answers every request instead of the protocol, when it returns true. */
  instead: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
  session: string | undefined
  readonly seen: Seen[] = []
  /** Connections that the other side closed before we answered. */
  dropped = 0
  readonly #server: Server
  port = 0

  constructor() {
    this.#server = createServer((request, response) => {
      response.on("close", () => {
        if (!response.writableEnded) this.dropped++
      })
      void this.#answer(request, response).catch(() => response.destroy())
    })
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve))
    const address = this.#server.address()
    if (address !== null && typeof address === "object") this.port = address.port
    return this
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ""
    for await (const chunk of request) body += String(chunk)
    const message: Rpc = body === "" ? {} : JSON.parse(body)
    this.seen.push({ method: request.method ?? "", rpc: message.method, headers: request.headers, message })
    if (this.instead?.(request, response)) return
    const say = (result: unknown, error?: unknown): void => {
      response.writeHead(200, {
        "content-type": "application/json",
        ...(message.method === "initialize" && this.session !== undefined ? { "mcp-session-id": this.session } : {}),
      })
      response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...(error === undefined ? { result } : { error }) }))
    }
    switch (message.method) {
      case "initialize":
        return say({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "fake", version: "1" } })
      case "notifications/initialized":
      case "notifications/cancelled":
        response.writeHead(202).end()
        return
      case "tools/list": {
        const from = Number(message.params?.["cursor"] ?? 0)
        const to = this.pageSize === undefined ? this.tools.length : from + this.pageSize
        return say({ tools: this.tools.slice(from, to), ...(to < this.tools.length ? { nextCursor: String(to) } : {}) })
      }
      case "tools/call": {
        try {
          const result = await this.call(String(message.params?.["name"]), message.params?.["arguments"], response)
          if (result !== undefined) say(result)
        } catch (e) {
          say(undefined, { code: typeof e === "number" ? e : -32603, message: typeof e === "number" ? "Unknown tool: x" : String(e) })
        }
        return
      }
      default:
        if (request.method === "DELETE") response.writeHead(200).end()
        else say(undefined, { code: -32601, message: "Method not found" })
    }
  }
}

export const listed = (name: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: "object", properties: { text: { type: "string", description: "What." } } },
  ...more,
})
