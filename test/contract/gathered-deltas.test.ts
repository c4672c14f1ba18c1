// Deltas that arrive together are merged: the tests count the events that the provider's library gets, not the time.

import { describe, expect, test } from "vitest"
import { gathered, NeighborDeltas } from "../../src/models/reply/gathered-deltas.ts"
import { providerModel } from "../../src/models/providers.ts"
import { heard } from "./model.ts"

const sse = (body: object, event?: string): string => `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(body)}\n\n`
const messages = (type: string, more: object): string => sse({ type, ...more }, type)
const chat = (delta: object, more: object = {}): string =>
  sse({ id: "c", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: null, ...more }] })
const argument = (text: string, index = 0): string => chat({ tool_calls: [{ index, function: { arguments: text } }] })
const block = (index: number, delta: object): string => messages("content_block_delta", { index, delta })

const take = (...events: readonly string[]): string => new NeighborDeltas().take(events.join(""))

/** A body whose pieces are all available, each as a separate chunk. */
function bodyOf(pieces: readonly string[], end: (controller: ReadableStreamDefaultController<Uint8Array>) => void = (c) => c.close()) {
  const encoder = new TextEncoder()
  let next = 0
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = pieces[next++]
        if (piece === undefined) end(controller)
        else controller.enqueue(encoder.encode(piece))
      },
    },
    { highWaterMark: 0 },
  )
}

const answering =
  (body: ReadableStream<Uint8Array>, type = "text/event-stream"): typeof globalThis.fetch =>
  async () =>
    new Response(body, { headers: { "content-type": type } })

const PIECES = Array.from({ length: 4_000 }, (_, i) => `piece ${i} "é" `)
const WHOLE = PIECES.join("")

describe("which deltas are merged", () => {
  test.each([
    ["texts of Messages", block(0, { type: "text_delta", text: "a" }), block(0, { type: "text_delta", text: "\nb" }), "a\\nb"],
    [
      "arguments of Messages",
      block(1, { type: "input_json_delta", partial_json: '{"a' }),
      block(1, { type: "input_json_delta", partial_json: '":1}' }),
      '{\\"a\\":1}',
    ],
    ["texts of Chat Completions", chat({ content: "a" }), chat({ content: "b" }), "ab"],
    ["arguments of Chat Completions", argument("12"), argument("34"), "1234"],
    [
      "texts of Responses, which are numbered",
      messages("response.output_text.delta", { item_id: "i", delta: "a", sequence_number: 4, obfuscation: "xyz" }),
      messages("response.output_text.delta", { item_id: "i", delta: "b", sequence_number: 5, obfuscation: "q" }),
      "ab",
    ],
  ])("[M5] %s", (_, first, second, text) => {
    const out = take(first, second)
    expect(out.split("\n\n")).toHaveLength(2)
    expect(out).toContain(`"${text}"`)
    expect(out.split("data:")[0]).toBe(first.split("data:")[0])
  })

  test.each([
    ["another block", block(0, { type: "text_delta", text: "a" }), block(1, { type: "text_delta", text: "b" })],
    ["another call", argument("1", 0), argument("2", 1)],
    ["the start of a call", ...twice(chat({ tool_calls: [{ index: 0, id: "x", function: { name: "f", arguments: "" } }] }))],
    ["a text and its end", chat({ content: "a" }), chat({ content: "b" }, { finish_reason: "stop" })],
    ["a text and a thought", ...twice(chat({ content: "a", reasoning_content: "b" }))],
    [
      "two calls in one event",
      ...twice(
        chat({
          tool_calls: [
            { index: 0, function: { arguments: "1" } },
            { index: 1, function: { arguments: "2" } },
          ],
        }),
      ),
    ],
    ["a signature", ...twice(block(0, { type: "signature_delta", signature: "abc" }))],
    ["data that is not JSON", ...twice("data: [DONE]\n\n")],
    ["an event of several lines", ...twice('id: 1\ndata: {"choices":[{"delta":{"content":"a"}}]}\n\n')],
  ])("[M5] %s passes unchanged", (_, first, second) => {
    expect(take(first, second)).toBe(first + second)
  })

  test("[M5] a comment is left out, and parts nothing", () => {
    expect(take(": ping\n\n", chat({ content: "a" }), ": ping\n\n", chat({ content: "b" }), ":\n\n")).toBe(chat({ content: "ab" }))
  })

  test("[M5] a delta between two others keeps its position", () => {
    const out = take(chat({ content: "a" }), chat({ content: "b" }), argument("1"), chat({ content: "c" }))
    expect(out).toBe(chat({ content: "ab" }) + argument("1") + chat({ content: "c" }))
  })

  test("[M5] the text is the same wherever the bytes are split", () => {
    const events = chat({ content: "a" }) + chat({ content: "b" }) + ": ping\n\n" + argument("1") + argument("2") + "data: [DO"
    for (let at = 0; at <= events.length; at++) {
      const deltas = new NeighborDeltas()
      const out = deltas.take(events.slice(0, at)) + deltas.take(events.slice(at)) + deltas.rest()
      const said = [...out.matchAll(/"(?:content|arguments)":"(\w+)"/g)].map((m) => m[1]).join("")
      expect([at, said, out.endsWith("\n\ndata: [DO"), out.split(": ping").length]).toEqual([at, "ab12", true, 1])
    }
  })

  test("[M5] lines with other line ends pass unchanged, at once", () => {
    const deltas = new NeighborDeltas()
    const event = chat({ content: "a" }).replaceAll("\n", "\r\n")
    expect(deltas.take(event.slice(0, -1))).toBe(event.slice(0, -1))
    expect(deltas.take(`\n${event}`)).toBe(`\n${event}`)
  })
})

describe("a reply", () => {
  test("[M5] thousands of small pieces become a few events", async () => {
    const response = await gathered(answering(bodyOf(PIECES.map((piece) => chat({ content: piece })))))("http://model.test")
    const events = (await response.text()).split("\n\n").slice(0, -1)
    expect(events.length).toBeLessThan(40)
    expect(events.map((e) => JSON.parse(e.slice("data:".length)).choices[0].delta.content).join("")).toBe(WHOLE)
  })

  test("[M5] other work gets a turn while more data is always available", async () => {
    let turn = false
    setTimeout(() => (turn = true), 0)
    let pulled = 0
    const encoder = new TextEncoder()
    const endless = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          // The stream ends, so a reader that gives no turn fails instead of hanging.
          if (turn || ++pulled === 20_000) controller.close()
          else controller.enqueue(encoder.encode(chat({ content: "a" })))
        },
      },
      { highWaterMark: 0 },
    )
    await (await gathered(answering(endless))("http://model.test")).text()
    expect(pulled).toBeLessThan(20_000)
  })

  test("[M5] text before an error is delivered before the error", async () => {
    const body = bodyOf([chat({ content: "a" }), chat({ content: "b" })], (c) => c.error(new Error("the line broke")))
    const response = await gathered(answering(body))("http://model.test")
    const reader = response.body?.getReader()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(chat({ content: "ab" }))
    await expect(reader?.read()).rejects.toThrow("the line broke")
  })

  test("[M5] a canceled read cancels the model's stream", async () => {
    let stopped: unknown
    const body = new ReadableStream<Uint8Array>({ cancel: (reason) => void (stopped = reason) })
    const response = await gathered(answering(body))("http://model.test")
    await response.body?.cancel("enough")
    expect(stopped).toBe("enough")
  })

  test("[M5] an answer that is JSON passes unchanged", async () => {
    const text = chat({ content: "a" }) + chat({ content: "b" })
    expect(await (await gathered(answering(bodyOf([text]), "application/json"))("http://model.test")).text()).toBe(text)
  })

  const start = {
    message: { id: "m", type: "message", role: "assistant", model: "m", content: [], usage: { input_tokens: 1, output_tokens: 1 } },
  }
  test.each([
    [
      "anthropic",
      [
        messages("message_start", start),
        messages("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
        ...PIECES.map((text) => block(0, { type: "text_delta", text })),
        messages("content_block_stop", { index: 0 }),
        messages("content_block_start", { index: 1, content_block: { type: "tool_use", id: "t", name: "write", input: {} } }),
        ...pieces(JSON.stringify({ text: WHOLE })).map((text) => block(1, { type: "input_json_delta", partial_json: text })),
        messages("content_block_stop", { index: 1 }),
        messages("message_delta", { delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 20 } }),
        messages("message_stop", {}),
      ],
    ],
    [
      "openai-compatible",
      [
        chat({ role: "assistant", content: "" }),
        ...PIECES.map((text) => chat({ content: text })),
        chat({ tool_calls: [{ index: 0, id: "t", type: "function", function: { name: "write", arguments: "" } }] }),
        ...pieces(JSON.stringify({ text: WHOLE })).map((text) => argument(text)),
        chat({}, { finish_reason: "tool_calls" }),
        "data: [DONE]\n\n",
      ],
    ],
  ] as const)("[M5] %s says the same, in few pieces", async (kind, events) => {
    const fetch = answering(bodyOf(events))
    const made = providerModel({ kind, baseUrl: "http://127.0.0.1:9/v1", apiKey: "test-key" }, "m", { environment: "local", fetch })
    if (!made.ok) throw new Error(made.error.message)
    const { texts, final } = await heard(made.value)
    expect(final.error).toBeUndefined()
    expect(final.text).toBe(WHOLE)
    expect(final.toolCalls.map((call) => JSON.parse(call.args))).toEqual([{ text: WHOLE }])
    expect(texts.length).toBeLessThan(40)
  })
})

function twice(event: string): readonly [string, string] {
  return [event, event]
}

function pieces(text: string): string[] {
  return text.match(/[^]{1,16}/g) ?? []
}
