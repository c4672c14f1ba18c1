// A model's call has an end of its own [M1]: silence, the longest call, the bytes of a stream; and a whole reply ends at its API's end mark,
// also when the server leaves the connection open. Time is turned by hand.

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { providerModel } from "../../src/models/providers.ts"
import { MAX_STREAM_BYTES } from "../../src/models/reply/stream-bytes.ts"
import type { FinalMessage } from "../../src/ports/model.ts"
import type { ProviderSettings } from "../../src/ports/tenant/providers.ts"
import { heard } from "./model.ts"

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }))
afterEach(() => void vi.useRealTimers())

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const event = (data: unknown): string => `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`

/** A server that the test plays: it says what it is told, and knows when the client has left. */
class Line {
  left = false
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  readonly body = new ReadableStream<Uint8Array>({
    start: (controller) => void (this.#controller = controller),
    cancel: () => void (this.left = true),
  })

  say(text: string): void {
    this.#controller?.enqueue(bytes(text))
  }

  end(): void {
    this.#controller?.close()
  }
}

interface Wire {
  readonly name: string
  readonly settings: Partial<ProviderSettings> & Pick<ProviderSettings, "kind">
  /** Its first words, and an empty piece. */
  readonly begins: string
  readonly nothing: readonly string[]
  /** The reply without its end mark, and the mark. */
  readonly whole: string
  readonly mark: string
}

const chunk = (delta: object, finish: string | null = null, more: object = {}): object => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
})
const USAGE = { prompt_tokens: 3, completion_tokens: 2 }
const message = { id: "m", type: "message", role: "assistant", model: "m", content: [], usage: { input_tokens: 3, output_tokens: 1 } }
const MESSAGES =
  event({ type: "message_start", message }) +
  event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }) +
  event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "fine" } })
const response = { id: "r", object: "response", created_at: 1, model: "m", output: [] }
const RESPONSES =
  event({ type: "response.created", response }) +
  event({ type: "response.output_item.added", output_index: 0, item: { type: "message", id: "i" } }) +
  event({ type: "response.output_text.delta", item_id: "i", delta: "fine" })

const WIRES: readonly Wire[] = [
  {
    name: "chat",
    settings: { kind: "openai-compatible" },
    begins: event(chunk({ content: "fine" })),
    nothing: [": ping\n\n", event(""), event(chunk({ content: "" })), event(chunk({}))],
    whole: event(chunk({ content: "fine" })) + event(chunk({}, "stop", { usage: USAGE })),
    mark: event("[DONE]"),
  },
  {
    name: "openai chat",
    settings: { kind: "openai", api: "chat" },
    begins: event(chunk({ content: "fine" })),
    nothing: [":\n\n", event(chunk({ content: "" }))],
    whole: event(chunk({ content: "fine" })) + event(chunk({}, "stop", { usage: USAGE })),
    mark: event("[DONE]"),
  },
  {
    name: "messages",
    settings: { kind: "anthropic" },
    begins: MESSAGES,
    nothing: [
      ": hold on\n\n",
      event({ type: "ping" }),
      event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "" } }),
    ],
    whole: MESSAGES + event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } }),
    mark: event({ type: "message_stop" }),
  },
  {
    name: "gemini",
    settings: { kind: "google" },
    begins: event({ candidates: [{ index: 0, content: { role: "model", parts: [{ text: "fine" }] } }] }),
    nothing: [": ping\n\n", event({ candidates: [{ index: 0, content: { role: "model", parts: [{ text: "" }] } }] })],
    whole: event({ candidates: [{ index: 0, content: { role: "model", parts: [{ text: "fine" }] } }] }),
    mark: event({
      candidates: [{ index: 0, content: { role: "model", parts: [] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
    }),
  },
  {
    name: "responses",
    settings: { kind: "openai", api: "responses" },
    begins: RESPONSES,
    nothing: [": ping\n\n", event({ type: "response.in_progress", response })],
    whole: RESPONSES,
    mark: event({ type: "response.completed", response: { ...response, usage: { input_tokens: 3, output_tokens: 2 } } }),
  },
]

/** Begins a call, and returns when the server was asked. `opens`: it answers at all. */
async function called({ settings }: Wire, more: Partial<ProviderSettings> = {}, opens = true) {
  const line = new Line()
  let ask = (): void => {}
  const asked = new Promise<void>((resolve) => (ask = resolve))
  const made = providerModel({ baseUrl: "http://127.0.0.1:9/v1", apiKey: "test-key-0123456789", ...settings, ...more }, "m", {
    environment: "local",
    fetch: (_, init) => {
      ask()
      return opens
        ? Promise.resolve(new Response(line.body, { headers: { "content-type": "text/event-stream" } }))
        : new Promise((_resolve, reject) =>
            init?.signal?.addEventListener("abort", () => {
              line.left = true
              reject(new Error("the client has left"))
            }),
          )
    },
  })
  if (!made.ok) throw new Error(made.error.message)
  let final: FinalMessage | undefined
  const over = heard(made.value).then((all) => (final = all.final))
  await asked
  return {
    line,
    over,
    get final() {
      return final
    },
    /** Turns the time on, as work is done. */
    pass: (ms: number) => vi.advanceTimersByTimeAsync(ms),
  }
}

/** Until the library has been loaded and the request was made. */
async function settled(call: Awaited<ReturnType<typeof called>>, done: () => boolean): Promise<void> {
  await vi.waitFor(async () => {
    await call.pass(100)
    expect(done()).toBe(true)
  }, 5_000)
}

const LOST = { stopReason: "error", error: { retryable: true, message: expect.stringMatching(/said nothing for/) } }

describe.each(WIRES)("[M1] $name", (wire) => {
  test("a server that never answers is given up after ten minutes", async () => {
    const call = await called(wire, {}, false)
    await call.pass(599_000)
    expect(call.final).toBeUndefined()
    await call.pass(2_000)
    expect(await call.over).toMatchObject(LOST)
    expect(call.final?.error).not.toHaveProperty("begun")
    expect(call.line.left).toBe(true)
  })

  test("comments, pings and empty pieces are silence, and what was said before may be billed", async () => {
    const call = await called(wire)
    call.line.say(wire.begins)
    for (let minute = 0; minute < 9; minute++) {
      for (const nothing of wire.nothing) call.line.say(nothing)
      await call.pass(60_000)
    }
    expect(call.final).toBeUndefined()
    // Silence is looked for every quarter of what is allowed.
    await call.pass(211_000)
    expect(await call.over).toMatchObject({ ...LOST, text: "fine", error: { begun: true } })
    await settled(call, () => call.line.left)
  })

  test("whoever goes on saying something is not silent, until the longest call is over", async () => {
    const call = await called(wire, { silenceSeconds: 3_600 })
    call.line.say(wire.begins)
    await call.pass(3_590_000)
    expect(call.final).toBeUndefined()
    await call.pass(11_000)
    expect(await call.over).toMatchObject({ error: { retryable: true, message: expect.stringMatching(/60 minutes/) } })
  })

  test("a setting of the provider shortens the silence", async () => {
    const call = await called(wire, { silenceSeconds: 20 })
    await call.pass(19_000)
    expect(call.final).toBeUndefined()
    await call.pass(2_000)
    expect(await call.over).toMatchObject({ error: { message: expect.stringMatching(/20 seconds/) } })
  })

  test("a reply ends at its end mark, though the server leaves the connection open", async () => {
    const call = await called(wire)
    call.line.say(wire.whole + wire.mark)
    await settled(call, () => call.final !== undefined && call.line.left)
    expect(call.final).toMatchObject({ text: "fine", stopReason: "stop", usage: { input: 3, output: 2 } })
  })

  test("an end mark that comes in pieces, and much later, ends it as well", async () => {
    const call = await called(wire)
    const text = wire.whole + wire.mark
    for (const piece of [text.slice(0, -40), text.slice(-40, -7), text.slice(-7, -2), text.slice(-2)]) {
      await call.pass(500)
      call.line.say(piece)
    }
    await settled(call, () => call.final !== undefined)
    expect(call.final).toMatchObject({ text: "fine", stopReason: "stop" })
  })

  test("a text that looks like an end mark is a text", async () => {
    const call = await called(wire)
    const said = wire.mark.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")
    call.line.say(wire.whole.replaceAll('"fine"', `"${said}"`) + wire.mark)
    await settled(call, () => call.final !== undefined)
    expect(call.final).toMatchObject({ text: wire.mark, stopReason: "stop" })
  })

  test.runIf(wire.name === "chat" || wire.name === "messages")(
    "[M5] a stream of comments has an end in bytes, and is not asked for again",
    async () => {
      vi.useRealTimers()
      const comment = bytes(`: ${"x".repeat(4 * 1024 * 1024 - 100)}\n\n`)
      let sent = 0
      const body = new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            sent += comment.length
            controller.enqueue(comment)
          },
        },
        { highWaterMark: 0 },
      )
      const made = providerModel({ baseUrl: "http://127.0.0.1:9/v1", apiKey: "test-key-0123456789", ...wire.settings }, "m", {
        environment: "local",
        fetch: () => Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } })),
      })
      if (!made.ok) throw new Error(made.error.message)
      const { final } = await heard(made.value)
      expect(final.error).toMatchObject({ retryable: false, message: expect.stringMatching(/longer than \d+ bytes/) })
      expect(sent).toBeLessThan(MAX_STREAM_BYTES + 3 * comment.length)
    },
  )
})

test("[M1] Messages: a reply with its reason and without its last event is whole, when the server ends it and when it does not", async () => {
  const wire = WIRES.find(({ name }) => name === "messages")
  if (!wire) throw new Error("no Messages")
  for (const ends of [true, false]) {
    const call = await called(wire)
    call.line.say(wire.whole)
    if (ends) call.line.end()
    await settled(call, () => call.final !== undefined)
    expect(call.final).toMatchObject({ text: "fine", stopReason: "stop", usage: { input: 3, output: 2 } })
  }
})

test("[M1] Chat Completions: a reply with its finish and without the mark ends soon, and waits for its usage", async () => {
  const [wire] = WIRES
  if (!wire) throw new Error("no Chat Completions")
  const call = await called(wire)
  call.line.say(event(chunk({ content: "fine" }, "stop")))
  await call.pass(1_000)
  call.line.say(event({ choices: [], usage: USAGE }))
  await settled(call, () => call.final !== undefined)
  expect(call.final).toMatchObject({ text: "fine", stopReason: "stop", usage: { input: 3, output: 2 } })
})

test("[M1] Gemini: a version that gives every event a reason is read to its end", async () => {
  const wire = WIRES.find(({ name }) => name === "gemini")
  if (!wire) throw new Error("no Gemini")
  const call = await called(wire)
  for (const text of ["one ", "two ", "three"]) {
    call.line.say(event({ candidates: [{ index: 0, content: { role: "model", parts: [{ text }] }, finishReason: "STOP" }] }))
    await call.pass(1_500)
  }
  await settled(call, () => call.final !== undefined)
  expect(call.final?.text).toBe("one two three")
})
