// What each provider API makes of a report of usage that is missing, null, partial or impossible [B3]: the reply stays whole, and has
// usage that cannot be believed, or none. The kernel then counts the most that the call can cost (test/core/run/budget/bill.test.ts).

import { describe, expect, test } from "vitest"
import { MendedEvents } from "../../src/models/reply/mended-events.ts"
import { providerModel } from "../../src/models/providers.ts"
import type { FinalMessage } from "../../src/ports/model.ts"
import type { ProviderSettings } from "../../src/ports/tenant/providers.ts"
import { heard } from "./model.ts"

const line = (body: string, name?: string): string => `${name === undefined ? "" : `event: ${name}\n`}data: ${body}\n\n`
/** JSON with a report in it as raw text: NaN is no JSON, and servers send it. */
const body = (value: object, usage: string | undefined): string =>
  JSON.stringify({ ...value, usage: "@" }).replace(',"usage":"@"', usage === undefined ? "" : `,"usage":${usage}`)

type Wire = (usage: string | undefined) => string

const chunk = (choice: object): object => ({ id: "c1", created: 1, model: "m", object: "chat.completion.chunk", choices: [choice] })
const chat: Wire = (usage) =>
  [
    line(JSON.stringify(chunk({ index: 0, delta: { role: "assistant", content: "fine" }, finish_reason: null }))),
    line(body(chunk({ index: 0, delta: {}, finish_reason: "stop" }), usage)),
    line("[DONE]"),
  ].join("")

const messages = (start: string | undefined, end: string | undefined): string => {
  const message = { id: "m1", type: "message", role: "assistant", model: "m", content: [], stop_reason: null }
  const text = JSON.stringify({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "fine" } })
  return [
    line(`{"type":"message_start","message":${body(message, start)}}`, "message_start"),
    line('{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}', "content_block_start"),
    line(text, "content_block_delta"),
    line('{"type":"content_block_stop","index":0}', "content_block_stop"),
    line(body({ type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null } }, end), "message_delta"),
    line('{"type":"message_stop"}', "message_stop"),
  ].join("")
}

const responses: Wire = (usage) => {
  const item = { type: "message", id: "msg_1", role: "assistant", status: "completed", content: [] }
  return [
    { type: "response.created", response: { id: "r1", created_at: 1, model: "gpt-5" } },
    { type: "response.output_item.added", output_index: 0, item },
    { type: "response.output_text.delta", item_id: "msg_1", output_index: 0, content_index: 0, delta: "fine" },
    {
      type: "response.output_item.done",
      output_index: 0,
      item: { ...item, content: [{ type: "output_text", text: "fine", annotations: [] }] },
    },
  ]
    .map((event) => line(JSON.stringify(event)))
    .concat(line(`{"type":"response.completed","response":${body({ id: "r1" }, usage)}}`))
    .join("")
}

async function said(settings: Pick<ProviderSettings, "kind" | "baseUrl">, text: string): Promise<FinalMessage> {
  const made = providerModel({ apiKey: "test-key", ...settings }, "m", {
    environment: "local",
    fetch: async () => new Response(text, { headers: { "content-type": "text/event-stream" } }),
  })
  if (!made.ok) throw new Error(made.error.message)
  return (await heard(made.value)).final
}

const baseUrl = "http://127.0.0.1:9/v1"
const WIRES: Record<
  string,
  { readonly names: readonly [string, string]; readonly say: (usage: string | undefined) => Promise<FinalMessage> }
> = {
  "openai-compatible": {
    names: ["prompt_tokens", "completion_tokens"],
    say: (usage) => said({ kind: "openai-compatible", baseUrl }, chat(usage)),
  },
  "openai chat": { names: ["prompt_tokens", "completion_tokens"], say: (usage) => said({ kind: "openai", baseUrl }, chat(usage)) },
  "openai responses": { names: ["input_tokens", "output_tokens"], say: (usage) => said({ kind: "openai" }, responses(usage)) },
  "anthropic, at both ends": {
    names: ["input_tokens", "output_tokens"],
    say: (usage) => said({ kind: "anthropic", baseUrl }, messages(usage, usage)),
  },
  "anthropic, at its start": {
    names: ["input_tokens", "output_tokens"],
    say: (usage) => said({ kind: "anthropic", baseUrl }, messages(usage, '{"output_tokens":7}')),
  },
  "anthropic, at its end": {
    names: ["input_tokens", "output_tokens"],
    say: (usage) => said({ kind: "anthropic", baseUrl }, messages('{"input_tokens":11,"output_tokens":1}', usage)),
  },
  "workers-ai": {
    names: ["prompt_tokens", "completion_tokens"],
    say: async (usage) => {
      const text = `data: {"response":"fine"}\n\n${line(body({ response: "" }, usage))}data: [DONE]\n\n`
      const ai = { run: async () => new Blob([text]).stream() }
      const made = providerModel({ kind: "workers-ai" }, "@cf/meta/llama", { environment: "production", ai })
      if (!made.ok) throw new Error(made.error.message)
      return (await heard(made.value)).final
    },
  },
}

const useless = ([input, output]: readonly [string, string]): string[] => [
  "null",
  "{}",
  "[]",
  '"12"',
  "12",
  "true",
  `{"${input}":0,"${output}":0}`,
  `{"${input}":null,"${output}":null}`,
  `{"${input}":"11","${output}":"7"}`,
  `{"${input}":-11,"${output}":-7}`,
  `{"${input}":11.5,"${output}":7.5}`,
  `{"${input}":1e308,"${output}":1e308}`,
  `{"${input}":1e999,"${output}":1e999}`,
  `{"${input}":9007199254740993,"${output}":9007199254740993}`,
  `{"${input}":NaN,"${output}":NaN}`,
  `{"${input}":Infinity, "${output}": -Infinity }`,
  `{"${input}":{"tokens":11},"${output}":[7]}`,
]

/** The kernel's rule for a reply that said something [B3]. */
const isBelieved = ({ usage }: FinalMessage): boolean => usage !== undefined && usage.input > 0 && usage.output > 0

describe.each(Object.entries(WIRES))("%s", (_, { names, say }) => {
  const [input, output] = names

  test.each([undefined, ...useless(names)])("[B3] usage %s: the reply is whole, and its usage is not believed", async (usage) => {
    const final = await say(usage)
    expect(final.error).toBeUndefined()
    expect(final).toMatchObject({ text: "fine", stopReason: "stop" })
    // The other end of a Messages stream may hold both figures.
    if (!(usage === undefined && isBelieved(final))) expect(isBelieved(final), JSON.stringify(final.usage)).toBe(false)
    for (const n of Object.values(final.usage ?? {})) expect(Number.isSafeInteger(n)).toBe(true)
  })

  test("[B3] sound usage is believed", async () => {
    const final = await say(`{"${input}":11,"${output}":7}`)
    expect(final.usage).toEqual({ input: 11, output: 7 })
  })
})

describe("partial usage", () => {
  test.each(Object.entries(WIRES).filter(([name]) => !name.startsWith("anthropic,")))(
    "[B3] %s: one of two figures is no report",
    async (_, { names, say }) => {
      for (const name of names) {
        const final = await say(`{"${name}":11}`)
        expect([final.text, isBelieved(final)]).toEqual(["fine", false])
      }
    },
  )

  test("[B3] Messages: the two ends of the stream complete each other", async () => {
    const [start, end] = ['{"input_tokens":11,"output_tokens":1}', '{"output_tokens":7}']
    const of = async (a: string | undefined, b: string | undefined): Promise<FinalMessage["usage"]> =>
      (await said({ kind: "anthropic", baseUrl }, messages(a, b))).usage
    expect(await of(start, end)).toEqual({ input: 11, output: 7 })
    expect(await of(undefined, '{"input_tokens":11,"output_tokens":7}')).toEqual({ input: 11, output: 7 })
    expect((await of(undefined, end))?.input ?? 0).toBe(0)
    expect((await of(start, undefined))?.output ?? 0).toBe(0)
    expect((await of(start, "null"))?.output ?? 0).toBe(0)
  })

  test("[B3] more cached than input is no report", async () => {
    const more = '{"prompt_tokens":11,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":12}}'
    expect((await said({ kind: "openai-compatible", baseUrl }, chat(more))).usage).toBeUndefined()
    const text = '{"prompt_tokens":11,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":"1"}}'
    const final = await said({ kind: "openai-compatible", baseUrl }, chat(text))
    expect([final.text, isBelieved(final)]).toEqual(["fine", false])
  })
})

describe("a reply that fails after it began", () => {
  const failing = (text: string): string =>
    [
      line(JSON.stringify(chunk({ index: 0, delta: { role: "assistant", content: text }, finish_reason: null }))),
      line('{"error":{"message":"upstream is busy","type":"overloaded","code":503}}'),
    ].join("")

  test("[B1] may be billed, whatever the status of its error; one that had not begun has that status alone", async () => {
    const { error } = await said({ kind: "openai-compatible", baseUrl }, failing("half an answer"))
    expect(error).toMatchObject({ status: 503, begun: true })
    const refused = await said({ kind: "openai-compatible", baseUrl }, failing(""))
    expect(refused.error).toMatchObject({ status: 503 })
    expect(refused.error?.begun).toBeUndefined()
  })
})

describe("a stream's events", () => {
  test("[M5] pass unchanged, in any pieces, when their reports are sound or absent", () => {
    const all = [
      chat('{"prompt_tokens":11,"completion_tokens":7,"queue_time":0.03,"cost":0.0012}'),
      messages('{"input_tokens":11,"output_tokens":1,"service_tier":"standard"}', '{"output_tokens":7}'),
      responses('{"input_tokens":11,"output_tokens":7,"total_tokens":18}'),
      line('{"choices":[{"delta":{"content":"{\\"usage\\": NaN}"}}]}'),
      ': a comment with "usage"\n\ndata: not JSON, "usage"\r\n\r\n',
    ].join("")
    for (const size of [1, 7, 100, all.length]) {
      const events = new MendedEvents()
      let out = ""
      for (let i = 0; i < all.length; i += size) out += events.take(all.slice(i, i + size))
      expect(out + events.rest()).toBe(all)
    }
  })

  test("[B3] with other line ends a faulty report is mended too", () => {
    const out = new MendedEvents().take('data: {"choices":[],"usage":{"prompt_tokens":"x"}}\r\n\r\n')
    expect(out).toMatch(/"usage":\{"prompt_tokens":0.*\}\r\n\r\n$/)
  })

  test("[M5] an event without an end is given up, not kept", () => {
    const events = new MendedEvents()
    const piece = "x".repeat(1024 * 1024)
    expect(() => {
      for (let i = 0; i < 40; i++) events.take(piece)
    }).toThrow(/longer than/)
  })
})
