// A reply of very many calls, on each provider API [G6]: reading stops when more calls have begun than are kept. The tests count what was
// read from the provider, not time.

import { describe, expect, test } from "vitest"
import { MAX_KEPT_CALLS } from "../../src/core/run/session/calls.ts"
import { providerModel } from "../../src/models/providers.ts"
import type { FinalMessage } from "../../src/ports/model.ts"
import type { ProviderSettings } from "../../src/ports/tenant/providers.ts"
import { heard } from "./model.ts"

const COUNT = 100_000
const event = (body: object): string => `data: ${JSON.stringify(body)}\n\n`
const chunk = (delta: object, more: object = {}): string =>
  event({ id: "c", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: null, ...more }] })

interface Wire {
  readonly settings: Pick<ProviderSettings, "kind" | "baseUrl">
  readonly opening?: string
  call(i: number, id?: string): string
  readonly ending: string
}

const baseUrl = "http://127.0.0.1:9/v1"
const args = (i: number): string => JSON.stringify({ path: `${i}.md` })
const chatCall = (i: number, id = `c${i}`, index = i) => ({ index, id, type: "function", function: { name: "read", arguments: args(i) } })
const chatEnd = chunk({}, { finish_reason: "tool_calls" }) + event({ choices: [], usage: { prompt_tokens: 11, completion_tokens: 7 } })

const WIRES: Record<string, Wire> = {
  "openai-compatible": {
    settings: { kind: "openai-compatible", baseUrl },
    call: (i, id) => chunk({ tool_calls: [chatCall(i, id)] }),
    ending: `${chatEnd}data: [DONE]\n\n`,
  },
  "openai chat": {
    settings: { kind: "openai", baseUrl },
    call: (i, id) => chunk({ tool_calls: [chatCall(i, id)] }),
    ending: `${chatEnd}data: [DONE]\n\n`,
  },
  anthropic: {
    settings: { kind: "anthropic", baseUrl },
    opening: event({
      type: "message_start",
      message: { id: "m", type: "message", role: "assistant", content: [], usage: { input_tokens: 11, output_tokens: 1 } },
    }),
    call: (index, id = `c${index}`) =>
      event({ type: "content_block_start", index, content_block: { type: "tool_use", id, name: "read", input: {} } }) +
      event({ type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: args(index) } }) +
      event({ type: "content_block_stop", index }),
    ending:
      event({ type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 7 } }) + event({ type: "message_stop" }),
  },
  "openai responses": {
    settings: { kind: "openai" },
    opening: event({ type: "response.created", response: { id: "r1", created_at: 1, model: "m" } }),
    call: (i, id = `c${i}`) => {
      const item = { type: "function_call", id: `fc_${i}`, call_id: id, name: "read", status: "completed" }
      return (
        event({ type: "response.output_item.added", output_index: i, item: { ...item, arguments: "" } }) +
        event({ type: "response.output_item.done", output_index: i, item: { ...item, arguments: args(i) } })
      )
    },
    ending: event({ type: "response.completed", response: { usage: { input_tokens: 11, output_tokens: 7 } } }),
  },
}

/** The reply to a stream of these pieces, and how many of them were read. */
async function read(
  settings: Wire["settings"],
  piece: (i: number) => string | undefined,
): Promise<{ final: FinalMessage; pulled: number; left: boolean }> {
  let pulled = 0
  let left = false
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const text = piece(pulled++)
        if (text === undefined) controller.close()
        else controller.enqueue(encoder.encode(text))
      },
      cancel: () => void (left = true),
    },
    { highWaterMark: 0 },
  )
  const fetch = async (): Promise<Response> => new Response(body, { headers: { "content-type": "text/event-stream" } })
  const made = providerModel({ apiKey: "k", ...settings }, "m", { environment: "local", fetch })
  if (!made.ok) throw new Error(made.error.message)
  const { final } = await heard(made.value)
  await new Promise((resolve) => setTimeout(resolve, 0))
  return { final, pulled, left }
}

/** Pieces of one hundred calls each. */
const stream =
  ({ opening = "", call, ending }: Wire, count: number, id?: (i: number) => string) =>
  (n: number): string | undefined => {
    if (n === 0) return opening === "" ? ": hello\n\n" : opening
    const first = (n - 1) * 100
    if (first >= count) return first < count + 100 ? ending : undefined
    return Array.from({ length: Math.min(100, count - first) }, (_, i) => call(first + i, id?.(first + i))).join("")
  }

describe.each(Object.entries(WIRES))("%s", (_, wire) => {
  test(`[G6] of ${COUNT} calls the first ${MAX_KEPT_CALLS} arrive, and the stream is left soon after them`, async () => {
    const { final, pulled, left } = await read(wire.settings, stream(wire, COUNT))
    expect(final).toMatchObject({ stopReason: "toolUse" })
    expect(final.error).toBeUndefined()
    expect(final.toolCalls).toHaveLength(MAX_KEPT_CALLS)
    expect(final.toolCalls.at(-1)).toMatchObject({ id: `c${MAX_KEPT_CALLS - 1}`, name: "read", args: args(MAX_KEPT_CALLS - 1) })
    // The report of usage comes at the end of a stream.
    expect(final.usage).toBeUndefined()
    expect(left).toBe(true)
    expect(pulled).toBeLessThan(100)
  })

  test("[G6] 3,000 calls all arrive, with usage", async () => {
    const { final } = await read(wire.settings, stream(wire, 3000))
    expect(final.toolCalls.map((c) => c.id)).toEqual(Array.from({ length: 3000 }, (_, i) => `c${i}`))
    expect(final.usage).toEqual({ input: 11, output: 7 })
  })

  test("[M1] 3,000 calls with one id all arrive, each with its own", async () => {
    const { final } = await read(
      wire.settings,
      stream(wire, 3000, () => "same"),
    )
    expect(final.toolCalls).toHaveLength(3000)
    expect(new Set(final.toolCalls.map((c) => c.id)).size).toBe(3000)
    expect(final.toolCalls.map((c) => c.args)).toEqual(Array.from({ length: 3000 }, (_, i) => args(i)))
  })
})

describe("Chat Completions", () => {
  test("[G6] one event with 40,000 calls", async () => {
    const tool_calls = Array.from({ length: 40_000 }, (_, i) => chatCall(i))
    const pieces = [chunk({ tool_calls }), chatEnd]
    const { final } = await read({ kind: "openai-compatible", baseUrl }, (i) => pieces[i])
    expect(final.toolCalls).toHaveLength(MAX_KEPT_CALLS)
    expect(final.error).toBeUndefined()
  })

  test("[G6] calls that all have the same index", async () => {
    const { final } = await read({ kind: "openai-compatible", baseUrl }, (n) =>
      n > 60
        ? undefined
        : Array.from({ length: 100 }, (_, i) => chunk({ tool_calls: [chatCall(n * 100 + i, `c${n * 100 + i}`, 0)] })).join(""),
    )
    expect(final.error).toBeUndefined()
    expect(final.toolCalls).toHaveLength(MAX_KEPT_CALLS)
  })

  test("[M5] an event that does not end is a failed reply", async () => {
    const piece = "x".repeat(100_000)
    const { final, pulled } = await read({ kind: "openai-compatible", baseUrl }, (n) =>
      n === 0 ? "data: {" : n < 1000 ? piece : undefined,
    )
    expect(final.error).toMatchObject({ retryable: true })
    expect(pulled).toBeLessThan(60)
  })
})
