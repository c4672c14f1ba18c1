// Requests to and replies from each provider API, beyond the contract.

import { afterAll, describe, expect, test } from "vitest"
import { providerModel } from "../../src/models/providers.ts"
import type { ModelMessage, ModelRequest } from "../../src/ports/model.ts"
import type { ProviderSettings } from "../../src/ports/tenant/providers.ts"
import { heard, request } from "./model.ts"
import { startModelServer } from "./model-server.ts"

const server = await startModelServer()
afterAll(() => server.close())

/** Makes one call and returns the request that the server got. */
async function sent(settings: Partial<ProviderSettings> & Pick<ProviderSettings, "kind">, more: Partial<ModelRequest> = {}, id = "m") {
  const made = providerModel({ baseUrl: `${server.url}/v1`, apiKey: "test-key", ...settings }, id, { environment: "local" })
  if (!made.ok) throw new Error(made.error.message)
  server.say({ text: "fine" })
  const { final } = await heard(made.value, request(more))
  expect(final.stopReason).toBe("stop")
  const asked = server.asked[0]
  if (!asked) throw new Error("the server was not asked")
  return asked
}

const history: ModelMessage[] = [
  { role: "user", text: "Write." },
  {
    role: "assistant",
    text: "",
    toolCalls: [
      { id: "c1", name: "read", args: '{"path":"a.md"}' },
      { id: "c2", name: "read", args: "{not json" },
    ],
  },
  { role: "tool", callId: "c1", tool: "read", content: [{ type: "text", text: "hello" }], isError: false },
  { role: "tool", callId: "c2", tool: "read", content: [{ type: "text", text: "no JSON object" }], isError: true },
]

describe("Chat Completions", () => {
  test("[M1] system, messages, tools and limits are sent unchanged", async () => {
    const { body, path, headers } = await sent({ kind: "openai-compatible" }, { messages: history, temperature: 0.2 })
    expect(path).toBe("/v1/chat/completions")
    expect(headers["authorization"]).toBe("Bearer test-key")
    expect(body).toMatchObject({ model: "m", stream: true, stream_options: { include_usage: true }, max_tokens: 1000, temperature: 0.2 })
    expect(body["messages"]).toEqual([
      { role: "system", content: "You write." },
      { role: "user", content: "Write." },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "c1", type: "function", function: { name: "read", arguments: '{"path":"a.md"}' } },
          { id: "c2", type: "function", function: { name: "read", arguments: '{"not_a_json_object":"{not json"}' } },
        ],
      },
      { role: "tool", tool_call_id: "c1", content: "hello" },
      { role: "tool", tool_call_id: "c2", content: "no JSON object" },
    ])
    expect(body["tools"]).toHaveLength(2)
  })

  test("[M1] a server that needs no key gets none", async () => {
    const made = providerModel({ kind: "openai-compatible", baseUrl: `${server.url}/v1` }, "m", { environment: "local" })
    server.say({ text: "fine" })
    if (made.ok) await heard(made.value)
    expect(server.asked[0]?.headers["authorization"]).toBeUndefined()
  })

  test.each([
    [undefined, undefined],
    ["off", undefined],
    ["minimal", "low"],
    ["medium", "medium"],
    ["max", "high"],
  ] as const)("[F52] thinking %s is asked for as %s", async (thinking, effort) => {
    const { body } = await sent({ kind: "openai-compatible" }, thinking === undefined ? {} : { thinking })
    expect(body["reasoning_effort"]).toBe(effort)
  })

  test("[T4] names that a provider refuses are changed in the request and restored in the reply", async () => {
    const parameters = { type: "object" }
    const tools = ["file_read", "file.read", "mcp:notes:add", "x".repeat(70)].map((name) => ({ name, description: "", parameters }))
    const { body } = await sent({ kind: "openai-compatible" }, { tools })
    const names = (body["tools"] as { function: { name: string } }[]).map((tool) => tool.function.name)
    expect(names).toEqual([
      "file_read",
      expect.stringMatching(/^file_read_\w{6}$/),
      "mcp_notes_add",
      expect.stringMatching(/^x{57}_\w{6}$/),
    ])

    const made = providerModel({ kind: "openai-compatible", baseUrl: `${server.url}/v1` }, "m", { environment: "local" })
    if (!made.ok) throw new Error(made.error.message)
    server.say({ calls: names.map((name) => ({ name, args: "{}" })) })
    const { final } = await heard(made.value, request({ tools }))
    expect(final.toolCalls.map((call) => call.name)).toEqual(tools.map((tool) => tool.name))
  })

  test("[M1] an image from a tool is replaced by a note where the API accepts none", async () => {
    const content = [
      { type: "text" as const, text: "a picture" },
      { type: "image" as const, data: "AAAA", mimeType: "image/png" },
    ]
    const messages: ModelMessage[] = [...history.slice(0, 3), { role: "tool", callId: "c2", tool: "read", content, isError: false }]
    const { body } = await sent({ kind: "openai-compatible" }, { messages })
    expect(JSON.stringify(body)).not.toContain("AAAA")
    expect(JSON.stringify(body["messages"])).toContain("image/png")
  })

  test("[F33] an empty answer without tokens is retryable, an unknown finish with text is a reply", async () => {
    const made = providerModel({ kind: "openai-compatible", baseUrl: `${server.url}/v1` }, "m", { environment: "local" })
    if (!made.ok) throw new Error(made.error.message)
    server.say({ usage: { input: 3, output: 0 } })
    expect((await heard(made.value)).final.error).toMatchObject({ retryable: true })
    server.say({ text: "done", stop: "eos" })
    expect((await heard(made.value)).final.stopReason).toBe("stop")
    server.say({ text: "cut at the limit", stop: "length" })
    expect((await heard(made.value)).final.stopReason).toBe("length")
    server.say({ text: "I should", stop: "content_filter" })
    expect((await heard(made.value)).final).toMatchObject({ stopReason: "error", error: { retryable: false } })
  })

  test("[M1] calls without ids, or with repeated ids, get unique ids", async () => {
    const made = providerModel({ kind: "openai-compatible", baseUrl: `${server.url}/v1` }, "m", { environment: "local" })
    if (!made.ok) throw new Error(made.error.message)
    server.say({
      calls: [
        { id: "same", name: "read", args: "{}" },
        { id: "same", name: "read", args: "{}" },
      ],
    })
    const { final } = await heard(made.value)
    expect(final.toolCalls).toHaveLength(2)
    expect(new Set(final.toolCalls.map((call) => call.id)).size).toBe(2)
  })

  test("[M1] a redirect is not followed: it would forward the key", async () => {
    const made = providerModel({ kind: "openai-compatible", baseUrl: `${server.url}/v1`, apiKey: "test-key" }, "m", {
      environment: "local",
    })
    if (!made.ok) throw new Error(made.error.message)
    server.say({ refuse: { status: 307, headers: { location: `${server.url}/elsewhere` } } })
    const { final } = await heard(made.value)
    expect(final.error).toMatchObject({ status: 307, retryable: false })
    expect(server.asked).toHaveLength(1)
  })

  test("[F33] an unreachable address is a lost connection", async () => {
    const gone = await startModelServer()
    await gone.close()
    const made = providerModel({ kind: "openai-compatible", baseUrl: `${gone.url}/v1`, apiKey: "test-key" }, "m", { environment: "local" })
    if (!made.ok) throw new Error(made.error.message)
    const { final } = await heard(made.value)
    expect(final.error?.retryable).toBe(true)
    expect(final.error?.status).toBeUndefined()
  })
})

describe("Anthropic Messages", () => {
  test("[M1] an error of a tool is marked, arguments go back as objects, the key in its own header", async () => {
    const { body, path, headers } = await sent({ kind: "anthropic" }, { messages: history })
    expect(path).toBe("/v1/messages")
    expect(headers["x-api-key"]).toBe("test-key")
    expect(body["max_tokens"]).toBe(1000)
    const messages = body["messages"] as { role: string; content: Record<string, unknown>[] }[]
    expect(messages.map((m) => m.role)).toEqual(["user", "assistant", "user"])
    expect(messages[1]?.content.map((block) => block["input"])).toEqual([{ path: "a.md" }, { not_a_json_object: "{not json" }])
    expect(messages[2]?.content.map((block) => block["is_error"])).toEqual([undefined, true])
  })

  test("[M1] an empty assistant message is left out: the API answers 400 to it", async () => {
    const messages: ModelMessage[] = [
      { role: "user", text: "Write." },
      { role: "assistant", text: " ", toolCalls: [] },
      { role: "user", text: "Call finish." },
    ]
    const { body } = await sent({ kind: "anthropic" }, { messages })
    expect((body["messages"] as { role: string }[]).map((m) => m.role)).toEqual(["user"])
  })

  test("[F52] a thinking budget stays inside max_output_tokens", async () => {
    const { body } = await sent({ kind: "anthropic" }, { thinking: "high", maxOutputTokens: 8000 }, "claude-sonnet-4-5")
    expect(body["max_tokens"]).toBe(8000)
    expect(body["thinking"]).toMatchObject({ type: "enabled", budget_tokens: 4000 })
  })

  test("[F52] a budget that does not fit, and a turn after tool results, run without thinking", async () => {
    const small = await sent({ kind: "anthropic" }, { thinking: "high", maxOutputTokens: 1500 }, "claude-sonnet-4-5")
    expect(small.body["thinking"]).toBeUndefined()
    expect(small.body["max_tokens"]).toBe(1500)
    const later = await sent({ kind: "anthropic" }, { thinking: "high", maxOutputTokens: 8000, messages: history }, "claude-sonnet-4-5")
    expect(later.body["thinking"]).toBeUndefined()
    expect(later.body["max_tokens"]).toBe(8000)
  })

  test("[F52] a model with adaptive thinking keeps its effort, also after tool results", async () => {
    const { body } = await sent({ kind: "anthropic" }, { thinking: "high", maxOutputTokens: 8000, messages: history }, "claude-opus-4-6")
    expect(body["thinking"]).toMatchObject({ type: "adaptive" })
    expect(body["max_tokens"]).toBe(8000)
  })

  test("[M1] tokens written to the cache are counted separately", async () => {
    const made = providerModel({ kind: "anthropic", baseUrl: `${server.url}/v1`, apiKey: "test-key" }, "m", { environment: "local" })
    if (!made.ok) throw new Error(made.error.message)
    server.say({ text: "yes", usage: { input: 120, output: 9, cached: 60, written: 40 } })
    expect((await heard(made.value)).final.usage).toEqual({ input: 120, output: 9, cacheRead: 60, cacheWrite: 40 })
  })

  test("[F33] an error as the first event has its matching status", async () => {
    const made = providerModel({ kind: "anthropic", baseUrl: `${server.url}/v1`, apiKey: "test-key" }, "m", {
      environment: "local",
      fetch: async () =>
        new Response('event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n', {
          headers: { "content-type": "text/event-stream" },
        }),
    })
    if (!made.ok) throw new Error(made.error.message)
    expect((await heard(made.value)).final.error).toEqual({
      status: 529,
      message: "the provider answered 529: Overloaded",
      retryable: true,
    })
  })
})

const sse = (events: readonly object[]): string => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")

describe("OpenAI Responses", () => {
  const item = { type: "function_call", id: "fc_1", call_id: "call_9", name: "read", arguments: '{"path":"a.md"}', status: "completed" }
  const message = { type: "message", id: "msg_1", role: "assistant", status: "completed", content: [] }
  const events = [
    { type: "response.created", response: { id: "r1", created_at: 1, model: "gpt-5" } },
    { type: "response.output_item.added", output_index: 0, item: message },
    { type: "response.output_text.delta", item_id: "msg_1", output_index: 0, content_index: 0, delta: "I shall " },
    { type: "response.output_text.delta", item_id: "msg_1", output_index: 0, content_index: 0, delta: "look." },
    {
      type: "response.output_item.done",
      output_index: 0,
      item: { ...message, content: [{ type: "output_text", text: "I shall look.", annotations: [] }] },
    },
    { type: "response.output_item.added", output_index: 1, item: { ...item, arguments: "" } },
    { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 1, delta: item.arguments },
    { type: "response.output_item.done", output_index: 1, item },
    {
      type: "response.completed",
      response: {
        usage: {
          input_tokens: 50,
          input_tokens_details: { cached_tokens: 8 },
          output_tokens: 20,
          output_tokens_details: { reasoning_tokens: 5 },
        },
      },
    },
  ]
  const asked: { url: string; body: Record<string, unknown> }[] = []
  const model = (lines: readonly object[]) => {
    asked.length = 0
    const made = providerModel({ kind: "openai", apiKey: "test-key" }, "gpt-5", {
      environment: "production",
      fetch: async (url, init) => {
        const sentTo = new Request(url, init)
        asked.push({ url: sentTo.url, body: (await sentTo.json()) as Record<string, unknown> })
        return new Response(sse(lines), { headers: { "content-type": "text/event-stream" } })
      },
    })
    if (!made.ok) throw new Error(made.error.message)
    return made.value
  }

  test("[M2] text, calls, usage and the thinking mark arrive; nothing is stored there", async () => {
    const { final } = await heard(model(events), request({ thinking: "high" }))
    expect(final).toEqual({
      type: "final",
      text: "I shall look.",
      thinking: true,
      toolCalls: [{ id: "call_9", name: "read", args: '{"path":"a.md"}' }],
      usage: { input: 50, output: 20, cacheRead: 8, reasoning: 5 },
      stopReason: "toolUse",
    })
    expect(asked[0]?.url).toBe("https://api.openai.com/v1/responses")
    expect(asked[0]?.body).toMatchObject({ store: false, reasoning: { effort: "high" }, max_output_tokens: 1000 })
    expect(asked[0]?.body["tools"]).toMatchObject([{ strict: false }, { strict: false }])
  })

  test("[F33] a stream without its completion is cut short", async () => {
    const { final } = await heard(model(events.slice(0, -1)))
    expect(final).toMatchObject({ stopReason: "error", toolCalls: [], error: { retryable: true } })
  })
})

describe("Workers AI", () => {
  const model = (run: (model: string, inputs: unknown) => Promise<unknown>) => {
    const made = providerModel({ kind: "workers-ai" }, "@cf/meta/llama-3.1-8b-instruct", { environment: "production", ai: { run } })
    if (!made.ok) throw new Error(made.error.message)
    return made.value
  }
  const stream = (lines: string) => new Blob([lines]).stream()

  test("[M2] text and usage come from the binding's stream", async () => {
    const asked: unknown[] = []
    const lines = `${sse([{ response: "Hello " }, { response: "there", usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 } }])}data: [DONE]\n\n`
    const { final } = await heard(model(async (...args) => (asked.push(args), stream(lines))))
    expect(final).toMatchObject({ text: "Hello there", usage: { input: 5, output: 2 }, stopReason: "stop" })
    expect(asked[0]).toMatchObject({ 0: "@cf/meta/llama-3.1-8b-instruct", 1: { stream: true, max_tokens: 1000 } })
  })

  test.each([
    ["a stream without an end", sse([{ response: "Hel" }])],
    ["an empty stream", ""],
  ])("[F33] %s is cut short", async (_, lines) => {
    expect((await heard(model(async () => stream(lines)))).final).toMatchObject({ stopReason: "error", error: { retryable: true } })
  })

  test.each([
    ["3040: Capacity temporarily exceeded", 429, true],
    ["5007: No such model @cf/x", 400, false],
  ])("[F33] the binding's error %s is status %i", async (message, status, retryable) => {
    const { final } = await heard(model(async () => Promise.reject(new Error(message))))
    expect(final.error).toMatchObject({ status, retryable })
  })

  test("[M2] a deployment without the binding gives a final error", () => {
    const made = providerModel({ kind: "workers-ai" }, "@cf/meta/llama-3.1-8b-instruct", { environment: "production" })
    expect(made).toMatchObject({ ok: false, error: { retryable: false, message: expect.stringContaining("binding") } })
  })
})
