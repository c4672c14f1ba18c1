// What a reader of a run's stream sees while a tool works [E2], and how the stream begins [E4]: the whole path from an MCP server
// through the tool, the run's object and SSE. The test controls when the server answers.

import { afterEach, expect, test, vi } from "vitest"
import type { RunEvent } from "../../../src/core/run/event.ts"
import { start, tenant, until } from "../../support/worker/service-client.ts"

afterEach(() => void vi.unstubAllGlobals())

type Rpc = { readonly id?: number; readonly method?: string; readonly params?: { readonly _meta?: { readonly progressToken?: number } } }

/** An MCP server in place of the network. Its one call reports progress when `said` exists and returns when `answer` exists. It polls for
 *  both, because a stream belongs to the object that reads it. */
function toolServer() {
  const state: { isCalled: boolean; said: readonly string[]; answer: string | undefined } = { isCalled: false, said: [], answer: undefined }
  const encoder = new TextEncoder()
  async function tell(writer: WritableStreamDefaultWriter<Uint8Array>, { id, params }: Rpc): Promise<void> {
    const write = (message: object) =>
      writer.write(encoder.encode(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`))
    state.isCalled = true
    await until(async () => state.said.length > 0, "something to say")
    const about = { progressToken: params?._meta?.progressToken, total: state.said.length }
    for (const [i, message] of state.said.entries())
      await write({ method: "notifications/progress", params: { ...about, progress: i + 1, message } })
    const text = await until(async () => state.answer, "the answer")
    await write({ id, result: { content: [{ type: "text", text }] } })
    await writer.close()
  }
  const real = fetch
  vi.stubGlobal("fetch", async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    if (!(input instanceof Request ? input.url : String(input)).includes("tools.example.com")) return real(input, init)
    const message: Rpc = typeof init?.body === "string" ? JSON.parse(init.body) : {}
    const reply = (result: object): Response => Response.json({ jsonrpc: "2.0", id: message.id, result })
    switch (message.method) {
      case "initialize":
        return reply({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "fake", version: "1" } })
      case "notifications/initialized":
        return new Response(null, { status: 202 })
      case "tools/list":
        return reply({ tools: [{ name: "scan", inputSchema: { type: "object", properties: {} } }] })
      case "tools/call": {
        const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
        void tell(writable.getWriter(), message)
        return new Response(readable, { headers: { "content-type": "text/event-stream" } })
      }
      default:
        return init?.method === "DELETE" ? new Response(null, { status: 200 }) : new Response("no such method", { status: 400 })
    }
  })
  return state
}

const AGENT = "---\nname: a\ndescription: d\nmodel: rehearsal/default\ntools: mcp:crm:scan\n---\nDo it. ${{task}}\n"
const FLOW = "name: f\ndescription: d\nsteps:\n  - { id: a, type: agent, agent: a }\n"
const REHEARSAL = "steps:\n  a:\n    - calls: [{ tool: 'mcp:crm:scan', args: {} }]\n    - finish: { status: complete, summary: done }\n"

type Frame = { readonly id?: string; readonly event: string; readonly data: Record<string, unknown> }
const framesOf = (text: string): Frame[] =>
  text
    .split("\n\n")
    .filter((frame) => frame !== "" && !frame.startsWith(":"))
    .map((frame) => {
      const lines = new Map(frame.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)] as const))
      const id = lines.get("id")
      return { ...(id === undefined ? {} : { id }), event: lines.get("event") ?? "", data: JSON.parse(lines.get("data") ?? "{}") }
    })

test("[E2] [E4] sends a snapshot, then the journal; a tool's partial results are coalesced, redacted and not stored", async () => {
  const server = toolServer()
  const t = await tenant("passing")
  await t.ask("PUT", "/v1/secrets/s", { value: "a-very-secret-value" })
  await t.ask("PUT", "/v1/mcp-servers/crm", { url: "https://tools.example.com/mcp", timeout: 600_000, approve: true })
  await t.ask("PUT", "/v1/catalog", { agents: { "a.md": AGENT }, flows: { "f.yaml": FLOW, "f.rehearsal.yaml": REHEARSAL } })
  const run = await start(t, "f")
  await until(async () => server.isCalled, "the call of the tool")

  const sse = { accept: "text/event-stream" }
  const stream = await t.raw("GET", `/v1/runs/${run}/events?snapshot=1`, undefined, sse)
  if (!stream.body) throw new Error("no stream")
  let text = ""
  const reading = (async () => {
    for await (const piece of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) text += piece
  })()
  const seen = (event: string): Frame[] => framesOf(text.slice(0, text.lastIndexOf("\n\n") + 2)).filter((frame) => frame.event === event)
  await until(async () => seen("run.started").length > 0, "the stream's beginning")
  const begun = Date.now()
  server.said = [...Array.from({ length: 499 }, () => "reading"), "found a-very-secret-value"]
  const last = () => JSON.stringify(seen("tool.progress").at(-1)?.data["content"] ?? null)
  await until(async () => last().includes("500 of 500"), "the last of its words")
  const tenths = Math.ceil((Date.now() - begun) / 100) + 1
  server.answer = "42"
  await reading

  const frames = framesOf(text)
  const [first] = frames
  expect([first?.event, first?.id, first?.data["id"], first?.data["status"]]).toEqual(["run.snapshot", undefined, run, "running"])
  const progress = seen("tool.progress")
  expect(progress[0]).toMatchObject({ data: { type: "tool.progress", step: "a", tool: "mcp:crm:scan", callId: expect.any(String) } })
  expect(progress.every((frame) => frame.id === undefined && frame.data["seq"] === undefined)).toBe(true)
  expect(progress.length).toBeLessThanOrEqual(tenths)
  expect(text).not.toContain("a-very-secret-value")
  const journal = (await t.ask<{ data: RunEvent[] }>("GET", `/v1/runs/${run}/events?limit=1000`)).data
  expect(frames.filter((frame) => frame.id !== undefined).map((frame) => frame.data)).toEqual(journal)
  expect(frames.findLastIndex((frame) => frame.event === "tool.progress")).toBeLessThan(
    frames.findIndex((frame) => frame.event === "tool.returned"),
  )
  expect(journal.at(-1)).toMatchObject({ type: "run.ended", status: "succeeded" })
})
