// The peers that the service's runs talk to: a model that bills the maximum, and a server that counts what it receives.
//
// The model's behavior follows from its name and the conversation. Both pause before they answer, so that a kill finds them at work.

import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { z } from "zod"

const Content = z.union([z.string(), z.null(), z.array(z.looseObject({ text: z.string().optional() }))]).optional()
const Message = z.looseObject({ role: z.string(), content: Content })
const Body = z.looseObject({
  model: z.string(),
  messages: z.array(Message),
  tools: z.array(z.looseObject({ function: z.unknown() })).optional(),
  max_tokens: z.number().optional(),
  max_completion_tokens: z.number().optional(),
})
const Note = z.looseObject({ to: z.string() })

/** US dollars per token, in and out: the tenant's PRICES has the same values. */
export const TOKEN_USD = 0.001
/** The model's name also determines how long it thinks. */
export const SLOW = "plodder"

export type Stage = "asked" | "half" | "answered" | "reported" | "replied" | "looked"

export interface Asked {
  /** The case: the first `case-…` in the conversation's last user message. */
  readonly name: string
  readonly model: string
  readonly users: readonly string[]
  readonly at: number
  /** Billed on arrival, whether the answer arrives or not. */
  readonly usd: number
  readonly tokens: number
}

/** A request to the counting server. */
export interface Arrival {
  readonly name: string
  /** Its Idempotency-Key. */
  readonly key: string
  readonly at: number
}

export class Peer {
  readonly asked: Asked[] = []
  /** Reports to the counting server, in order. */
  readonly reported: Arrival[] = []
  /** Look-ups, in order. The first look-up of each case is never answered. */
  readonly looked: Arrival[] = []
  /** Models hold their answers about a case that is alone. */
  isHolding = false
  readonly strange: string[] = []
  url = ""
  readonly #ears = new Set<(stage: Stage, name: string) => void>()
  readonly #server = createServer((incoming, response) => {
    this.#serve(incoming, response).catch((error: unknown) => {
      if (incoming.complete) this.strange.push(error instanceof Error ? error.message : String(error))
      response.destroy()
    })
  })

  async open(): Promise<void> {
    this.#server.listen(0, "127.0.0.1")
    await once(this.#server, "listening")
    const address = this.#server.address()
    this.url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, "close")
  }

  /** Resolves at the nth time from now that a case with this name prefix reaches that point. */
  when(stage: Stage, prefix: string, nth = 1): Promise<void> {
    return new Promise((resolve) => {
      let left = nth
      const ear = (seen: Stage, name: string): void => {
        if (seen !== stage || !name.startsWith(prefix) || --left !== 0) return
        this.#ears.delete(ear)
        resolve()
      }
      this.#ears.add(ear)
    })
  }

  get reports(): readonly string[] {
    return this.reported.map((it) => it.name)
  }

  /** US dollars; without a name, of all cases. */
  billed(name?: string): number {
    return this.asked.filter((it) => name === undefined || it.name === name).reduce((sum, it) => sum + it.usd, 0)
  }

  #notify(stage: Stage, name: string): void {
    for (const ear of this.#ears) ear(stage, name)
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ""
    incoming.setEncoding("utf8")
    for await (const chunk of incoming) text += String(chunk)
    const look = /^\/look\/(case-[\w-]+)$/.exec(incoming.url ?? "")?.[1]
    const key = String(incoming.headers["idempotency-key"] ?? "")
    if (look !== undefined) return this.#show({ name: look, key, at: Date.now() }, response)
    if (incoming.url === "/note") return this.#take({ name: Note.parse(JSON.parse(text)).to, key, at: Date.now() }, response)
    await this.#answer(Body.parse(JSON.parse(text)), response)
  }

  async #take(arrival: Arrival, response: ServerResponse): Promise<void> {
    const { name } = arrival
    this.reported.push(arrival)
    this.#notify("reported", name)
    await sleep(40)
    response.writeHead(200, { "content-type": "application/json" })
    response.end(JSON.stringify({ reported: name }), () => this.#notify("replied", name))
  }

  #show(arrival: Arrival, response: ServerResponse): void {
    const { name } = arrival
    const isFirst = !this.looked.some((it) => it.name === name)
    this.looked.push(arrival)
    this.#notify("looked", name)
    if (!isFirst) response.writeHead(200, { "content-type": "text/plain" }).end("seen")
  }

  async #answer(body: z.infer<typeof Body>, response: ServerResponse): Promise<void> {
    const users = body.messages.filter((m) => m.role === "user").map(textOf)
    const name = /case-[\w-]+/.exec(users.findLast((it) => it.includes("case-")) ?? "")?.[0] ?? "no case"
    // One token per byte: no tokenizer produces more.
    const input = Buffer.byteLength(body.messages.map(textOf).join("") + JSON.stringify(body.tools?.map((it) => it.function) ?? []))
    const output = body.max_tokens ?? body.max_completion_tokens ?? 100_000
    const tokens = input + output
    this.asked.push({ name, model: body.model, users, at: Date.now(), usd: tokens * TOKEN_USD, tokens })
    this.#notify("asked", name)
    // The kill ends it.
    if (this.isHolding && name.startsWith("case-alone")) return
    const pause = body.model === SLOW ? 500 : 20 + ((this.asked.length * 7) % 30)
    await sleep(pause)
    const chunks = chunksOf(body.model, replyTo(body.model, body.messages, name), { input, output })
    response.writeHead(200, { "content-type": "text/event-stream" })
    for (const chunk of chunks.slice(0, 2)) response.write(`data: ${JSON.stringify(chunk)}\n\n`)
    this.#notify("half", name)
    await sleep(pause / 2)
    for (const chunk of chunks.slice(2)) response.write(`data: ${JSON.stringify(chunk)}\n\n`)
    response.end("data: [DONE]\n\n")
    if (!response.destroyed) this.#notify("answered", name)
  }
}

type Call = { readonly name: string; readonly args: Readonly<Record<string, unknown>> }

function replyTo(model: string, messages: readonly z.infer<typeof Message>[], name: string): Call {
  const task = messages.findLastIndex((m) => m.role === "user" && textOf(m).includes("case-"))
  const turn = messages.slice(task).filter((m) => m.role === "assistant").length
  if (turn === 0 && model === "sender") return { name: "note", args: { to: name } }
  if (turn === 0 && model === "looker") return { name: "look", args: { at: name } }
  if (turn === 0 && model === "spender") return { name: "ls", args: {} }
  const status = name.includes("broken") ? "error" : "complete"
  return { name: "finish", args: { status, summary: `${name}: done`, files: [] } }
}

function chunksOf(model: string, { name, args }: Call, { input, output }: { input: number; output: number }): object[] {
  const chunk = (delta: object, reason: string | null = null, more: object = {}): object => ({
    id: "chatcmpl-peer",
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model,
    choices: [{ index: 0, delta, finish_reason: reason }],
    ...more,
  })
  const id = `call_${++made}`
  return [
    chunk({ role: "assistant", content: "" }),
    chunk({ tool_calls: [{ index: 0, id, type: "function", function: { name, arguments: "" } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: JSON.stringify(args) } }] }),
    chunk({}, "tool_calls", { usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output } }),
  ]
}

let made = 0

const textOf = ({ content }: z.infer<typeof Message>): string =>
  typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("")

const sleep = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms))
