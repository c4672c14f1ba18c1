// What a reader of a run's stream sees of a tool at work [E2], and what the stream begins with [E4]: the whole way from a server of tools
// through the tool, the run's object and SSE. The server speaks when the test says so.

import { afterEach, expect, test, vi } from "vitest"
import type { RunEvent } from "../../src/core/run/event.ts"
import { start, tenant, until } from "./service-client.ts"

afterEach(() => void vi.unstubAllGlobals())

type Rpc = { readonly id?: number; readonly method?: string; readonly params?: { readonly _meta?: { readonly progressToken?: number } } }

/** A server of tools in place of the network: its one call is answered when `answer` is called, and tells of itself by `say`. */
function toolServer() {
  const encoder = new TextEncoder()
  let call: { token: number | undefined; id: number | undefined; writer: WritableStreamDefaultWriter<Uint8Array> } | undefined
  const write = (message: object): void =>
    void call?.writer.write(encoder.encode(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`))
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
        call = { token: message.params?._meta?.progressToken, id: message.id, writer: writable.getWriter() }
        return new Response(readable, { headers: { "content-type": "text/event-stream" } })
      }
      default:
        return new Response(null, { status: message.method === undefined ? 405 : 202 })
    }
  })
  return {
    isCalled: () => call !== undefined,
    say: (progress: number, message: string) =>
      write({ method: "notifications/progress", params: { progressToken: call?.token, progress, total: 500, message } }),
    answer: (text: string) => {
      write({ id: call?.id, result: { content: [{ type: "text", text }] } })
      void call?.writer.close()
    },
  }
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

test("[E2] [E4] a snapshot first, then the journal; a tool's partial results pass by, coalesced, secrets out, and are not kept", async () => {
  const server = toolServer()
  const t = await tenant("passing")
  await t.ask("PUT", "/v1/secrets/s", { value: "a-very-secret-value" })
  await t.ask("PUT", "/v1/mcp-servers/crm", { url: "https://tools.example.com/mcp" })
  await t.ask("PUT", "/v1/catalog", { agents: { "a.md": AGENT }, flows: { "f.yaml": FLOW, "f.rehearsal.yaml": REHEARSAL } })
  const run = await start(t, "f")
  await until(async () => server.isCalled(), "the call of the tool")

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
  for (let n = 1; n <= 499; n++) server.say(n, "reading")
  server.say(500, "found a-very-secret-value")
  const last = () => JSON.stringify(seen("tool.progress").at(-1)?.data["content"] ?? null)
  await until(async () => last().includes("500 of 500"), "the last of its words")
  const tenths = Math.ceil((Date.now() - begun) / 100) + 1
  server.answer("42")
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
}, 20_000)
