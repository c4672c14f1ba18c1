// [T27] [N4] An MCP server that says far more than it was asked: it ends with a reason, and others have their turns meanwhile.

import type { ServerResponse } from "node:http"
import { afterEach, beforeEach, expect, test } from "vitest"
import { mcpPeer } from "../../../src/engine/net/mcp-peer.ts"
import { blankLines, flood, pieces } from "../../../src/engine/net/mcp-flood.ts"
import { netOf } from "../../../src/engine/net/net.ts"
import type { Net } from "../../../src/ports/net.ts"
import { FakeMcpServer } from "../../support/engine/fake-mcp-server.ts"

let server: FakeMcpServer
const net = netOf({ allowedPrivateHosts: ["127.0.0.1"] })
const soon = (): AbortSignal => AbortSignal.timeout(50_000)
const call = (way: Net = net) => mcpPeer.call({ url: server.url }, { tool: "x", args: {} }, way, soon(), () => {})

beforeEach(async () => {
  server = await new FakeMcpServer().start()
})
afterEach(() => server.stop())

const idOf = (): unknown => server.seen.findLast((seen) => seen.rpc === "tools/call")?.message.id
const tokenOf = (): unknown => {
  const meta = server.seen.findLast((seen) => seen.rpc === "tools/call")?.message.params?.["_meta"]
  return typeof meta === "object" && meta !== null && "progressToken" in meta ? meta.progressToken : undefined
}

/** Says `message(n)` until the other side closes the connection, or `count` times and then the answer. */
function saying(message: (n: number) => string, count = Infinity): void {
  server.call = (_name, _args, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    void said(response)
    return undefined
  }
  async function said(response: ServerResponse): Promise<void> {
    const closed = new Promise((go) => response.once("close", go))
    for (let n = 0; n < count && !response.closed; n++)
      if (!response.write(message(n))) await Promise.race([closed, new Promise((go) => response.once("drain", go))])
    const answer = { jsonrpc: "2.0", id: idOf(), result: { content: [{ type: "text", text: "done" }] } }
    response.end(`data: ${JSON.stringify(answer)}\n\n`)
  }
}
const event = (message: object): string => `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`
const ping = (n: number): string => event({ id: n, method: "ping" })
const progress = (n: number): string => event({ method: "notifications/progress", params: { progressToken: tokenOf(), progress: n } })
const log = (n: number): string => event({ method: "notifications/message", params: { level: "info", data: `line ${n}` } })

test.for<[string, (n: number) => string, RegExp]>([
  ["pings", ping, /wants more than 500 requests for one call, such as replies to its pings$/],
  ["progress", progress, /sends more than 10,000 events, such as progress and log lines$/],
  ["one long event", () => `data: ${"x".repeat(1_000)}\n`, /larger than 8 MiB/],
])("[T27] [N4] a flood of %s ends the call with the reason", async ([, message, reason]) => {
  saying(message)
  await expect(call()).rejects.toMatchObject({ name: "McpFault", kind: "failed", message: expect.stringMatching(reason) })
  await expect.poll(() => server.dropped).toBeGreaterThan(0)
})

test.for<[string, number]>([
  ["data: x\n\n", 1],
  ["data: x\r\n\r\n", 1],
  ["data: x\r\r", 1],
  [": still here\n\n", 1],
  ["data: x\ndata: y\n\n", 1],
  ["\n", 1],
  ["\r", 1],
  ["\r\n", 1],
  ["data: \r", 0],
])("[N4] an event is whatever ends with an empty line: %j", ([text, count]) => {
  const ends = blankLines()
  const bytes = new TextEncoder().encode(text.repeat(50))
  const counted = [...bytes].map((_, i) => [...pieces(bytes.subarray(i, i + 1), ends)].reduce((sum, [, , events]) => sum + events, 0))
  expect(counted.reduce((sum, events) => sum + events, 0)).toBe(50 * count)
})

test("[T27] [N4] messages beside an answer in one body are bounded", async () => {
  server.call = (_name, _args, response) => {
    const answer = { jsonrpc: "2.0", id: idOf(), result: { content: [] } }
    const many = Array.from({ length: 5_000 }, (_, id) => ({ jsonrpc: "2.0", id, method: "ping" }))
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify([...many, answer]))
    return undefined
  }
  await expect(call()).rejects.toThrow("it answers with more than 64 KiB of messages at once")
  expect(server.seen.length).toBeLessThan(20)
})

test("[T27] [N4] a flood in a body that is read whole is bounded as well", async () => {
  saying(ping, 2_000)
  await expect(call({ fetch: (request, signal) => net.fetch(request, signal) })).rejects.toThrow("more than 500 requests")
})

test("[T27] what a busy server says is heard, and its answer too", async () => {
  saying((n) => (n % 10 === 0 ? ping(n) : n % 2 === 0 ? progress(n) : log(n)), 2_000)
  expect(await call()).toMatchObject({ content: [{ type: "text", text: "done" }] })
  await expect.poll(() => server.seen.filter((seen) => seen.message.result !== undefined && seen.rpc === undefined).length).toBe(200)
})

test("[N4] a chunk of many events is read in pieces, and others have a turn between them", async () => {
  const bytes = new TextEncoder().encode(progress(1).repeat(400))
  const reader = flood()
    .read(new Blob([bytes]).stream(), "text/event-stream; charset=utf-8")
    .getReader()
  const others: number[] = []
  let sizes = 0
  let pieces = 0
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    pieces += 1
    sizes += next.value.byteLength
    setTimeout(() => others.push(pieces), 0)
  }
  expect(sizes).toBe(bytes.byteLength)
  expect(pieces).toBe(20)
  // Somebody else's timer ran before the last pieces came.
  expect(others.some((at) => at < 15)).toBe(true)
})
