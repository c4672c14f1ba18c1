// [T27] MCP servers that do not quite keep to the protocol: one odd tool or part does not take the others with it.

import { afterEach, beforeEach, expect, test } from "vitest"
import { readList } from "../../../src/core/tool/mcp-tool.ts"
import type { McpToolDef } from "../../../src/core/tool/tool-def.ts"
import { mcpPeer } from "../../../src/engine/net/mcp-peer.ts"
import { netOf } from "../../../src/engine/net/net.ts"
import { ToolFailure, type ToolPowers } from "../../../src/ports/tool.ts"
import { mcpTool } from "../../../src/tools/registered/mcp-tool.ts"
import { FakeMcpServer, listed } from "../../support/engine/fake-mcp-server.ts"

let server: FakeMcpServer
const net = netOf({ allowedPrivateHosts: ["127.0.0.1"] })
const soon = (): AbortSignal => AbortSignal.timeout(50_000)

beforeEach(async () => {
  server = await new FakeMcpServer().start()
})
afterEach(() => server.stop())

/** Answers as a server of the 2026 protocol, whose results the official client checks once more. */
function modern(resultOf: (method: string, params: Record<string, unknown>) => object): void {
  server.instead = (_request, response) => {
    const { method = "", id, params = {} } = server.seen.at(-1)?.message ?? {}
    const discovered = { supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, serverInfo: { name: "f", version: "1" } }
    const result = method === "server/discover" ? { ttlMs: 0, cacheScope: "private", ...discovered } : resultOf(method, params)
    response.writeHead(200, { "content-type": "application/json" })
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result: { resultType: "complete", ...result } }))
    return true
  }
}

const ODD: readonly (readonly [unknown, string | undefined])[] = [
  [listed("good"), undefined],
  [listed("no-schema", { inputSchema: undefined }), undefined],
  [listed("null-schema", { inputSchema: null }), undefined],
  [listed("null-hints", { annotations: null, title: null, description: null, outputSchema: null, icons: "x" }), undefined],
  [listed("text-for-properties", { inputSchema: { type: "object", properties: "none" } }), "its input schema cannot be used"],
  [listed("text-for-required", { inputSchema: { type: "object", required: "a" } }), "its input schema cannot be used"],
  [listed("type-nobody-knows", { inputSchema: { type: "object", properties: { a: { type: "any" } } } }), "its input schema cannot be used"],
  [
    listed("a-wrong-header", { inputSchema: { type: "object", properties: { a: { type: "object", "x-mcp-header": "A" } } } }),
    "x-mcp-header of a",
  ],
  [listed("a-list-of-headers", { inputSchema: { type: "object", anyOf: [{ "x-mcp-header": "A" }] } }), "where no argument is"],
  [{ description: "no name", inputSchema: { type: "object" } }, "its name is not"],
  [null, "its name is not"],
  ["text", "its name is not"],
  [listed("last"), undefined],
]

const nameIn = (entry: unknown): string => (typeof entry === "object" && entry !== null && "name" in entry ? String(entry.name) : "")

test.for(["of 2025", "of 2026"])("[T27] a tool that does not fit is left out with a reason, the others come: a server %s", async (era) => {
  const tools = ODD.map(([tool]) => tool)
  if (era === "of 2026")
    modern((_method, { cursor }) =>
      cursor === undefined ? { tools: tools.slice(0, 5), nextCursor: 5 } : { tools: tools.slice(5), nextCursor: null },
    )
  else
    server.instead = (_request, response) => {
      const { method, id, params } = server.seen.at(-1)?.message ?? {}
      if (method !== "tools/list") return false
      const page =
        params?.["cursor"] === undefined ? { tools: tools.slice(0, 5), nextCursor: "a" } : { tools: tools.slice(5), nextCursor: "" }
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, result: page }))
      return true
    }
  const read = readList(await mcpPeer.list({ url: server.url }, net, soon()))
  if (!read.ok) throw new Error(read.error)
  const fit = ODD.flatMap(([tool, why]) => (why === undefined ? [nameIn(tool)] : []))
  expect(read.value.tools.map((tool) => tool.name)).toEqual([...fit].sort())
  expect(read.value.leftOut).toHaveLength(ODD.length - fit.length)
  for (const [tool, why] of ODD)
    if (why !== undefined && nameIn(tool) !== "")
      expect(read.value.leftOut).toContainEqual({ tool: nameIn(tool), reason: expect.stringContaining(why) })
})

test("[T27] a list that is none is told as that", async () => {
  modern(() => ({ tools: { a: listed("a") } }))
  await expect(mcpPeer.list({ url: server.url }, net, soon())).rejects.toThrow(/its list of tools is not a list$/)
})

const def: McpToolDef = {
  kind: "mcp",
  name: "mcp:s:x",
  server: "s",
  tool: "x",
  url: "",
  description: "",
  parameters: { type: "object" },
  effect: "read",
  untrusted: true,
}

const texts = (content: readonly { readonly type: string; readonly text?: string }[]): unknown[] =>
  content.map((part) => (part.type === "text" ? part.text : part.type))

async function called(result: object, era: string) {
  if (era === "of 2026") modern(() => result)
  else server.call = () => result
  const powers = { net } as unknown as ToolPowers
  return mcpTool({ ...def, url: server.url }, mcpPeer).execute("c", {}, soon(), undefined, powers)
}

const PARTS: readonly (readonly [string, object, readonly unknown[], unknown?])[] = [
  [
    "an unknown kind",
    {
      content: [
        { type: "hologram", data: 1 },
        { type: "text", text: "kept" },
      ],
    },
    ["[a content block of the kind hologram]", "kept"],
  ],
  [
    "a text null",
    {
      content: [
        { type: "text", text: null },
        { type: "text", text: "kept" },
      ],
    },
    ["[a text without a text]", "kept"],
  ],
  [
    "an image that is no base64",
    {
      content: [
        { type: "image", data: "%%%", mimeType: "image/png" },
        { type: "text", text: "kept" },
      ],
    },
    ["[an image whose data is no base64, image/png]", "kept"],
  ],
  ["an image without data", { content: [{ type: "image", data: null, mimeType: "image/png" }] }, ["[an image without data, image/png]"]],
  ["an image as an address", { content: [{ type: "image", data: "data:image/png;base64,iVBORw0KGgo=" }] }, ["image"]],
  [
    "a part that is null",
    { content: [null, 7, { type: "text", text: "kept" }] },
    ["[a content block that is not an object]", "[a content block that is not an object]", "kept"],
  ],
  ["a part that is a text", { content: ["plain"] }, ["plain"]],
  ["a text in place of a list", { content: "plain" }, ["plain"]],
  ["one part in place of a list", { content: { type: "text", text: "plain" } }, ["plain"]],
  ["content null beside structure", { content: null, structuredContent: { a: 1 } }, ['{"a":1}'], { a: 1 }],
  ["structure null", { content: [{ type: "text", text: "kept" }], structuredContent: null }, ["kept"]],
  ["hints that are none", { content: [{ type: "text", text: "kept", annotations: null, _meta: null }], isError: null }, ["kept"]],
  ["a resource without an address", { content: [{ type: "resource", resource: { text: "body" } }] }, ["[resource unknown]\nbody"]],
]

test.for(PARTS.flatMap((row) => ["of 2025", "of 2026"].map((era) => [row[0], era, row] as const)))(
  "[T27] an odd part of an answer is named, and the rest is kept: %s, a server %s",
  async ([, era, [, result, shown, details]]) => {
    const outcome = await called(result, era)
    expect(texts(outcome.content)).toEqual(shown)
    expect(outcome.details).toEqual(details)
  },
)

test("[T27] an odd part of an error is named too", async () => {
  const failed = called(
    {
      content: [
        { type: "text", text: null },
        { type: "text", text: "out of paper" },
      ],
      isError: true,
    },
    "of 2025",
  )
  await expect(failed).rejects.toSatisfy((e) => e instanceof ToolFailure && e.message.includes("out of paper"))
})
