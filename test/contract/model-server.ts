// A model provider on loopback for the tests: OpenAI Chat Completions, Anthropic Messages and Gemini, streaming. It can be slow, cut its
// stream, refuse, and send arguments that are not JSON.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface Said {
  readonly text?: string
  readonly calls?: readonly { readonly id?: string; readonly name: string; readonly args: string }[]
  readonly usage?: { readonly input: number; readonly output: number; readonly cached?: number; readonly written?: number }
  /** A refusal before any stream. */
  readonly refuse?: { readonly status: number; readonly body?: string; readonly headers?: Readonly<Record<string, string>> }
  /** `reset` breaks the connection after the text, `early` ends the stream properly there but without a finish, `silent` ends it with nothing. */
  readonly cut?: "reset" | "early" | "silent"
  /** An error event inside the stream, after the text. */
  readonly event?: { readonly type: string; readonly message: string }
  /** After the text the server sends nothing until the client leaves. */
  readonly hang?: boolean
  readonly stop?: string
}

export interface Asked {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Record<string, unknown>
  /** Resolves when the client has left before the end. */
  readonly left: Promise<void>
}

export interface ModelServer {
  readonly url: string
  readonly asked: Asked[]
  say(turn: Said): void
  close(): Promise<void>
}

export async function startModelServer(): Promise<ModelServer> {
  let turn: Said = {}
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    let text = ""
    request.setEncoding("utf8")
    request.on("data", (chunk: string) => (text += chunk))
    request.on("end", () => {
      const left = new Promise<void>((resolve) => response.on("close", () => (response.writableEnded ? undefined : resolve())))
      asked.push({ path: request.url ?? "", headers: request.headers, body: JSON.parse(text) as Record<string, unknown>, left })
      void answer(turn, request.url ?? "", response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    say(next) {
      turn = next
      asked.length = 0
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

async function answer(turn: Said, path: string, response: ServerResponse): Promise<void> {
  if (turn.refuse) {
    response.writeHead(turn.refuse.status, { "content-type": "application/json", ...turn.refuse.headers })
    response.end(turn.refuse.body ?? "")
    return
  }
  response.writeHead(200, { "content-type": "text/event-stream" })
  if (turn.cut === "silent") return void response.end()
  const wire = path.includes(":streamGenerateContent") ? google(turn) : path.endsWith("/messages") ? anthropic(turn) : openai(turn)
  for (const line of wire.opening) response.write(line)
  if (turn.hang === true) return
  if (turn.event) return void response.end(wire.error(turn.event))
  if (turn.cut === "early") return void response.end()
  if (turn.cut === "reset") {
    // Sends the pieces before the reset, or the client may never get them.
    await new Promise((resolve) => setTimeout(resolve, 30))
    return void response.destroy()
  }
  for (const line of wire.ending) response.write(line)
  response.end()
}

interface WireText {
  readonly opening: readonly string[]
  readonly ending: readonly string[]
  error(event: { type: string; message: string }): string
}

const pieces = (text: string): string[] => text.match(/[\s\S]{1,8}/g) ?? []

function openai(turn: Said): WireText {
  const line = (choice: object, more: object = {}): string =>
    `data: ${JSON.stringify({ id: "c1", created: 1, model: "m", object: "chat.completion.chunk", choices: [{ index: 0, ...choice }], ...more })}\n\n`
  const calls = (turn.calls ?? []).flatMap((call, index) => [
    line({
      delta: { tool_calls: [{ index, id: call.id ?? `call_${index}`, type: "function", function: { name: call.name, arguments: "" } }] },
    }),
    ...pieces(call.args).map((text) => line({ delta: { tool_calls: [{ index, function: { arguments: text } }] } })),
  ])
  const { input = 11, output = 7, cached = 0 } = turn.usage ?? {}
  const usage = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  }
  return {
    opening: [
      line({ delta: { role: "assistant", content: "" } }),
      ...pieces(turn.text ?? "").map((text) => line({ delta: { content: text } })),
    ],
    ending: [
      ...calls,
      line({ delta: {}, finish_reason: turn.stop ?? (calls.length > 0 ? "tool_calls" : "stop") }, { usage }),
      "data: [DONE]\n\n",
    ],
    error: (event) => `data: ${JSON.stringify({ error: { message: event.message, type: event.type } })}\n\n`,
  }
}

function anthropic(turn: Said): WireText {
  const line = (event: { type: string } & Record<string, unknown>): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
  const { input = 11, output = 7, cached = 0, written = 0 } = turn.usage ?? {}
  const used = { input_tokens: input - cached - written, cache_read_input_tokens: cached, cache_creation_input_tokens: written }
  const text = turn.text ?? ""
  const first = text === "" ? 0 : 1
  const calls = (turn.calls ?? []).flatMap((call, i) => {
    const index = first + i
    return [
      line({
        type: "content_block_start",
        index,
        content_block: { type: "tool_use", id: call.id ?? `call_${i}`, name: call.name, input: {} },
      }),
      ...pieces(call.args).map((piece) =>
        line({ type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: piece } }),
      ),
      line({ type: "content_block_stop", index }),
    ]
  })
  const stop = turn.stop ?? (calls.length > 0 ? "tool_use" : "end_turn")
  return {
    opening: [
      line({
        type: "message_start",
        message: {
          id: "m1",
          type: "message",
          role: "assistant",
          model: "m",
          content: [],
          stop_reason: null,
          usage: { ...used, output_tokens: 1 },
        },
      }),
      ...(text === "" ? [] : [line({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } })]),
      ...pieces(text).map((piece) => line({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: piece } })),
    ],
    ending: [
      ...(text === "" ? [] : [line({ type: "content_block_stop", index: 0 })]),
      ...calls,
      line({ type: "message_delta", delta: { stop_reason: stop, stop_sequence: null }, usage: { ...used, output_tokens: output } }),
      line({ type: "message_stop" }),
    ],
    error: (event) => line({ type: "error", error: { type: event.type, message: event.message } }),
  }
}

/** Arguments are a JSON value here: text that is not JSON cannot be sent. */
function google(turn: Said): WireText {
  const line = (parts: readonly object[], more: object = {}, top: object = {}): string =>
    `data: ${JSON.stringify({ candidates: [{ content: { role: "model", parts }, index: 0, ...more }], ...top })}\n\n`
  const { input = 11, output = 7, cached = 0 } = turn.usage ?? {}
  const usageMetadata = {
    promptTokenCount: input,
    candidatesTokenCount: output,
    totalTokenCount: input + output,
    cachedContentTokenCount: cached,
  }
  const calls = (turn.calls ?? []).map((call) =>
    line([
      { functionCall: { name: call.name, args: JSON.parse(call.args) as unknown, ...(call.id === undefined ? {} : { id: call.id }) } },
    ]),
  )
  return {
    opening: pieces(turn.text ?? "").map((text) => line([{ text }])),
    ending: [...calls, line([], { finishReason: turn.stop ?? "STOP" }, { usageMetadata })],
    error: ({ type, message }) =>
      `data: ${JSON.stringify({ error: { message, ...(type.startsWith("invalid") ? { code: 400, status: "INVALID_ARGUMENT" } : { code: 503, status: "UNAVAILABLE" }) } })}\n\n`,
  }
}
