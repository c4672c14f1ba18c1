// [T27] with the MCP project's reference server as the peer, in its own process.

import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { mcpToolDefs, readList } from "../../../src/core/tool/mcp-tool.ts"
import type { JsonObject } from "../../../src/core/json.ts"
import { mcpPeer } from "../../../src/engine/net/mcp-peer.ts"
import { netOf } from "../../../src/engine/net/net.ts"
import { ToolFailure, type Tool, type ToolOutcome, type ToolPowers } from "../../../src/ports/tool.ts"
import { mcpTool } from "../../../src/tools/registered/mcp-tool.ts"
import { executeTool } from "../../../src/engine/run/call/execute-tool.ts"
import { validateArgs } from "../../../src/core/schema/validate-args.ts"
import { everythingServer, type EverythingServer } from "../../support/engine/everything-server.ts"

let server: EverythingServer
let tools: ReadonlyMap<string, Tool>
const net = netOf({ allowedPrivateHosts: ["127.0.0.1"] })
const none = (): Promise<never> => Promise.reject(new Error("no workspace here"))
const powers: ToolPowers = {
  net,
  workspace: { stat: none, read: none, list: none, survey: none, named: () => {}, write: none, remove: none, refusal: () => undefined },
  skills: { names: () => [], files: () => undefined, read: async () => undefined },
}
const soon = (): AbortSignal => AbortSignal.timeout(50_000)

beforeAll(async () => {
  server = await everythingServer()
  const list = readList(await mcpPeer.list({ url: server.url }, net, soon()))
  if (!list.ok) throw new Error(list.error)
  expect(list.value.leftOut).toEqual([])
  tools = new Map(mcpToolDefs("every", { url: server.url }, list.value.tools).map((def) => [def.tool, mcpTool(def, mcpPeer)]))
})

afterAll(() => server.stop())

const tool = (name: string): Tool => {
  const found = tools.get(name)
  if (!found) throw new Error(`server-everything has no ${name}; it has ${[...tools.keys()].join(", ")}`)
  return found
}
const call = (name: string, args: JsonObject, onUpdate?: (partial: ToolOutcome) => void, signal = soon()): Promise<ToolOutcome> =>
  tool(name).execute("c1", args, signal, onUpdate, powers)

describe("the reference server of the MCP project", () => {
  test("[T27] its tools become ours: names, the server before the description, the whole schema, effects from its hints", () => {
    const echo = tool("echo")
    expect(echo).toMatchObject({
      name: "mcp:every:echo",
      label: "Echo Tool",
      description: "[MCP:every] Echoes back the input string",
      parameters: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
      effect: "read",
      idempotent: true,
      untrusted: true,
      groups: ["mcp"],
      reach: { to: { host: "127.0.0.1" }, method: { fixed: "GET" } },
    })
    expect(tool("gzip-file-as-resource").effect).toBe("write")
    expect(tool("gzip-file-as-resource").reach?.method).toEqual({ fixed: "POST" })
  })

  test("[T27] arguments are checked against the server's schema before anything is sent", () => {
    expect(validateArgs(tool("get-sum").parameters, { a: 1, b: "2" })).toEqual({ ok: true, value: { a: 1, b: 2 } })
    expect(validateArgs(tool("get-sum").parameters, { a: 1 }).ok).toBe(false)
  })

  test("[T27] a call returns the server's answer", async () => {
    expect(await call("echo", { message: "hello" })).toEqual({ content: [{ type: "text", text: "Echo: hello" }] })
    expect(await call("get-sum", { a: 2, b: 40 })).toEqual({ content: [{ type: "text", text: "The sum of 2 and 40 is 42." }] })
  })

  test("[T7] progress is shown while the call is under way, in order", async () => {
    const shown: ToolOutcome[] = []
    const done = await call("trigger-long-running-operation", { duration: 0.3, steps: 3 }, (partial) => shown.push(partial))
    expect(shown.map((partial) => partial.details)).toEqual([
      { progress: 1, total: 3 },
      { progress: 2, total: 3 },
      { progress: 3, total: 3 },
    ])
    expect(shown[0]?.content).toEqual([{ type: "text", text: "1 of 3" }])
    expect(done.content[0]).toMatchObject({ type: "text", text: expect.stringContaining("completed") })
  })

  test("[T27] images stay images, links and resources become text, structure goes to the details", async () => {
    const image = await call("get-tiny-image", {})
    expect(image.content.map((part) => part.type)).toContain("image")
    expect(image.content.find((part) => part.type === "image")).toMatchObject({ mimeType: "image/png" })
    const links = await call("get-resource-links", { count: 1 })
    expect(links.content[1]).toMatchObject({ type: "text", text: expect.stringMatching(/^\[link to the resource demo:/) })
    const resource = await call("get-resource-reference", { resourceType: "Text", resourceId: 1 })
    expect(resource.content[1]).toMatchObject({ type: "text", text: expect.stringMatching(/^\[resource demo:.*\]\nResource 1/) })
    const weather = await call("get-structured-content", { location: "New York" })
    expect(weather.details).toMatchObject({ temperature: expect.any(Number), conditions: expect.any(String) })
  })

  test("[T27] an error of the tool is an error that keeps its text", async () => {
    const failed = await call("get-sum", { a: "x", b: 1 }).catch((e: unknown) => e)
    expect(failed).toBeInstanceOf(ToolFailure)
    expect(failed).toMatchObject({ content: [{ type: "text", text: expect.stringContaining("Invalid arguments") }] })
  })

  test("[T27] a tool that the server no longer has is reported with how to refresh", async () => {
    const [def] = mcpToolDefs("every", { url: server.url }, [{ name: "gone", description: "", parameters: { type: "object" } }])
    if (!def) throw new Error("no definition")
    const failed = mcpTool(def, mcpPeer).execute("c1", {}, soon(), undefined, powers)
    await expect(failed).rejects.toThrow("POST /v1/mcp-servers/every/refresh")
  })

  test("[T6] a canceled call ends at once", async () => {
    const stop = new AbortController()
    const under = call("trigger-long-running-operation", { duration: 60, steps: 60 }, () => stop.abort(new Error("enough")), stop.signal)
    await expect(under).rejects.toThrow("enough")
  })

  test("[T27] a server that is down is a tool error, and the session continues", async () => {
    const other = await everythingServer()
    const [def] = mcpToolDefs("down", { url: other.url }, [{ name: "echo", description: "", parameters: { type: "object" } }])
    if (!def) throw new Error("no definition")
    await other.stop()
    const outcome = await executeTool(
      { tool: mcpTool(def, mcpPeer), args: { message: "x" }, signal: soon(), powers },
      {
        callId: "c1",
        sha256: async () => "h",
        keep: async () => "k",
        nonce: () => "n",
      },
    )
    expect(outcome.isError).toBe(true)
    expect(outcome.content[0]).toMatchObject({ type: "text", text: expect.stringMatching(/the MCP server at 127\.0\.0\.1:\d+ failed/) })
  })
})
