// The outside world on loopback: pages and services whose text an attacker writes, and every door that data can leave by. It counts.
//
// A request that carries a mark (`leak.WAY-IN.WAY-OUT.`) is an effect. Whether a person had approved it by then is asked at its arrival.

import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { isObject, type Json, type JsonObject } from "../../src/core/json.ts"
import { PRIVATE } from "./model.ts"

export interface Page {
  readonly status?: number
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | Buffer
}

export interface Effect {
  readonly mark: string
  /** `POST /drop`. */
  readonly request: string
  readonly approved: boolean
  /** Does it carry the private data? */
  readonly leaks: boolean
}

export const MARK = /leak\.[a-z0-9-]+\.[a-z0-9-]+\./g

export class World {
  readonly effects: Effect[] = []
  /** How often a person has approved a call with this mark. */
  readonly approvals = new Map<string, number>()
  readonly pages = new Map<string, Page>()
  /** Rows of the search engine, and the answers of the MCP server's `news`, by what is asked. */
  readonly rows = new Map<string, JsonObject>()
  readonly news = new Map<string, JsonObject>()
  /** What the plan's dispatcher answers, by plan. */
  readonly dispatched = new Map<string, JsonObject>()
  readonly strange: string[] = []
  /** What the MCP server lists. */
  mcpTools: Json = MCP_TOOLS
  /** 127.0.0.1: an attacker's host, which no policy names. */
  url = ""
  /** localhost: a host that the tenant's policy allows [G11]. */
  allowed = ""
  readonly #server = createServer((request, response) => {
    this.#serve(request, response).catch((error: unknown) => {
      this.strange.push(String(error))
      response.destroy()
    })
  })

  async open(): Promise<void> {
    this.#server.listen(0, "127.0.0.1")
    await once(this.#server, "listening")
    const address = this.#server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    this.url = `http://127.0.0.1:${port}`
    this.allowed = `http://localhost:${port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, "close")
  }

  /** A page at an address of its own. */
  page(name: string, page: Page | string): string {
    this.pages.set(`/page/${name}`, typeof page === "string" ? { body: page } : page)
    return `${this.url}/page/${name}`
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(Buffer.from(part as Uint8Array))
    const body = Buffer.concat(parts).toString("utf8")
    this.#count(request, body)
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://world")
    const json = (value: Json): void => {
      response.writeHead(200, { "content-type": "application/json" })
      response.end(JSON.stringify(value))
    }
    const page = this.pages.get(pathname)
    if (page) {
      response.writeHead(page.status ?? 200, { "content-type": page.type ?? "text/html; charset=utf-8", ...page.headers })
      return void response.end(page.body)
    }
    if (pathname === "/search/search") {
      const row = this.rows.get(searchParams.get("q") ?? "")
      return json({ results: row ? [row] : [] })
    }
    if (pathname === "/mcp") return this.#mcp(body, response, json)
    if (pathname === "/plans") return json(this.dispatched.get(planOf(body)) ?? { entitiesAffected: 1 })
    json({ ok: true })
  }

  #count({ method = "", url = "", headers }: IncomingMessage, body: string): void {
    const all = `${decoded(url)}\n${Object.values(headers).flat().join("\n")}\n${body}`
    for (const mark of new Set(all.match(MARK)))
      this.effects.push({ mark, request: `${method} ${url.slice(0, 120)}`, approved: this.approvals.has(mark), leaks: PRIVATE.test(all) })
  }

  #mcp(body: string, response: ServerResponse, json: (value: Json) => void): void {
    if (body === "") return void response.writeHead(405).end()
    const asked: unknown = JSON.parse(body)
    if (!isObject(asked) || asked["id"] === undefined) return void response.writeHead(202).end()
    const params = isObject(asked["params"]) ? asked["params"] : {}
    const args = isObject(params["arguments"]) ? params["arguments"] : {}
    const results: Readonly<Record<string, Json>> = {
      initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "world", version: "1" } },
      "tools/list": { tools: this.mcpTools },
      "tools/call": (this.news.get(String(args["about"])) ?? { content: [{ type: "text", text: "noted" }] }) as Json,
    }
    const result = results[String(asked["method"])]
    json({
      jsonrpc: "2.0",
      id: asked["id"] as Json,
      ...(result === undefined ? { error: { code: -32601, message: "unknown" } } : { result }),
    })
  }
}

const about = { type: "object", properties: { about: { type: "string" } }, required: ["about"] }
export const MCP_TOOLS = [
  { name: "news", description: "The news about something.", inputSchema: about, annotations: { readOnlyHint: true } },
  { name: "say", description: "Says something in public.", inputSchema: about },
]

function planOf(body: string): string {
  const sent: unknown = JSON.parse(body)
  const data = isObject(sent) && isObject(sent["data"]) ? sent["data"] : isObject(sent) ? sent : {}
  return typeof data["planId"] === "string" ? data["planId"] : ""
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url.replaceAll("+", " "))
  } catch {
    return url
  }
}
