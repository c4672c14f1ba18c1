// Pictures and PDFs over the API [F56]: a start with a picture in base64, `read` of a PDF, a kill between, a model that reads text alone.

import { abortAllDurableObjects } from "cloudflare:test"
import { afterEach, beforeAll, expect, test, vi } from "vitest"
import { until as untilIt } from "../../support/worker/service-client.ts"
import { agent, ask, ended, eventsOf, flow, start, until } from "../../support/worker/house.ts"

const BASE = "https://pictures.example.com/v1"
/** One pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const PDF = btoa("%PDF-1.4\n1 0 obj\n<< /Type /Pages /Count 1 /Kids [2 0 R] >>\nendobj\n2 0 obj\n<< /Type /Page >>\nendobj\n%%EOF\n")

const chunk = (choice: object, more: object = {}): string =>
  `data: ${JSON.stringify({ id: "c1", created: 1, model: "m", object: "chat.completion.chunk", choices: [{ index: 0, ...choice }], ...more })}\n\n`
function calling(name: string, args: object): string {
  const call = { index: 0, id: "call_1", type: "function", function: { name, arguments: JSON.stringify(args) } }
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
  return `${chunk({ delta: { role: "assistant", tool_calls: [call] } })}${chunk({ delta: {}, finish_reason: "tool_calls" }, { usage })}data: [DONE]\n\n`
}

interface Counted {
  readonly body: string
  readonly images: number
  readonly files: number
}

/** A model server that counts the parts of its requests: it reads the bill, then finishes. `held`: not before it is false. */
function serve(gate: { held: boolean } = { held: false }): Counted[] {
  const asked: Counted[] = []
  const real = fetch
  vi.stubGlobal("fetch", async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    if (!(input instanceof Request ? input.url : String(input)).startsWith(BASE)) return real(input, init)
    const body = String(init?.body)
    asked.push({ body, images: body.match(/"image_url":\{/g)?.length ?? 0, files: body.match(/"file_data"/g)?.length ?? 0 })
    const { messages }: { messages: { role: string }[] } = JSON.parse(body)
    const turn = messages.filter(({ role }) => role === "assistant").length
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined)
    while (turn > 0 && gate.held) {
      signal?.throwIfAborted()
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    const reply = turn === 0 ? calling("read", { path: "in/bill.pdf" }) : calling("finish", { status: "complete", summary: "seen" })
    return new Response(reply, { headers: { "content-type": "text/event-stream" } })
  })
  return asked
}
afterEach(() => vi.unstubAllGlobals())

beforeAll(async () => {
  await ask("PUT", "/v1/settings/providers/pics", { kind: "openai-compatible", baseUrl: BASE, apiKey: "k-of-pictures" })
  const seeing = (name: string, model: string): string => agent(name, "read").replace("rehearsal/default", `pics/${model}`)
  await ask("PUT", "/v1/catalog", {
    agents: { "sees.md": seeing("sees", "gpt-5"), "reads-text.md": seeing("reads-text", "deepseek-chat") },
    flows: {
      "sees.yaml": flow("sees", "  - { id: a, type: agent, agent: sees }\n"),
      "texts.yaml": flow("texts", "  - { id: a, type: agent, agent: reads-text }\n"),
    },
  })
})

const FILES = {
  "in/photo": { base64: PIXEL },
  "in/bill.pdf": { base64: PDF, type: "application/pdf", untrusted: true },
  "in/fake.png": "no picture",
}

test("[F56] a picture and a PDF of the start are parts of every request, and one that is read again is none more", async () => {
  const asked = serve()
  const id = await start("sees", { task: "Look.", files: FILES })
  expect((await until(id, ended)).status).toBe("succeeded")
  expect(asked.map(({ images, files }) => [images, files])).toEqual([
    [1, 1],
    [1, 1],
  ])
  expect(asked[0]?.body).toContain(`data:image/png;base64,${PIXEL}`)
  expect(asked[0]?.body).toContain("[in/fake.png is not shown: its name says image/png, but its bytes say otherwise]")
  const events = await eventsOf(id)
  const read = events.find((e) => e.type === "context.read")
  expect(read).toMatchObject({
    attached: [
      { path: "in/photo", type: "image/png", width: 1, height: 1 },
      { path: "in/bill.pdf", type: "application/pdf", pages: 1, tainted: true },
    ],
    unseen: [{ path: "in/fake.png" }],
    tainted: true,
  })
  expect(events.find((e) => e.type === "tool.returned")).toMatchObject({ tool: "read", attached: [{ path: "in/bill.pdf" }], tainted: true })
  expect(JSON.stringify(events)).not.toContain(PIXEL.slice(0, 40))
  const messages = await ask<{ data: { kind?: string; role: string; attached?: { path: string }[] }[] }>(
    "GET",
    `/v1/runs/${id}/steps/a/messages`,
  )
  expect(messages.data.filter(({ attached }) => attached).map(({ role, kind, attached }) => [role, kind, attached?.length])).toEqual([
    ["user", "files", 2],
    ["tool", undefined, 1],
  ])
})

test("[F56] [J10] after a kill between the turns the same request is made again", async () => {
  const gate = { held: true }
  const asked = serve(gate)
  const id = await start("sees", { task: "Look.", files: FILES })
  await untilIt(async () => asked.length === 2, "the second call of the model")
  await abortAllDurableObjects()
  gate.held = false
  expect((await until(id, ended)).status).toBe("succeeded")
  expect(asked.length).toBeGreaterThanOrEqual(3)
  expect(asked[2]?.body).toBe(asked[1]?.body)
  expect(asked[2]).toMatchObject({ images: 1, files: 1 })
})

test("[F56] a model that reads text alone is told so, and the run goes on", async () => {
  const asked = serve()
  const id = await start("texts", { task: "Look.", files: FILES })
  expect((await until(id, ended)).status).toBe("succeeded")
  expect(asked.map(({ images, files }) => images + files)).toEqual([0, 0])
  expect(asked[0]?.body).toContain("[in/photo (image/png) is not shown: the model deepseek-chat takes no pictures.")
  expect(asked[1]?.body).toContain("[in/bill.pdf (application/pdf) is not shown: the model deepseek-chat takes no PDFs.")
})
