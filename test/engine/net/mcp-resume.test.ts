// [T27] A response stream that breaks is resumed where it ended, and arguments that a tool's schema names as headers are sent as such.

import { afterEach, beforeEach, expect, test } from "vitest"
import { mcpPeer } from "../../../src/engine/net/mcp-peer.ts"
import { netOf } from "../../../src/engine/net/net.ts"
import type { JsonObject } from "../../../src/core/json.ts"
import { FakeMcpServer } from "../../support/engine/fake-mcp-server.ts"

const net = netOf({ allowedPrivateHosts: ["127.0.0.1"] })
const soon = (): AbortSignal => AbortSignal.timeout(50_000)
const call = (args: JsonObject = {}, more: object = {}) =>
  mcpPeer.call({ url: server.url }, { tool: "x", args, ...more }, net, soon(), (p) => void progress.push(p.progress))

let server: FakeMcpServer
let progress: number[]
beforeEach(async () => {
  server = await new FakeMcpServer().start()
  progress = []
})
afterEach(() => server.stop())

/** The frames of one call; the stream is cut after each of them, or wherever `cut` says. */
function cutting(count: number, cut: (n: number) => boolean = () => true): { readonly resumed: (string | undefined)[] } {
  const resumed: (string | undefined)[] = []
  let id: unknown
  let token: unknown
  const frame = (n: number): string => {
    const message =
      n < count
        ? { method: "notifications/progress", params: { progressToken: token, progress: n } }
        : { id, result: { content: [{ type: "text", text: "whole" }] } }
    return `retry: 1\nid: ${n}\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`
  }
  server.instead = (request, response) => {
    const message = server.seen.at(-1)?.message
    const last = request.headers["last-event-id"]
    if (request.method !== "GET" && message?.method !== "tools/call") return false
    if (request.method === "GET") resumed.push(typeof last === "string" ? last : undefined)
    else {
      id = message?.id
      token = (message?.params?.["_meta"] as JsonObject | undefined)?.["progressToken"]
    }
    response.writeHead(200, { "content-type": "text/event-stream" })
    for (let n = request.method === "GET" ? Number(last) + 1 : 1; n <= count; n++) {
      response.write(frame(n))
      if (cut(n)) break
    }
    response.end()
    return true
  }
  return { resumed }
}

test("[T27] a stream that is cut at each frame is resumed from each, and no event is missed", async () => {
  const { resumed } = cutting(6)
  expect(await call()).toMatchObject({ content: [{ text: "whole" }], isError: false })
  expect(resumed).toEqual(["1", "2", "3", "4", "5"])
  expect(progress).toEqual([1, 2, 3, 4, 5])
})

test("[T27] a stream that breaks before its next event is resumed at the same place", async () => {
  const { resumed } = cutting(3)
  const { instead } = server
  let broken = 2
  server.instead = (request, response) => {
    if (request.method !== "GET" || (broken -= 1) < 0) return instead?.(request, response) ?? false
    resumed.push(String(request.headers["last-event-id"]))
    response.writeHead(200, { "content-type": "text/event-stream" }).end()
    return true
  }
  expect(await call()).toMatchObject({ content: [{ text: "whole" }] })
  expect(resumed).toEqual(["1", "1", "1", "2"])
})

test("[T27] a stream that never goes on is given up after five tries, and one that never ends after two hundred", async () => {
  const { resumed } = cutting(3)
  const { instead } = server
  server.instead = (request, response) => {
    if (request.method !== "GET") return instead?.(request, response) ?? false
    resumed.push(String(request.headers["last-event-id"]))
    response.writeHead(200, { "content-type": "text/event-stream" }).end()
    return true
  }
  await expect(call()).rejects.toThrow("closed the stream before answering")
  expect(resumed).toEqual(Array.from({ length: 5 }, () => "1"))
  const endless = cutting(1_000)
  await expect(call()).rejects.toThrow("closed the stream before answering")
  expect(endless.resumed).toHaveLength(200)
})

test("[T27] a server that cannot resume is not asked again", async () => {
  const { instead } = (cutting(3), server)
  let gets = 0
  server.instead = (request, response) => {
    if (request.method !== "GET") return instead?.(request, response) ?? false
    gets += 1
    response.writeHead(405).end()
    return true
  }
  await expect(call()).rejects.toThrow("closed the stream before answering")
  expect(gets).toBe(1)
})

test("[T27] arguments that the pinned schema names as headers are sent in headers too, encoded; others are not", async () => {
  const headers: Record<string, unknown>[] = []
  server.instead = (request, response) => {
    const { method, id } = server.seen.at(-1)?.message ?? {}
    const discovered = { supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, serverInfo: { name: "f", version: "1" } }
    if (method === "tools/call") headers.push(request.headers)
    const result =
      method === "server/discover"
        ? { resultType: "complete", ttlMs: 0, cacheScope: "private", ...discovered }
        : { resultType: "complete", content: [] }
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, result }))
    return true
  }
  const parameters = {
    type: "object",
    properties: {
      region: { type: "string", "x-mcp-header": "Region" },
      n: { type: "integer", "x-mcp-header": "N" },
      plain: { type: "string" },
    },
  }
  await call({ region: "eu-west", n: 7, plain: "quiet" }, { parameters })
  await call({ region: "Zürich" }, { parameters })
  expect(headers[0]).toMatchObject({ "mcp-param-region": "eu-west", "mcp-param-n": "7", "mcp-name": "x" })
  expect(Object.keys(headers[0] ?? {}).filter((name) => name.startsWith("mcp-param-"))).toHaveLength(2)
  expect(headers[1]?.["mcp-param-region"]).toMatch(/^=\?base64\?.+\?=$/)
})
