// [T27] the MCP client against servers that misbehave, on loopback.

import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { mcpPeer } from "../../../src/engine/net/mcp-peer.ts"
import { netOf } from "../../../src/engine/net/net.ts"
import type { Net } from "../../../src/ports/net.ts"
import { FakeMcpServer, listed } from "../../support/engine/fake-mcp-server.ts"

let server: FakeMcpServer
const net = netOf({ allowedPrivateHosts: ["127.0.0.1"] })
const soon = (): AbortSignal => AbortSignal.timeout(50_000)
const names = (tools: readonly unknown[]): unknown[] => tools.map((t) => (typeof t === "object" && t !== null && "name" in t ? t.name : t))
const echo = (signal = soon(), way: Net = net) => mcpPeer.call({ url: server.url }, { tool: "x", args: {} }, way, signal)

beforeEach(async () => {
  server = await new FakeMcpServer().start()
})
afterEach(() => server.stop())

describe("lists", () => {
  test("[T27] all pages of a list are read", async () => {
    server.tools = ["a", "b", "c", "d", "e"].map((name) => listed(name))
    server.pageSize = 2
    expect(names(await mcpPeer.list({ url: server.url }, net, soon()))).toEqual(["a", "b", "c", "d", "e"])
    expect(server.seen.filter((s) => s.rpc === "tools/list")).toHaveLength(3)
  })

  test("[T27] a list without end is an error", async () => {
    server.instead = (_request, response) => {
      const last = server.seen.at(-1)
      if (last?.rpc !== "tools/list") return false
      response.writeHead(200, { "content-type": "application/json" })
      const n = server.seen.length
      response.end(JSON.stringify({ jsonrpc: "2.0", id: idOf(n), result: { tools: [listed(`t${n}`)], nextCursor: String(n) } }))
      return true
    }
    const idOf = (_n: number): number => server.seen.filter((s) => s.rpc === "tools/list").length
    await expect(mcpPeer.list({ url: server.url }, net, soon())).rejects.toMatchObject({ kind: "failed" })
    expect(server.seen.filter((s) => s.rpc === "tools/list").length).toBeLessThanOrEqual(33)
  })

  test("[T27] an address without an MCP server is reported as such", async () => {
    server.instead = (_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<h1>hello</h1>")
      return true
    }
    await expect(mcpPeer.list({ url: server.url }, net, soon())).rejects.toMatchObject({ kind: "failed", name: "McpFault" })
  })

  test("[T21] an answer over the limit is an error and is not kept", async () => {
    server.tools = [listed("big", { description: "x".repeat(9 * 1024 * 1024) })]
    await expect(mcpPeer.list({ url: server.url }, net, soon())).rejects.toThrow("larger than 8 MiB")
  })

  test("[N4] an answer of more values or levels than are parsed is an error, with or without a stream", async () => {
    const { fetch } = net
    for (const way of [net, { fetch }]) {
      server.call = () => ({ content: [], structuredContent: { list: Array.from({ length: 250_000 }, () => []) } })
      await expect(echo(soon(), way)).rejects.toThrow("its answer has more than 200000 values")
      server.call = () => ({ content: [], structuredContent: JSON.parse(`{"a":${"[".repeat(80)}${"]".repeat(80)}}`) as unknown })
      await expect(echo(soon(), way)).rejects.toThrow("its answer is nested deeper than 64 levels")
      server.call = () => ({ content: [{ type: "text", text: "[{,".repeat(500_000) }] })
      expect(await echo(soon(), way)).toMatchObject({ isError: false })
    }
  })
})

describe("the way out", () => {
  test("[T21] a private address is refused by the guard without a request", async () => {
    const strict = netOf({ allowedPrivateHosts: [] })
    await expect(mcpPeer.list({ url: server.url }, strict, soon())).rejects.toMatchObject({
      kind: "refused",
      message: expect.stringMatching(/^address refused/),
    })
    expect(server.seen).toEqual([])
  })

  test("[T21] a redirect to a private address is refused", async () => {
    server.instead = (_request, response) => {
      response.writeHead(307, { location: "http://169.254.169.254/latest" }).end()
      return true
    }
    await expect(echo()).rejects.toMatchObject({ kind: "refused" })
  })

  test("[T32] the secret header goes to the server's origin and not to a redirect's target", async () => {
    const other = await new FakeMcpServer().start()
    try {
      server.instead = (_request, response) => {
        response.writeHead(307, { location: other.url }).end()
        return true
      }
      const target = { url: server.url, secretHeaders: { authorization: "Bearer s3cret-value" } }
      await mcpPeer.call(target, { tool: "x", args: {} }, net, soon())
      expect(server.seen.every((s) => s.headers.authorization === "Bearer s3cret-value")).toBe(true)
      expect(other.seen.length).toBeGreaterThan(0)
      expect(JSON.stringify(other.seen)).not.toContain("s3cret")
    } finally {
      await other.stop()
    }
  })

  test("[T27] a network that only reads whole bodies is enough", async () => {
    const whole: Net = { fetch: net.fetch }
    expect(await echo(soon(), whole)).toMatchObject({ content: [{ type: "text", text: "called x" }], isError: false })
  })
})

describe("calls", () => {
  test("[T27] the stream for unsolicited messages is never opened, and a session is ended", async () => {
    server.session = "s1"
    await echo()
    expect(server.seen.map((s) => s.method)).not.toContain("GET")
    expect(server.seen.at(-1)).toMatchObject({ method: "DELETE", headers: { "mcp-session-id": "s1" } })
  })

  test("[T27] a server's protocol is negotiated once", async () => {
    await echo()
    const first = server.seen.splice(0).map((s) => s.rpc)
    await echo()
    const second = server.seen.map((s) => s.rpc)
    expect(first).toContain("server/discover")
    expect(second).toEqual(["initialize", "notifications/initialized", "tools/call"])
  })

  test("[T27] protocol errors for an unknown tool and for wrong arguments are distinguished", async () => {
    server.call = () => {
      throw -32602
    }
    await expect(echo()).rejects.toMatchObject({ kind: "unknown_tool" })
    server.call = () => {
      throw new Error("no")
    }
    await expect(echo()).rejects.toMatchObject({ kind: "failed" })
  })

  test("[T6] an abort ends the call and closes the connection", async () => {
    const stop = new AbortController()
    server.call = () => {
      stop.abort(new Error("canceled by a person"))
    }
    await expect(echo(stop.signal)).rejects.toThrow("canceled by a person")
    await expect.poll(() => server.dropped).toBe(1)
  })

  test("[T27] a failing server is reported with its status and the start of its answer", async () => {
    await echo()
    server.instead = (_request, response) => {
      response.writeHead(500).end("x ".repeat(5_000))
      return true
    }
    const fault = await echo().catch((e: unknown) => (e instanceof Error ? e.message : ""))
    expect(fault).toMatch(/answered 500: x( x)+…$/)
    expect(fault).toSatisfy((text: string) => text.length < 700)
  })

  test("[T27] a stream that continues after the answer is closed", async () => {
    server.call = (_name, _args, response) => {
      const id = server.seen.filter((s) => s.rpc?.startsWith("tools/")).length
      response.writeHead(200, { "content-type": "text/event-stream" })
      const say = (message: unknown): void => void response.write(`data: ${JSON.stringify(message)}\n\n`)
      say({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "done" }] } })
      return undefined
    }
    expect(await echo()).toMatchObject({ content: [{ type: "text", text: "done" }] })
    await expect.poll(() => server.dropped).toBe(1)
  })

  test.each<[string, string, RegExp]>([
    ["is empty", "", /closed the stream before answering/],
    ["ends within a message", 'data: {"jsonrpc"', /closed the stream before answering/],
    ["could be resumed", "id: 7\ndata: \n\n", /closed the stream before answering/],
    ["holds another call's answer", 'data: {"jsonrpc":"2.0","id":999,"result":{}}\n\n', /closed the stream before answering/],
    ["is too long", `data: "${"x".repeat(9 * 1024 * 1024)}"\n\n`, /larger than 8 MiB/],
  ])("[T27] a stream that %s is an error at once, not when the time is up", async (_what, body, said) => {
    server.call = (_name, _args, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).end(body)
      return undefined
    }
    await expect(echo()).rejects.toMatchObject({ name: "McpFault", kind: "failed", message: expect.stringMatching(said) })
  })
})
