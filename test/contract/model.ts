// What every model must do, for any provider [M1]: the same cases for each. Adapters that use a network also get the cases
// for networks.

import { afterAll, describe, expect, test } from "vitest"
import type { FinalMessage, Model, ModelChunk, ModelRequest, FlowPosition } from "../../src/ports/model.ts"
import type { Said } from "./model-server.ts"

/** What a case wants the model to do, in a form that each adapter can play. */
export interface Stage {
  /** A model that plays the given answers. */
  play(turn: Said): Model
  close?(): Promise<void>
  /** Over HTTP, with a key that must not appear. */
  readonly network?: {
    readonly key: string
    readonly lastAsked: () => Promise<void> | undefined
    /** The API sends arguments as a JSON value: they are always JSON. */
    readonly jsonOnly?: true
  }
}

export const place: FlowPosition = { flow: "f", step: "draft", pass: 1, turn: 0, failures: 0, agent: "writer", stepType: "agent" }

export const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: "m",
  system: "You write.",
  messages: [{ role: "user", text: "Write." }],
  tools: [
    { name: "finish", description: "ends the step", parameters: { type: "object", properties: { summary: { type: "string" } } } },
    {
      name: "read",
      description: "reads a file",
      parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    },
  ],
  maxOutputTokens: 1000,
  place,
  ...more,
})

/** Every chunk until the end; also checks that there is exactly one final and that it is last. */
export async function heard(
  model: Model,
  asked: ModelRequest = request(),
  signal = new AbortController().signal,
): Promise<{ texts: string[]; final: FinalMessage }> {
  const chunks: ModelChunk[] = []
  for await (const chunk of model.reply(asked, signal)) chunks.push(chunk)
  const finals = chunks.filter((chunk) => chunk.type === "final")
  expect(finals).toHaveLength(1)
  const last = chunks.at(-1)
  if (last?.type !== "final") throw new Error("the last chunk is not the final one")
  expect(last.error === undefined).toBe(last.stopReason !== "error" && last.stopReason !== "aborted")
  return { texts: chunks.flatMap((chunk) => (chunk.type === "text" ? [chunk.text] : [])), final: last }
}

export function modelContract(name: string, open: () => Promise<Stage>): void {
  describe(`model contract: ${name}`, async () => {
    const stage = await open()
    afterAll(() => stage.close?.())

    test("[M1] text arrives in pieces and whole in the final message, which is last", async () => {
      // Over a network, text that arrives together is one piece [M5]: this is too long for one piece.
      const text = "The quick brown fox jumps over the lazy dog. ".repeat(stage.network ? 1_000 : 1)
      const { texts, final } = await heard(stage.play({ text }))
      expect(texts.length).toBeGreaterThan(1)
      expect(texts.join("")).toBe(text)
      expect(final).toMatchObject({ text, toolCalls: [], stopReason: "stop" })
    })

    test("[M1] a tool call has its arguments as JSON text", async () => {
      const { final } = await heard(stage.play({ calls: [{ name: "read", args: '{"path":"notes/a.md"}' }] }))
      expect(final.stopReason).toBe("toolUse")
      expect(final.toolCalls.map(({ name, args }) => ({ name, args }))).toEqual([{ name: "read", args: '{"path":"notes/a.md"}' }])
    })

    test("[M1] several calls with text keep their order, each with a unique id", async () => {
      const calls = [1, 2, 3].map((n) => ({ name: n === 3 ? "finish" : "read", args: JSON.stringify({ path: `${n}.md` }) }))
      const { final } = await heard(stage.play({ text: "I shall look.", calls }))
      expect(final.text).toBe("I shall look.")
      expect(final.toolCalls.map(({ name, args }) => ({ name, args }))).toEqual(calls)
      expect(new Set(final.toolCalls.map((call) => call.id)).size).toBe(3)
    })

    test("[M1] usage is always present, in whole tokens", async () => {
      const { final } = await heard(stage.play({ text: "yes", usage: { input: 120, output: 9 } }))
      expect(final.usage).toEqual(stage.network ? { input: 120, output: 9 } : { input: 0, output: 0 })
    })

    test("[F33] 429 is retryable, after the requested wait", async () => {
      const { final } = await heard(stage.play({ refuse: { status: 429, headers: { "retry-after": "7" } } }))
      expect(final.error).toMatchObject({ status: 429, retryable: true, retryAfter: 7000 })
      expect(final).toMatchObject({ stopReason: "error", text: "", toolCalls: [] })
    })

    test.each([
      [408, true],
      [409, true],
      [500, true],
      [503, true],
      [529, true],
      [400, false],
      [401, false],
      [403, false],
      [404, false],
      [422, false],
    ])("[F33] status %i: retryable is %s", async (status, retryable) => {
      const { final } = await heard(stage.play({ refuse: { status } }))
      expect(final.error).toMatchObject({ status, retryable })
    })

    test("[M1] a call aborted before its start reports it and sends nothing", async () => {
      const { final } = await heard(stage.play({ text: "never" }), request(), AbortSignal.abort())
      expect(final).toMatchObject({ stopReason: "aborted", text: "", error: { retryable: false } })
    })

    test("[M1] a reader that leaves early causes no error", async () => {
      for await (const chunk of stage
        .play({ text: "a text of several pieces, of which only one is read" })
        .reply(request(), new AbortController().signal)) {
        expect(chunk.type).toBe("text")
        break
      }
      expect((await heard(stage.play({ text: "again" }))).final.text).toBe("again")
    })

    if (stage.network) networkCases(stage, stage.network)
  })
}

function networkCases(stage: Stage, network: NonNullable<Stage["network"]>): void {
  test("[M1] an abort in the middle ends the stream at once and cancels the provider's stream", async () => {
    const stop = new AbortController()
    const chunks: ModelChunk[] = []
    for await (const chunk of stage.play({ text: "half an answer", hang: true }).reply(request(), stop.signal)) {
      chunks.push(chunk)
      if (chunk.type === "text") stop.abort()
    }
    const last = chunks.at(-1)
    expect(last).toMatchObject({ type: "final", stopReason: "aborted", error: { retryable: false }, toolCalls: [] })
    expect(chunks.filter((chunk) => chunk.type === "final")).toHaveLength(1)
    await network.lastAsked()
  })

  test.each(["reset", "early", "silent"] as const)("[F33] a stream cut short (%s) is a retryable error and never a reply", async (cut) => {
    const { final } = await heard(stage.play({ text: "half an ans", calls: [{ name: "finish", args: '{"summary":"no"}' }], cut }))
    expect(final).toMatchObject({ stopReason: "error", toolCalls: [], error: { retryable: true } })
    expect(final.error?.status).toBeUndefined()
  })

  test("[F33] an error event inside the stream fails the reply; an overloaded provider is retryable", async () => {
    const { final } = await heard(stage.play({ text: "half", event: { type: "overloaded_error", message: "too many of you" } }))
    expect(final).toMatchObject({ stopReason: "error", error: { retryable: true } })
    expect(final.error?.message).toContain("too many of you")
  })

  test("[F33] an error event about the request itself is final", async () => {
    const { final } = await heard(stage.play({ text: "half", event: { type: "invalid_request_error", message: "too long" } }))
    expect(final).toMatchObject({ stopReason: "error", error: { retryable: false } })
  })

  test("[F33] Retry-After as a date counts from the server's own clock", async () => {
    const headers = { date: "Sat, 21 Nov 2026 10:00:00 GMT", "retry-after": "Sat, 21 Nov 2026 10:00:42 GMT" }
    const { final } = await heard(stage.play({ refuse: { status: 503, headers } }))
    expect(final.error?.retryAfter).toBe(42_000)
  })

  test("[M1] a JSON error body is unwrapped to its message, and no message contains the key", async () => {
    const body = JSON.stringify({
      error: { message: `Incorrect API key provided: ${network.key}. Look it up.`, type: "invalid_request_error" },
    })
    const { final } = await heard(stage.play({ refuse: { status: 401, body } }))
    expect(final.error).toEqual({
      status: 401,
      message: "the provider answered 401: Incorrect API key provided: [key]. Look it up.",
      retryable: false,
    })
  })

  test("[M1] no message contains the key in other spellings, nor does an error of the stream", async () => {
    const { final } = await heard(
      stage.play({
        text: "x",
        event: { type: "api_error", message: `upstream said: Bearer ${network.key} ${encodeURIComponent(network.key)}` },
      }),
    )
    expect(final.error?.message).toContain("upstream said")
    expect(final.error?.message).not.toContain(network.key)
    expect(final.error?.message).not.toContain(encodeURIComponent(network.key))
  })

  test.skipIf(network.jsonOnly)("[M1] arguments that are not JSON pass unchanged: the guard judges them", async () => {
    const { final } = await heard(stage.play({ calls: [{ name: "read", args: '{"path": "a.md",' }] }))
    expect(final.toolCalls).toMatchObject([{ name: "read", args: '{"path": "a.md",' }])
  })

  test("[M1] cached input is counted in the input and reported separately", async () => {
    const { final } = await heard(stage.play({ text: "yes", usage: { input: 120, output: 9, cached: 100 } }))
    expect(final.usage).toEqual({ input: 120, output: 9, cacheRead: 100 })
  })
}
