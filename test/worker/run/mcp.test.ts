// [T27] The official MCP client in its real environment: inside workerd, over an event stream, through the guard.

import { env } from "cloudflare:test"
import { describe, expect, test } from "vitest"
import { portOf } from "../../../src/cloudflare/platform/port-of.ts"
import { mcpPeer } from "../../../src/engine/net/mcp-peer.ts"
import { netOf } from "../../../src/engine/net/net.ts"
import type { McpProgress } from "../../../src/ports/mcp.ts"

type Rpc = { readonly id?: number; readonly method?: string; readonly params?: { readonly _meta?: { readonly progressToken?: number } } }

/** A server with the protocol version of 2025-11, in place of the network. */
function served(asked: string[]) {
  return netOf({
    allowedPrivateHosts: [],
    fetch: async (_url, init) => {
      const message: Rpc = typeof init.body === "string" ? JSON.parse(init.body) : {}
      asked.push(message.method ?? init.method ?? "")
      const say = (result: unknown, headers: Record<string, string> = {}): Response =>
        Response.json({ jsonrpc: "2.0", id: message.id, result }, { headers })
      switch (message.method) {
        case "initialize":
          return say(
            { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "fake", version: "1" } },
            { "mcp-session-id": "s1" },
          )
        case "notifications/initialized":
          return new Response(null, { status: 202 })
        case "tools/list":
          return say({ tools: [{ name: "add", inputSchema: { type: "object", properties: { a: { type: "number" } } } }] })
        case "tools/call": {
          const progressToken = message.params?._meta?.progressToken
          const events = [
            { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress: 1, total: 2 } },
            { jsonrpc: "2.0", id: message.id, result: { content: [{ type: "text", text: "42" }], structuredContent: { sum: 42 } } },
          ]
          const body = events.map((event) => `event: message\ndata: ${JSON.stringify(event)}\n\n`).join("")
          return new Response(body, { headers: { "content-type": "text/event-stream" } })
        }
        default:
          return init.method === "DELETE" ? new Response(null, { status: 200 }) : new Response("no such method", { status: 400 })
      }
    },
  })
}

const TARGET = { url: "https://mcp.example.com/mcp" }
const soon = (): AbortSignal => AbortSignal.timeout(50_000)

describe("MCP in workerd", () => {
  test("[T27] a server is listed and called, its progress arrives, and its session is closed", async () => {
    const asked: string[] = []
    const net = served(asked)
    expect(await mcpPeer.list(TARGET, net, soon())).toMatchObject([{ name: "add" }])
    const progress: McpProgress[] = []
    const answer = await mcpPeer.call(TARGET, { tool: "add", args: { a: 42 } }, net, soon(), (p) => progress.push(p))
    expect(answer).toEqual({ content: [{ type: "text", text: "42" }], structured: { sum: 42 }, isError: false })
    expect(progress).toEqual([{ progress: 1, total: 2 }])
    expect(asked.slice(-4)).toEqual(["initialize", "notifications/initialized", "tools/call", "DELETE"])
  })

  test("[T27] a server behind a refused address is not registered; the tenant's object says why", async () => {
    const servers = portOf(env, "mcp-refused", "mcp")
    const result = await servers.put("inside", { url: "http://169.254.169.254/mcp" }, true)
    expect(result).toMatchObject({ ok: false, code: "refused", message: expect.stringMatching(/^address refused/) })
    expect(await servers.list()).toEqual([])
    expect(await servers.remove("inside")).toBe(false)
  })
})
