// What a provider's refusal means and says [M1, J23, F33]: by the codes and words of many servers.

import { describe, expect, test } from "vitest"
import { failureOf } from "../../src/models/reply/failure.ts"
import { providerModel } from "../../src/models/providers.ts"
import type { ModelRequest } from "../../src/ports/model.ts"
import type { ProviderSettings } from "../../src/ports/tenant/providers.ts"
import { heard, request } from "./model.ts"

const refusedWith = (body: unknown, statusCode = 400) => failureOf({ statusCode, responseBody: JSON.stringify(body), message: "" }, [])
const saying = (message: string) => refusedWith({ error: { message, type: "invalid_request_error" } })

describe("[H3] a dump of checks is told as a sentence with the place", () => {
  const dump = JSON.stringify([
    { code: "invalid_type", expected: "string", path: ["tools", 3, "name"], message: "Invalid input: expected string, received null" },
  ])
  const told = "/tools/3/name must be a string, and is null"

  test("of the library that reads a reply", () => {
    const message = `Type validation failed: Value: ${JSON.stringify("x".repeat(50))}.\nError message: ${dump}`
    expect(failureOf(new Error(message), [])).toMatchObject({
      message: expect.stringMatching(new RegExp(`: Type validation failed: ${told}$`)),
    })
  })

  test("of the server that refuses a request, in either language", () => {
    expect(saying(dump).message).toBe(`the provider answered 400: ${told}`)
    expect(refusedWith({ detail: [{ type: "missing", loc: ["body", "model"], msg: "Field required", input: {} }] }, 422).message).toBe(
      "the provider answered 422: /model: Field required",
    )
  })

  test("[T32] without a key that stands in it, also where a long place is cut", () => {
    const key = `sekrit-${"k".repeat(120)}`
    const body = dump.replace("name", `name ${"x".repeat(60)} ${key}`)
    expect(failureOf({ statusCode: 400, responseBody: body, message: "" }, [key]).message).not.toMatch(/sekrit|kkk/)
  })
})

describe("a request that is too long", () => {
  test.each([
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. Please reduce the length of the messages.",
    "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the messages, 1000 in the completion).",
    "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length is 16384 tokens and your request has 14000 input tokens (4096 > 16384 - 14000).",
    "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
    "Input length (5000) exceeds model's maximum context length (4096).",
    "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
    "the request exceeds the available context size. try increasing the context size or enable context shift",
    "litellm.ContextWindowExceededError: litellm.BadRequestError: OpenAIException - too much",
    "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    "Please reduce the length of the messages or completion.",
    "Please reduce the length of the messages or completion. Current length is 10000 while limit is 8192",
    "prompt is too long: 300000 tokens > 200000 maximum",
    "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "Input is too long for requested model.",
    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens and 100 `max_new_tokens`",
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    "prompt token count of 128001 exceeds the limit of 128000",
    "invalid params, context window exceeds limit",
    "Range of input length should be [1, 30720]",
    "the input length exceeds the context length",
    "The estimated number of input and maximum output tokens (10000) exceeded this model context window limit (8000).",
  ])("[J23] is known by: %s", (message) => {
    expect(saying(message)).toMatchObject({ overflow: true, retryable: false })
  })

  test.each([
    [{ error: { message: "no", code: "context_length_exceeded" } }, 400],
    [{ error: { message: "no", type: "exceed_context_size_error", code: 400 } }, 400],
    [{ type: "error", error: { type: "request_too_large", message: "no" } }, 413],
    [{ code: "model_max_prompt_tokens_exceeded", message: "no" }, 400],
    [[{ error: { code: "tokens_limit_reached", message: "no" } }], 413],
    [{ error: { message: "the request exceeds the available context size" } }, 500],
  ])("[J23] is known by the code of %j", (body, status) => {
    expect(refusedWith(body, status)).toMatchObject({ overflow: true })
  })

  test.each([
    "max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.",
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    "max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-sonnet",
    "`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model",
    "'max_tokens' or 'max_completion_tokens' is too large: 40960. This model's maximum context length is 16384 tokens and your request has 100 input tokens (40960 > 16384 - 100).",
    "Unknown parameter: 'context_window'.",
    "Range of max_tokens should be [1, 8192]",
    "Unable to submit request because it has a maxOutputTokens value of 70000 but the supported range is from 1 (inclusive) to 65537 (exclusive).",
    "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 200 instead.",
    "Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024, but got 1100.",
  ])("[J23] is not a setting that the model refuses: %s", (message) => {
    expect(saying(message)).not.toHaveProperty("overflow")
  })
})

describe("a gateway's refusal", () => {
  const raw = JSON.stringify({
    type: "error",
    error: { type: "invalid_request_error", message: "prompt is too long: 9 tokens > 8 maximum" },
  })
  const error = { message: "Provider returned error", code: 400, metadata: { raw, provider_name: "Anthropic" } }

  test("[M1] is told with the words of the provider behind it, as a status and inside a stream", () => {
    const words = "the provider answered 400: Anthropic: prompt is too long: 9 tokens > 8 maximum"
    expect(refusedWith({ error })).toMatchObject({ message: words, overflow: true })
    expect(failureOf(error, [])).toMatchObject({ message: words, overflow: true })
    expect(refusedWith({ error: { ...error, metadata: { raw: "no room", provider_name: 7 } } }).message).toBe(
      "the provider answered 400: no room",
    )
    const named = refusedWith({ error: { ...error, metadata: { raw: "no room", provider_name: "P".repeat(500) } } }).message
    expect([named.length < 200, named.endsWith(": no room")]).toEqual([true, true])
    expect(refusedWith({ error: { ...error, metadata: { reasons: [] } } }).message).toBe(
      "the provider answered 400: Provider returned error",
    )
  })
})

const event = (data: unknown): string => `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`
const chunk = (delta: object, finish: string | null = null): string => event({ choices: [{ index: 0, delta, finish_reason: finish }] })

async function said(
  settings: Partial<ProviderSettings> & Pick<ProviderSettings, "kind">,
  stream: string,
  more: Partial<ModelRequest> = {},
  id = "m",
) {
  const asked: Record<string, unknown>[] = []
  const made = providerModel({ baseUrl: "http://127.0.0.1:9/v1", apiKey: "test-key-0123456789", ...settings }, id, {
    environment: "local",
    fetch: (_, init) => {
      asked.push(JSON.parse(String(init?.body)) as Record<string, unknown>)
      return Promise.resolve(new Response(stream, { headers: { "content-type": "text/event-stream" } }))
    },
  })
  if (!made.ok) throw new Error(made.error.message)
  return { final: (await heard(made.value, request(more))).final, asked }
}

describe("an error inside a stream", () => {
  test.each([
    [{ message: "the worker died", code: 500 }, "the worker died"],
    [{ object: "error", message: "no such adapter", type: "NotFoundError" }, "no such adapter"],
    [{ detail: "out of memory" }, "out of memory"],
    [{ detail: [{ msg: "field required" }] }, "field required"],
  ])("[M1] %j without an `error` is told in its words", async (data, words) => {
    const { final } = await said({ kind: "openai-compatible" }, chunk({ content: "a" }) + event(data))
    expect(final.error?.message).toMatch(new RegExp(`: ${words}$`))
  })

  const response = { id: "r", object: "response", created_at: 1, model: "m", output: [] }
  test.each([
    [
      "failed",
      { type: "response.failed", response: { ...response, status: "failed", error: { code: "server_error", message: "it broke" } } },
    ],
    ["bare", { type: "error", code: "server_error", message: "it broke", sequence_number: 3 }],
    ["nested", { type: "error", error: { type: "server_error", message: "it broke" } }],
    ["odd", { type: "response.failed", response: { error: { message: "it broke" } } }],
  ])("[M1] a Responses stream that fails (%s) says the server's sentence", async (_, data) => {
    for (const start of ["", event({ type: "response.created", response })]) {
      const { final } = await said({ kind: "openai", api: "responses" }, start + event(data))
      expect(final.error?.message).toMatch(/: it broke$/)
    }
  })
})

describe("the end of a reply", () => {
  test.each(["error", "insufficient_system_resource", "abort", "network_error", "ABORT"])(
    "[F33] %s is a reply that broke off",
    async (reason) => {
      for (const kind of ["openai", "openai-compatible"] as const) {
        const { final } = await said(
          { kind, api: "chat" } as ProviderSettings,
          chunk({ content: "half a" }) + chunk({}, reason) + event("[DONE]"),
        )
        expect(final).toMatchObject({ stopReason: "error", toolCalls: [], error: { retryable: true, begun: true } })
      }
    },
  )

  test.each([
    ["max_tokens", { stopReason: "length" }],
    ["model_length", { stopReason: "length" }],
    ["MAX_TOKENS", { stopReason: "length" }],
    ["sensitive", { error: { retryable: false, message: expect.stringMatching(/content filter/) } }],
    ["safety", { error: { retryable: false } }],
    ["eos", { stopReason: "stop" }],
  ])("[M1] %s has its meaning", async (reason, want) => {
    const { final } = await said({ kind: "openai-compatible" }, chunk({ content: "a" }) + chunk({}, reason) + event("[DONE]"))
    expect(final).toMatchObject(want)
  })
})

const begun = { id: "m", type: "message", role: "assistant", model: "m", content: [], usage: { input_tokens: 3, output_tokens: 1 } }
const open = { id: "r", object: "response", created_at: 1, model: "m", output: [] }
test.each([
  ["openai-compatible", "chat", chunk({ content: "a" }) + chunk({}, "length")],
  ["openai", "chat", chunk({ content: "a" }) + chunk({}, "length")],
  [
    "anthropic",
    "",
    event({ type: "message_start", message: begun }) +
      event({ type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "c", name: "read", input: {} } }) +
      event({ type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"path": "a' } }) +
      event({ type: "message_delta", delta: { stop_reason: "max_tokens" }, usage: { output_tokens: 9 } }) +
      event({ type: "message_stop" }),
  ],
  ["google", "", event({ candidates: [{ content: { role: "model", parts: [{ text: "a" }] }, finishReason: "MAX_TOKENS" }] })],
  [
    "openai",
    "responses",
    event({ type: "response.created", response: open }) +
      event({ type: "response.output_item.added", output_index: 0, item: { type: "message", id: "i" } }) +
      event({ type: "response.output_text.delta", item_id: "i", delta: "a" }) +
      event({
        type: "response.incomplete",
        response: { ...open, incomplete_details: { reason: "max_output_tokens" }, usage: { input_tokens: 3, output_tokens: 2 } },
      }),
  ],
])("[G6] %s %s says that its reply was cut at the limit", async (kind, api, stream) => {
  const { final } = await said({ kind, ...(api === "" || kind !== "openai" ? {} : { api }) } as ProviderSettings, stream)
  expect([final.error, final.stopReason]).toEqual([undefined, "length"])
})

describe("pieces of a call", () => {
  const piece = (call: object): string => chunk({ tool_calls: [call] })
  const [open_, rest] = ['{"path": ', '"a.ts"}']
  test.for<[string, readonly object[], readonly (readonly [string, string])[]]>([
    [
      "a name after its arguments, without a number",
      [{ id: "c", function: { arguments: open_ } }, { function: { arguments: rest } }, { function: { name: "read" } }],
      [["read", open_ + rest]],
    ],
    [
      "in the middle of them",
      [
        { id: "c", function: { arguments: open_ } },
        { id: "c", function: { name: "read", arguments: rest } },
      ],
      [["read", open_ + rest]],
    ],
    [
      "without an id, too",
      [{ function: { arguments: open_ } }, { function: { name: "read" } }, { function: { arguments: rest } }],
      [["read", open_ + rest]],
    ],
    [
      "two calls by their ids",
      [
        { id: "c", function: { arguments: open_ } },
        { id: "d", function: { arguments: open_ } },
        { id: "c", function: { name: "read" } },
        { id: "d", function: { name: "ls", arguments: rest } },
        { id: "c", function: { arguments: rest } },
      ],
      [
        ["read", open_ + rest],
        ["ls", open_ + rest],
      ],
    ],
    [
      "a name first",
      [{ id: "c", function: { name: "read", arguments: open_ } }, { function: { arguments: rest } }],
      [["read", open_ + rest]],
    ],
    [
      "two with a number",
      [
        { index: 0, id: "c", function: { arguments: open_ } },
        { index: 1, id: "d", function: { arguments: open_ + rest } },
        { index: 1, function: { name: "ls" } },
        { index: 0, function: { name: "read", arguments: rest } },
      ],
      [
        ["read", open_ + rest],
        ["ls", open_ + rest],
      ],
    ],
  ])("[M1] are put together: %s", async ([, pieces, calls]) => {
    const { final } = await said({ kind: "openai-compatible" }, pieces.map(piece).join("") + chunk({}, "tool_calls") + event("[DONE]"))
    expect(final.error).toBeUndefined()
    const byName = (a: readonly unknown[], b: readonly unknown[]): number => String(a[0]).localeCompare(String(b[0]))
    expect(final.toolCalls.map(({ name, args }) => [name, args]).sort(byName)).toEqual([...calls].sort(byName))
  })

  test("[M1] a call that never gets a name is an error of the reply", async () => {
    const { final } = await said(
      { kind: "openai-compatible" },
      piece({ id: "c", function: { arguments: open_ } }) + chunk({}, "tool_calls") + event("[DONE]"),
    )
    expect(final.error).toMatchObject({ retryable: true })
  })
})

test("[M1] Messages: text that comes with the beginning of a block is kept", async () => {
  const message = { id: "m", type: "message", role: "assistant", model: "m", content: [], usage: { input_tokens: 3, output_tokens: 1 } }
  const stream =
    event({ type: "message_start", message }) +
    event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "Once " } }) +
    event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "upon" } }) +
    event({ type: "content_block_stop", index: 0 }) +
    event({ type: "content_block_start", index: 1, content_block: { type: "text", text: " a time" } }) +
    event({ type: "content_block_stop", index: 1 }) +
    event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } }) +
    event({ type: "message_stop" })
  for (const text of [stream, stream.replaceAll("\n", "\r\n")])
    expect((await said({ kind: "anthropic" }, text)).final).toMatchObject({ text: "Once upon a time", stopReason: "stop" })
})

test.each([
  ["high", 4_096, 2_048],
  ["xhigh", 1_000, 500],
  ["low", 65_536, undefined],
] as const)(
  "[B1] Gemini thinking %s within %i tokens of output leaves half of them for the reply",
  async (thinking, maxOutputTokens, want) => {
    const stream = event({ candidates: [{ content: { role: "model", parts: [{ text: "a" }] }, finishReason: "STOP" }] })
    const { asked } = await said({ kind: "google" }, stream, { thinking, maxOutputTokens }, "gemini-2.5-pro")
    const config = asked[0]?.["generationConfig"] as { maxOutputTokens: number; thinkingConfig: { thinkingBudget: number } }
    expect(config.maxOutputTokens).toBe(maxOutputTokens)
    if (want === undefined) expect(config.thinkingConfig.thinkingBudget).toBeLessThanOrEqual(maxOutputTokens / 2)
    else expect(config.thinkingConfig.thinkingBudget).toBe(want)
  },
)
