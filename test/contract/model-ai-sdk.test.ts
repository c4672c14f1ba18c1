// The adapter alone: any provider stream gives one final message and no throw [M1].

import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider"
import fc from "fast-check"
import { expect, test } from "vitest"
import { MAX_KEPT_CALLS } from "../../src/core/run/session/calls.ts"
import { fromLanguageModel } from "../../src/models/ai-sdk.ts"
import type { Wire } from "../../src/models/wire.ts"
import { failureOf } from "../../src/models/reply/failure.ts"
import type { Model } from "../../src/ports/model.ts"
import { heard, request } from "./model.ts"
import { cpuClock } from "../support/cpu-clock.ts"

const KEY = "very/secret key"
const wire: Wire = { origin: "test", secrets: [KEY], takes: () => true, filesInResults: true, effort: () => undefined }

const usage = { inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 2, text: 2, reasoning: 0 } }
const finish = (
  unified: "stop" | "other" | "interrupted" | "length" | "error" | "content-filter",
  raw?: string,
): LanguageModelV4StreamPart => ({
  type: "finish",
  finishReason: { unified, raw },
  usage,
})

function speaking(doStream: LanguageModelV4["doStream"]): LanguageModelV4 {
  const never = (): never => {
    throw new Error("only doStream is called [M4]")
  }
  return { specificationVersion: "v4", provider: "test", modelId: "m", supportedUrls: {}, doGenerate: never, doStream }
}

const streaming = (parts: readonly LanguageModelV4StreamPart[], broken?: unknown): LanguageModelV4 =>
  speaking(async () => ({
    stream: new ReadableStream({
      start(controller) {
        for (const part of parts) controller.enqueue(part)
        if (broken === undefined) controller.close()
        else controller.error(broken)
      },
    }),
  }))

const part = fc.oneof(
  fc.string().map((delta): LanguageModelV4StreamPart => ({ type: "text-delta", id: "t", delta })),
  fc.constant<LanguageModelV4StreamPart>({ type: "reasoning-start", id: "r" }),
  fc
    .record({ toolCallId: fc.constantFrom("", "a", "b"), input: fc.string() })
    .map((call): LanguageModelV4StreamPart => ({ type: "tool-call", toolName: "read", ...call })),
  fc.anything().map((error): LanguageModelV4StreamPart => ({ type: "error", error })),
  fc.constantFrom(
    finish("stop", "stop"),
    finish("other"),
    finish("other", "eos"),
    finish("interrupted"),
    finish("length"),
    finish("error"),
    finish("content-filter"),
  ),
)

test("[M1] any stream ends in one final message; only a finished stream is a reply", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 8 }), fc.option(fc.anything(), { nil: undefined }), async (parts, broken) => {
      const { final, texts } = await heard(fromLanguageModel(streaming(parts, broken), wire))
      expect(final.text).toBe(texts.join(""))
      expect(new Set(final.toolCalls.map((call) => call.id)).size).toBe(final.toolCalls.length)
      // Nothing after the finish can change the reply.
      const end = parts.find((p) => p.type === "error" || p.type === "finish")
      const bad = end?.type !== "finish"
      if (bad) expect(final).toMatchObject({ stopReason: "error", toolCalls: [] })
    }),
    { numRuns: 300 },
  )
})

test("[G6] a stream of endless tool calls is left after those that are kept", async () => {
  const calls = Array.from({ length: 100_000 }, (_, n): LanguageModelV4StreamPart => ({
    type: "tool-call",
    toolCallId: `c${n}`,
    toolName: "read",
    input: "{}",
  }))
  const spent = cpuClock()
  const { final } = await heard(fromLanguageModel(streaming([...calls, finish("stop")]), wire))
  expect(final).toMatchObject({ stopReason: "toolUse" })
  expect(final.error).toBeUndefined()
  expect(final.toolCalls.map((call) => call.id)).toEqual(Array.from({ length: MAX_KEPT_CALLS }, (_, n) => `c${n}`))
  // The rest of the stream holds the report of usage.
  expect(final.usage).toBeUndefined()
  expect(spent()).toBeLessThan(8_000)
})

test("[M1] any error of doStream becomes an error message", async () => {
  await fc.assert(
    fc.asyncProperty(fc.anything(), async (thrown) => {
      const { final } = await heard(
        fromLanguageModel(
          speaking(async () => Promise.reject(thrown)),
          wire,
        ),
      )
      expect(final.stopReason).toBe("error")
      expect(typeof final.error?.message).toBe("string")
    }),
    { numRuns: 200 },
  )
})

test("[M1] an abort ends the call even if the provider never answers, and a stream that opens too late is canceled", async () => {
  const stop = new AbortController()
  let cancelled = (): void => undefined
  const letGo = new Promise<void>((resolve) => (cancelled = resolve))
  let open: (result: { stream: ReadableStream<LanguageModelV4StreamPart> }) => void = () => undefined
  const model = fromLanguageModel(
    speaking(() => new Promise((resolve) => (open = resolve))),
    wire,
  )
  const reply = heard(model, undefined, stop.signal)
  stop.abort()
  expect((await reply).final.stopReason).toBe("aborted")
  open({ stream: new ReadableStream({ cancel: () => cancelled() }) })
  await letGo
})

test.each([
  ["a finish without a reason", [finish("other")]],
  ["a finish that says interrupted", [finish("interrupted")]],
  ["a finish that says error", [finish("error", "stream-truncated")]],
  ["no finish", []],
] as const)("[F33] text and then %s is a stream cut short, to be tried again", async (_, end) => {
  const { final } = await heard(fromLanguageModel(streaming([{ type: "text-delta", id: "t", delta: "half" }, ...end]), wire))
  expect(final).toMatchObject({ text: "half", stopReason: "error", error: { retryable: true } })
})

/** A provider that sends one word, then nothing, and ignores the signal. */
function deaf() {
  let cancelled = (): void => undefined
  const letGo = new Promise<void>((resolve) => (cancelled = resolve))
  const stream = new ReadableStream<LanguageModelV4StreamPart>({
    start: (controller) => controller.enqueue({ type: "text-delta", id: "t", delta: "one" }),
    cancel: () => cancelled(),
  })
  return {
    model: fromLanguageModel(
      speaking(async () => ({ stream })),
      wire,
    ),
    letGo,
  }
}

test("[M1] a stream that ignores the abort is abandoned and canceled", async () => {
  const { model, letGo } = deaf()
  const stop = new AbortController()
  const reply: Model["reply"] = async function* (asked, signal) {
    for await (const chunk of model.reply(asked, signal)) {
      yield chunk
      if (chunk.type === "text") stop.abort()
    }
  }
  expect((await heard({ reply }, undefined, stop.signal)).final).toMatchObject({ text: "one", stopReason: "aborted" })
  await letGo
})

test.each(["text-delta", "reasoning-delta", "tool-input-delta"] as const)("[M1] an endless stream of %s is canceled", async (type) => {
  let pieces = 0
  let left = false
  const endless = new ReadableStream<LanguageModelV4StreamPart>({
    pull(controller) {
      pieces += 1
      controller.enqueue({ type, id: "t", delta: "and so on ".repeat(1_000) })
    },
    cancel: () => void (left = true),
  })
  const model = fromLanguageModel(
    speaking(async () => ({ stream: endless })),
    wire,
  )
  const { final } = await heard(model)
  expect(final).toMatchObject({ stopReason: "error", error: { retryable: false, message: expect.stringContaining("2000000 characters") } })
  expect(left).toBe(true)
  expect(pieces).toBeLessThan(250)
})

test("[M1] a reader that leaves early cancels the provider's stream", async () => {
  const { model, letGo } = deaf()
  for await (const chunk of model.reply(request(), new AbortController().signal)) if (chunk.type === "text") break
  await expect(letGo).resolves.toBeUndefined()
})

test.each([
  ["raw", `bad key ${KEY}!`],
  ["percent-encoded", `bad key ${encodeURIComponent(KEY)}!`],
  ["in JSON", JSON.stringify({ error: { message: `bad key ${KEY}!` } })],
  ["in JSON in JSON", JSON.stringify({ error: { message: JSON.stringify({ error: `bad key ${KEY}!` }) } })],
])("[M1] a key that comes back %s is removed", (_, responseBody) => {
  expect(failureOf({ statusCode: 401, responseBody, message: "" }, [KEY])).toEqual({
    status: 401,
    message: "the provider answered 401: bad key [key]!",
    retryable: false,
  })
})

test.each([
  ['{"error":{"message":"too long","type":"x"}}', "too long"],
  ['{"error":"not here"}', "not here"],
  ['{"message":"no such model"}', "no such model"],
  ['{"detail":[{"loc":["body"],"msg":"field required"}]}', "field required"],
  ['[{"error":{"code":404,"message":"no such model"}}]', "no such model"],
  ['{"success":false,"errors":[{"code":7000,"message":"no route"}]}', "no route"],
  ['{"error":{"message":"{\\"error\\":{\\"message\\":\\"deep\\"}}"}}', "deep"],
  ["<html><head><title>502 Bad Gateway</title></head><body><h1>x</h1></body></html>", "502 Bad Gateway"],
  ["plain   words\n\nof a proxy", "plain words of a proxy"],
])("[M1] the body %s is reported as %s", (responseBody, sentence) => {
  expect(failureOf({ statusCode: 500, responseBody, message: "" }, []).message).toBe(`the provider answered 500: ${sentence}`)
})

test("[S11] wherever a provider's message is cut, it shows no half of a key", () => {
  const key = "sk-4f9a0c77b1c0ffee4f9a0c77b1c0ffee"
  for (let before = 540; before < 640; before++) {
    const message = `${"word ".repeat(before).slice(0, before)} ${key} is not a key`
    const { message: shown } = failureOf({ statusCode: 401, responseBody: JSON.stringify({ error: { message } }), message: "" }, [key])
    expect(shown).not.toContain(key.slice(0, 4))
  }
})

test("[S17] an endless page costs no more than its start", () => {
  const spent = cpuClock()
  for (const part of ["<title", "<title>", "<"])
    expect(failureOf({ statusCode: 500, responseBody: part.repeat(100_000), message: "" }, []).message.length).toBeLessThan(1_000)
  expect(spent()).toBeLessThan(8_000)
})

test.each([
  [{ "retry-after": "2" }, 2000],
  [{ "retry-after": "0.5" }, 500],
  [{ "retry-after-ms": "1250", "retry-after": "2" }, 1250],
  [{ "retry-after": "Sat, 21 Nov 2026 10:00:10 GMT" }, 10_000],
  [{ "retry-after": "Sat, 21 Nov 2026 09:00:00 GMT" }, 0],
  [{ "retry-after": "soon" }, undefined],
  [{}, undefined],
])("[F33] Retry-After %j is %s ms", (responseHeaders, ms) => {
  const now = (): number => Date.parse("2026-11-21T10:00:00Z")
  expect(failureOf({ statusCode: 429, responseHeaders, message: "" }, [], { now }).retryAfter).toBe(ms)
})

test("[M1] the model that answered is named as the provider names it, without secrets, 200 characters at most", async () => {
  for (const [modelId, want] of [
    ["gpt-9-2026-11-20", "gpt-9-2026-11-20"],
    ["m", undefined],
    ["", undefined],
    [undefined, undefined],
    ["m".repeat(300), "m".repeat(200)],
    [`a ${KEY}`, expect.not.stringContaining(KEY)],
  ] as const) {
    const parts: LanguageModelV4StreamPart[] = [
      { type: "response-metadata", ...(modelId === undefined ? {} : { modelId }) },
      { type: "text-delta", id: "t", delta: "hi" },
      finish("stop", "stop"),
    ]
    const { final } = await heard(fromLanguageModel(streaming(parts), wire), request())
    expect(final.model).toEqual(want)
  }
})
