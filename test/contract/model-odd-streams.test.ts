// Streams that are whole and a little odd, as servers and gateways send them [M1]: the reply is read, and what says why there is none is told.

import { describe, expect, test } from "vitest"
import { providerModel } from "../../src/models/providers.ts"
import type { ProviderSettings } from "../../src/ports/tenant/providers.ts"
import { heard } from "./model.ts"

const answering =
  (body: BodyInit, type: string): typeof fetch =>
  () =>
    Promise.resolve(new Response(body, { headers: { "content-type": type } }))

async function said(kind: ProviderSettings["kind"], body: BodyInit, { type = "text/event-stream", api = "" } = {}) {
  const settings = { kind, baseUrl: "http://127.0.0.1:9/v1", apiKey: "test-key-0123456789", ...(api === "responses" ? { api } : {}) }
  const made = providerModel(settings as ProviderSettings, "m", { environment: "local", fetch: answering(body, type) })
  if (!made.ok) throw new Error(made.error.message)
  return (await heard(made.value)).final
}

const ARGS = { path: "grüße 😀" }
const JSON_ARGS = JSON.stringify(ARGS)
const CALLED = [{ name: "read", args: JSON_ARGS }]
const events = (...data: unknown[]): string =>
  data.map((one) => `data: ${typeof one === "string" ? one : JSON.stringify(one)}\n\n`).join("")

const callsOf = ({ toolCalls }: Awaited<ReturnType<typeof said>>) => toolCalls.map(({ name, args }) => ({ name, args }))

// Chat Completions.
const chunk = (delta: unknown, finish: string | null = null, more: object = {}) => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
})
const call = (args: unknown) => ({ tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "read", arguments: args } }] })
const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
const END = chunk({}, "tool_calls", { usage: USAGE })
const CHAT = events(chunk(call(JSON_ARGS)), END, "[DONE]")
const whole = { role: "assistant", content: null, tool_calls: [{ id: "c1", function: { name: "read", arguments: JSON_ARGS } }] }

// Messages.
const start = {
  type: "message_start",
  message: { id: "m", type: "message", role: "assistant", model: "m", content: [], usage: { input_tokens: 10, output_tokens: 1 } },
}
const block = (index: number, content_block: object) => ({ type: "content_block_start", index, content_block })
const delta = (index: number, of: object) => ({ type: "content_block_delta", index, delta: of })
const use = [
  block(1, { type: "tool_use", id: "c1", name: "read", input: {} }),
  delta(1, { type: "input_json_delta", partial_json: JSON_ARGS }),
  { type: "content_block_stop", index: 1 },
]
const stop = [{ type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 5 } }, { type: "message_stop" }]
const MESSAGES = events(start, ...use, ...stop)

// Gemini.
const GEMINI = {
  candidates: [{ index: 0, content: { role: "model", parts: [{ functionCall: { name: "read", args: ARGS } }] }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
}

// Responses.
const response = { id: "r", object: "response", created_at: 1, model: "m", output: [] }
const RESPONSES = events(
  { type: "response.created", response },
  {
    type: "response.output_item.done",
    output_index: 0,
    item: { id: "f", type: "function_call", call_id: "c1", name: "read", arguments: JSON_ARGS, status: "completed" },
  },
  { type: "response.completed", response: { ...response, usage: { input_tokens: 10, output_tokens: 5 } } },
)

const STREAMS = [
  ["openai-compatible", "", CHAT],
  ["openai", "", CHAT],
  ["anthropic", "", MESSAGES],
  ["google", "", events(GEMINI)],
  ["openai", "responses", RESPONSES],
] as const

describe.each(STREAMS)("[M1] %s %s", (kind, api, stream) => {
  test.each([
    ["as it is", stream],
    ["its last event has no blank line", stream.slice(0, -1)],
    ["its last line has no end", stream.slice(0, -2)],
    ["lines end in CR LF, the last one in nothing", stream.replaceAll("\n", "\r\n").slice(0, -4)],
    ["lines end in CR", stream.replaceAll("\n", "\r")],
    ["events without data keep it open", `data:\n\nevent: ping\ndata: \n\n${stream}`],
  ])("%s: the reply is whole", async (_odd, text) => {
    const final = await said(kind, text, { api })
    expect([final.error, callsOf(final), final.usage]).toMatchObject([undefined, CALLED, { input: 10, output: 5 }])
  })

  test("an event that broke off is none", async () => {
    const final = await said(kind, stream.slice(0, -Math.floor(stream.length / 3)), { api })
    expect(final).toMatchObject({ toolCalls: [], error: { retryable: true } })
  })

  test.each([
    ["text/html", "<html><title>Sign in</title></html>", /no stream: Sign in$/, true],
    ["application/json", '{"error":{"message":"the model is loading","type":"server_error"}}', /the model is loading$/, true],
    ["application/json", '{"error":{"message":"no such key","type":"invalid_request_error"}}', /no such key$/, false],
    ["application/json", '{"detail":"no such deployment"}', /no stream: no such deployment$/, true],
  ])("%s with status 200 says why: %s", async (type, text, message, retryable) => {
    const final = await said(kind, text, { type, api })
    expect(final).toMatchObject({ toolCalls: [], error: { message: expect.stringMatching(message), retryable } })
  })
})

test("[M1] an endless page with status 200 is read no further than its start", async () => {
  const piece = new TextEncoder().encode(`<html><title>Sign in</title>${" ".repeat(32 * 1024)}`)
  let [sent, left] = [0, false]
  const page = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        sent += piece.length
        controller.enqueue(piece)
      },
      cancel: () => void (left = true),
    },
    { highWaterMark: 0 },
  )
  const final = await said("anthropic", page, { type: "text/html" })
  expect([final.error?.message, left, sent <= 96 * 1024]).toEqual(["the provider answered with no stream: Sign in", true, true])
})

describe("[M1] Chat Completions", () => {
  test.each([
    ["arguments are an object", events(chunk(call(ARGS)), END, "[DONE]")],
    ["the finish is the mark alone", events(chunk(call(JSON_ARGS), null, { usage: USAGE }), "[DONE]")],
    ["the mark has a space", CHAT.replace("[DONE]", "[DONE] ")],
    ["something follows the mark", `${CHAT}${events({ error: { message: "late" } })}`],
    ["usage is an event of its own", events(chunk(call(JSON_ARGS)), chunk({}, "tool_calls"), { usage: USAGE }, "[DONE]")],
    ["usage comes without choices", events(chunk(call(JSON_ARGS)), chunk({}, "tool_calls"), { choices: null, usage: USAGE }, "[DONE]")],
    ["an event is empty", events({}, chunk(call(JSON_ARGS)), END, "[DONE]")],
    ["the call is in the older form", events(chunk({ function_call: { name: "read", arguments: JSON_ARGS } }), END, "[DONE]")],
    ["one event has the reply", events({ choices: [{ index: 0, message: whole, finish_reason: "tool_calls" }], usage: USAGE }, "[DONE]")],
    [
      "the answer is not a stream",
      JSON.stringify({ choices: [{ index: 0, message: whole, finish_reason: "tool_calls" }], usage: USAGE }, null, 2),
    ],
  ])("%s", async (_odd, text) => {
    const final = await said("openai-compatible", text)
    expect([final.error, callsOf(final), final.usage]).toMatchObject([undefined, CALLED, { input: 10, output: 5 }])
  })

  test("a last event that repeats the reply adds nothing", async () => {
    const repeated = { choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }] }
    expect((await said("openai-compatible", events(chunk({ content: "Hello" }), repeated, "[DONE]"))).text).toBe("Hello")
  })

  test("a mark without a reply is no reply", async () => {
    expect(await said("openai-compatible", events(chunk({ role: "assistant" }), "[DONE]"))).toMatchObject({ error: { retryable: true } })
  })
})

test("[M1] Messages: new types of events, blocks and deltas are passed over", async () => {
  const text = events(
    { type: "brand_new", x: 1 },
    start,
    block(0, { type: "brand_new_block", text: "x" }),
    delta(0, { type: "text_delta", text: "unheard" }),
    { type: "content_block_stop", index: 0 },
    ...use.slice(0, 1),
    delta(1, { type: "brand_new_delta", x: 1 }),
    ...use.slice(1),
    block(0, { type: "text", text: "" }),
    delta(0, { type: "text_delta", text: "heard" }),
    { type: "content_block_stop", index: 0 },
    ...stop,
  )
  for (const lines of [text, text.replaceAll("\n", "\r\n")]) {
    const final = await said("anthropic", lines)
    expect([final.error, final.text, callsOf(final)]).toEqual([undefined, "heard", CALLED])
  }
})

test.each([null, { promptTokenCount: "10" }, { promptTokenCount: -1 }, "many", { promptTokenCount: 1.5, candidatesTokenCount: 2 }])(
  "[B3] Gemini's usage %j: the reply is whole, and its usage is not believed",
  async (usageMetadata) => {
    const final = await said("google", events({ ...GEMINI, usageMetadata }))
    expect([final.error, callsOf(final), final.usage]).toEqual([undefined, CALLED, undefined])
  },
)
