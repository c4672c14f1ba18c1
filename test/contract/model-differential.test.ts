// Chat Completions, read by us and by the provider's library: the same reply, whatever the server sends, in any pieces [M1].

import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fromLanguageModel } from "../../src/models/ai-sdk.ts"
import type { Wire } from "../../src/models/wire.ts"
import { gathered } from "../../src/models/reply/gathered-deltas.ts"
import { providerModel } from "../../src/models/providers.ts"
import type { Model } from "../../src/ports/model.ts"
import { heard } from "./model.ts"
import { anyCharacter } from "../support/any-character.ts"
import { amount } from "../support/amount.ts"

const WIRE: Wire = {
  origin: "any",
  keeps: "chunks",
  ownCallsOnly: true,
  secrets: [],
  takes: () => true,
  filesInResults: false,
  effort: () => undefined,
}

/** The server answers with these pieces. */
const answering =
  (pieces: readonly string[]): typeof fetch =>
  () => {
    const encoder = new TextEncoder()
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(encoder.encode(piece))
        controller.close()
      },
    })
    return Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }))
  }

const KEY = "test-key-0123456789"
const baseUrl = "http://127.0.0.1:9/v1"

function ours(kind: "openai" | "openai-compatible", pieces: readonly string[]): Model {
  const made = providerModel({ kind, baseUrl, apiKey: KEY }, "deepseek", { environment: "local", fetch: answering(pieces) })
  if (!made.ok) throw new Error(made.error.message)
  return made.value
}

function theirs(kind: "openai" | "openai-compatible", pieces: readonly string[]): Model {
  const settings = { apiKey: KEY, baseURL: baseUrl, fetch: gathered(answering(pieces)) }
  const model =
    kind === "openai"
      ? createOpenAI(settings).chat("deepseek")
      : createOpenAICompatible({ ...settings, name: "openaiCompatible", includeUsage: true }).chatModel("deepseek")
  return fromLanguageModel(model, WIRE)
}

/** The reply, without what each reader makes up: ids of calls that have none, and the origin of a state. */
async function said(model: Model) {
  const { texts, final } = await heard(model)
  const { error, state, toolCalls, ...rest } = final
  const kept: unknown = state === undefined ? undefined : JSON.parse(state)
  const calls = toolCalls.map((call) => ({ ...call, id: KNOWN.has(call.id) ? call.id : "made up" }))
  const extras = typeof kept === "object" && kept !== null && "extras" in kept ? kept.extras : undefined
  return { error, reply: { texts: texts.join(""), ...rest, calls, extras } }
}

const KNOWN: ReadonlySet<string> = new Set(["c1", "c2", "c3", "call_0"])

const text = fc.oneof(
  fc.constantFrom("", "a", "{", '{"a":1}', '"x"', "}", " ", "ä€😀", "data: x", "\n\n", "\\n"),
  fc.string({ unit: anyCharacter, maxLength: 8 }),
)
const optional = (arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => fc.option(arbitrary, { nil: undefined, freq: 2 })
const id = fc.constantFrom("c1", "c2", "c3", "call_0", "")
const index = fc.constantFrom(0, 0, 1, 2)
const call = (indices: fc.Arbitrary<unknown>): fc.Arbitrary<object> =>
  fc.record({
    index: indices,
    id: optional(fc.oneof(id, fc.constant(null))),
    function: fc.record({
      name: optional(fc.oneof(fc.constantFrom("read", "finish", "read", ""), fc.constant(null))),
      arguments: optional(text),
    }),
  })
const usage = fc.constantFrom(
  { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
  {
    prompt_tokens: 12,
    completion_tokens: 3,
    prompt_tokens_details: { cached_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 2 },
  },
  { prompt_tokens: "12", completion_tokens: null },
  { completion_tokens: 3 },
  null,
)
const finishes = fc.constantFrom("stop", "length", "tool_calls", "content_filter", "function_call", "eos", null)

const chunk = (delta: fc.Arbitrary<unknown>): fc.Arbitrary<object> =>
  fc.record({
    id: fc.constantFrom("x", null),
    model: fc.constant("deepseek-2"),
    choices: fc.oneof(
      {
        weight: 8,
        arbitrary: fc.record({ index: fc.constant(0), delta: optional(delta), finish_reason: optional(finishes) }).map((c) => [c]),
      },
      { weight: 1, arbitrary: fc.constant([]) },
    ),
    usage: optional(usage),
  })

const strictDelta = fc.oneof(
  fc.record({ content: optional(fc.oneof(text, fc.constant(null))), refusal: fc.option(text, { nil: undefined, freq: 12 }) }),
  fc.record({ tool_calls: fc.array(call(index), { maxLength: 3 }) }),
)
const anyDelta = fc.oneof(
  strictDelta,
  fc.record({ tool_calls: fc.array(call(optional(index)), { maxLength: 3 }) }),
  fc.record({ reasoning_content: optional(text), reasoning: optional(text), content: optional(text) }),
  fc.record({
    content: fc.array(
      fc.oneof(
        fc.record({ type: fc.constant("text"), text }),
        fc.record({ type: fc.constant("thinking"), thinking: fc.array(fc.record({ type: fc.constant("text"), text }), { maxLength: 2 }) }),
        fc.constant({ type: "other" }),
      ),
      { maxLength: 3 },
    ),
  }),
)
const fault = fc.constantFrom<unknown>(
  { error: { message: "too many of you", type: "overloaded_error" } },
  { error: { message: "no", code: 429 } },
  { error: { message: "wrong", type: "invalid_request_error" } },
  { choices: "none" },
  { object: "ping" },
)

/** A stream: events, perhaps with an end, as bytes in pieces. */
const streams = (delta: fc.Arbitrary<unknown>, faults: boolean): fc.Arbitrary<readonly string[]> =>
  fc
    .tuple(
      fc.array(fc.oneof({ weight: 14, arbitrary: chunk(delta) }, { weight: faults ? 1 : 0, arbitrary: fault }), { maxLength: 10 }),
      fc.boolean(),
      fc.constantFrom("\n", "\n", "\r\n"),
      fc.constantFrom("", ": ping\n\n", "event: message\n"),
      fc.array(fc.nat(), { maxLength: 5 }),
    )
    .map(([events, isWhole, br, head, places]) => {
      const lines = events.map((event) => `data: ${JSON.stringify(event)}${br}${br}`)
      const whole =
        head +
        lines.join("") +
        (isWhole ? `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}${br}${br}data: [DONE]${br}${br}` : "")
      const borders = [...new Set(places.map((p) => p % (whole.length + 1)))].toSorted((a, b) => a - b)
      return [...borders, whole.length]
        .map((to, i) => whole.slice(borders[i - 1] ?? 0, to))
        .filter((piece) => piece !== "" && piece.isWellFormed())
    })

describe("a Chat Completions stream", () => {
  test.each([
    ["openai-compatible", streams(anyDelta, true)],
    ["openai", streams(strictDelta, false)],
  ] as const)("[M1] of kind %s is read as the library reads it", async (kind, all) => {
    await fc.assert(
      fc.asyncProperty(all, async (pieces) => {
        const [own, library] = [await said(ours(kind, pieces)), await said(theirs(kind, pieces))]
        // The library gives up a call without a number whose name comes later; that is read here.
        if (/function\.name/.test(library.error?.message ?? "")) return
        expect(own.error?.retryable).toBe(library.error?.retryable)
        if (!library.error) expect(own.reply).toEqual(library.reply)
        // A stream that breaks loses what the library has read and not yet passed on.
        else expect(own.reply.texts.startsWith(library.reply.texts)).toBe(true)
      }),
      { numRuns: amount(1_000, 300) },
    )
  })
})
