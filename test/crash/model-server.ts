// An OpenAI-compatible server on loopback that records every request: its conversation, its arrival time, and how much of its answer was sent.
//
// It pauses before and in the middle of each answer, so that a kill finds calls that are asked, half answered and answered.

import { createHash } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { z } from "zod"
import { FLAKY, placeOf, replyTo, type Conversation, type Place } from "./flow.ts"

const Content = z.union([z.string(), z.null(), z.array(z.looseObject({ text: z.string().optional() }))]).optional()
const Message = z.looseObject({ role: z.string(), content: Content })
const Body = z.looseObject({ model: z.string(), messages: z.array(Message) })

export type Progress = "asked" | "half" | "answered"

export interface ModelRequest extends Place {
  /** Truncated SHA-256 of model and messages: identifies one conversation up to one turn. */
  readonly print: string
  readonly turn: number
  /** ms since 1970. */
  readonly at: number
  /** Was the answer a deliberate error? */
  readonly refused: boolean
  /** Billed on arrival, whether the answer arrives or not. */
  readonly tokens: number
  progress: Progress
}

export interface ModelServer {
  readonly url: string
  readonly requests: readonly ModelRequest[]
  /** Requests that could not be read: there must be none. */
  readonly strange: readonly string[]
  /** Calls the listener at each progress of each request, synchronously. Returns a function that stops listening. */
  listen(ear: (request: ModelRequest) => void): () => void
  close(): Promise<void>
}

export async function startModelServer(): Promise<ModelServer> {
  const requests: ModelRequest[] = []
  const strange: string[] = []
  const ears = new Set<(request: ModelRequest) => void>()
  const refusedOnce = new Set<string>()

  const notify = (request: ModelRequest, progress: Progress): void => {
    request.progress = progress
    for (const ear of ears) ear(request)
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = Date.now()
    let text = ""
    incoming.setEncoding("utf8")
    for await (const chunk of incoming) text += String(chunk)
    const body = Body.parse(JSON.parse(text))
    const print = createHash("sha256")
      .update(JSON.stringify([body.model, body.messages]))
      .digest("hex")
      .slice(0, 16)
    const c = conversation(body.messages)
    const place = placeOf(c.user)
    if (!place) throw new Error(`no case in ${c.user.slice(0, 200)}`)
    const isFlaky = place.step === FLAKY.step && c.turn === FLAKY.turn && place.round === FLAKY.round && !refusedOnce.has(print)
    const request: ModelRequest = {
      ...place,
      print,
      turn: c.turn,
      at,
      refused: isFlaky,
      tokens: isFlaky ? 0 : tokensOf(c),
      progress: "asked",
    }
    requests.push(request)
    notify(request, "asked")
    // 15 to 40 ms, always the same for a given conversation.
    const pause = 15 + (Number.parseInt(print.slice(0, 2), 16) % 26)
    await sleep(pause)
    if (isFlaky) {
      refusedOnce.add(print)
      response.writeHead(503, { "content-type": "application/json", "retry-after": "1" })
      response.end(JSON.stringify({ error: { message: "not just now", type: "server_error" } }))
      return
    }
    const chunks = chunksOf(body.model, print, c)
    const middle = Math.ceil(chunks.length / 2)
    response.writeHead(200, { "content-type": "text/event-stream" })
    for (const chunk of chunks.slice(0, middle)) response.write(`data: ${JSON.stringify(chunk)}\n\n`)
    notify(request, "half")
    await sleep(pause)
    for (const chunk of chunks.slice(middle)) response.write(`data: ${JSON.stringify(chunk)}\n\n`)
    response.end("data: [DONE]\n\n")
    // A caller that has disconnected was not answered.
    if (!response.destroyed && !incoming.socket.destroyed) notify(request, "answered")
  }

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error: unknown) => {
      // A caller that was killed while sending its request is not a fault.
      if (incoming.complete) strange.push(error instanceof Error ? error.message : String(error))
      response.destroy()
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    requests,
    strange,
    listen(ear) {
      ears.add(ear)
      return () => ears.delete(ear)
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}

function conversation(messages: readonly z.infer<typeof Message>[]): Conversation {
  const of = (role: string): string[] => messages.filter((m) => m.role === role).map(textOf)
  const last = messages.findLastIndex((m) => m.role === "assistant")
  return {
    system: of("system").join("\n"),
    user: of("user")[0] ?? "",
    turn: of("assistant").length,
    results: messages
      .slice(last + 1)
      .filter((m) => m.role === "tool")
      .map(textOf),
  }
}

const textOf = ({ content }: z.infer<typeof Message>): string =>
  typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("")

/** The text carries the fingerprint, which links a journal's turn to its requests. */
export const printIn = (text: string): string | undefined => /\[([0-9a-f]{16})\]/.exec(text)?.[1]

const OUTPUT = 20
const tokensOf = ({ turn }: Conversation): number => 100 + turn + OUTPUT

function chunksOf(model: string, print: string, c: Conversation): object[] {
  const reply = replyTo(c)
  const chunk = (delta: object, reason: string | null = null, more: object = {}): object => ({
    id: `chatcmpl-${print}`,
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model,
    choices: [{ index: 0, delta, finish_reason: reason }],
    ...more,
  })
  const words = `${reply.text} [${print}]`.match(/.{1,9}/g) ?? []
  const calls = reply.calls.flatMap(({ name, args }, index) => [
    chunk({ tool_calls: [{ index, id: `call_${print}_${index}`, type: "function", function: { name, arguments: "" } }] }),
    ...(JSON.stringify(args).match(/[\s\S]{1,40}/g) ?? []).map((piece) =>
      chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
    ),
  ])
  const total = tokensOf(c)
  const usage = { prompt_tokens: total - OUTPUT, completion_tokens: OUTPUT, total_tokens: total }
  return [
    chunk({ role: "assistant", content: "" }),
    ...words.map((content) => chunk({ content })),
    ...calls,
    chunk({}, reply.calls.length > 0 ? "tool_calls" : "stop", { usage }),
  ]
}

const sleep = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms))
