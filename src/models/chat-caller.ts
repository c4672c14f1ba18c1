// Calls a Chat Completions API [M1]: the request as the library writes it, the reply as we read it. The library's chain of streams, with a schema
// for each event, cost 3 to 4 ms of CPU for a short reply in workerd; this reads one stream.

import type { LanguageModelV4 } from "@ai-sdk/provider"
import { isObject } from "../core/json.ts"
import { withExtras, type ChatExtras } from "./chat-extras.ts"
import { ChatParts, type ChatKind } from "./reply/chat-parts.ts"
import { captured } from "./captured.ts"
import { EventData } from "./reply/event-data.ts"
import { MAX_EVENT_CHARS } from "./reply/mended-events.ts"
import { Grace } from "./reply/grace.ts"
import { startOf } from "./reply/no-stream.ts"
import type { ModelCaller, PartReader } from "./reply/part-reader.ts"
import { StreamBytes } from "./reply/stream-bytes.ts"
import { later, pause } from "../ports/timers.ts"

/** After this much text, other work gets a turn: otherwise a connection with constant data would be read without a break. */
const TURN_CHARS = 64 * 1024
/** [M5] How long a piece may wait for more. A short reply comes in one piece, which does not wait. */
const WAIT_MS = 20

export interface ChatModel {
  readonly kind: ChatKind
  /** Made with `capturing`. */
  readonly model: LanguageModelV4
  readonly fetch: typeof fetch
}

export const chatCaller = ({ kind, model, fetch }: ChatModel, extras: readonly (ChatExtras | undefined)[]): ModelCaller => ({
  modelId: model.modelId,
  async call(options) {
    const { url, init } = await captured(model, options)
    const send = (): Promise<Response> => withExtras(fetch, extras)(url, REFUSERS.has(model) ? withoutUsage(init) : init)
    let response = await send()
    if (!response.ok) {
      const refusal = await refusedBy(response)
      if (!refusesUsage(refusal) || REFUSERS.has(model)) throw refusal
      REFUSERS.add(model)
      response = await send()
      if (!response.ok) throw await refusedBy(response)
    }
    if (!response.body) throw new Error("the answer has no body")
    return new ChatReader(response.body, kind, Object.fromEntries(response.headers))
  },
})

/** Models whose servers refuse to be asked for their usage: it is asked for without, and estimated [B3]. */
const REFUSERS = new WeakSet<LanguageModelV4>()

const refusesUsage = ({ statusCode, responseBody }: ProviderRefusal): boolean =>
  (statusCode === 400 || statusCode === 422) && /stream_options|include_usage/.test(responseBody)

function withoutUsage(init: RequestInit): RequestInit {
  const body: unknown = typeof init.body === "string" ? JSON.parse(init.body) : undefined
  if (!isObject(body)) return init
  const { stream_options: _asked, ...rest } = body
  return { ...init, body: JSON.stringify(rest) }
}

class ChatReader implements PartReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #decoder = new TextDecoder()
  readonly #events = new EventData()
  readonly #bytes = new StreamBytes()
  readonly #grace = new Grace()
  readonly #parts: ChatParts
  /** A piece that is waited for. */
  #next: ReturnType<ReadableStreamDefaultReader<Uint8Array>["read"]> | undefined
  #pieces = 0
  #chars = 0
  #isOver = false
  #broken: { readonly by: unknown } | undefined

  readonly headers: Readonly<Record<string, string>>

  constructor(body: ReadableStream<Uint8Array>, kind: ChatKind, headers: Readonly<Record<string, string>>) {
    this.headers = headers
    this.#reader = body.getReader()
    this.#parts = new ChatParts(kind)
  }

  async read(): ReturnType<PartReader["read"]> {
    while (!this.#isOver) {
      // What arrived before a break is passed on first.
      if (this.#broken) throw this.#broken.by
      try {
        await this.#moment()
      } catch (error) {
        this.#broken = { by: error }
      }
      const parts = this.#parts.ready()
      if (parts.length > 0) return parts
    }
    return undefined
  }

  async cancel(): Promise<void> {
    this.#grace.end()
    if (!this.#isOver) await this.#reader.cancel()
  }

  /** Takes a piece, and what follows it at once. */
  async #moment(): Promise<void> {
    const from = this.#chars
    const first = await (this.#grace.over ? Promise.race([this.#piece(), this.#grace.over]) : this.#piece())
    if (first === undefined) return this.#end()
    this.#take(first)
    if (this.#pieces > 1 && !this.#isOver) {
      let cancel: (() => void) | undefined
      const due = new Promise<undefined>((resolve) => (cancel = later(() => resolve(undefined), WAIT_MS)))
      try {
        while (!this.#isOver && this.#chars - from < TURN_CHARS) {
          const came = await Promise.race([this.#piece(), due])
          if (came === undefined) return
          this.#take(came)
        }
      } finally {
        cancel?.()
      }
    }
    if (this.#chars - from >= TURN_CHARS) await pause(0)
  }

  #piece(): ReturnType<ReadableStreamDefaultReader<Uint8Array>["read"]> {
    if (this.#next === undefined) {
      this.#next = this.#reader.read()
      // It may fail while no one waits for it: the next wait sees the error.
      this.#next.catch(() => undefined)
    }
    return this.#next
  }

  #take({ done, value }: Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>["read"]>>): void {
    this.#next = undefined
    this.#pieces++
    if (!done) this.#bytes.take(value.byteLength)
    const text = done ? this.#decoder.decode() : this.#decoder.decode(value, { stream: true })
    this.#chars += text.length
    const events = this.#events.take(text)
    for (const data of events) this.#parts.take(data)
    if (done || this.#parts.over === "now") this.#end()
    else if (this.#parts.over === "soon" && events.length > 0) this.#grace.begin()
  }

  /** The reply is whole, or the connection has ended. */
  #end(): void {
    this.#grace.end()
    this.#isOver = true
    for (const data of this.#events.rest()) this.#parts.take(data)
    this.#parts.end(this.#events.whole)
    // The server may leave it open.
    this.#reader.cancel().catch(() => undefined)
  }
}

/** As the library reports a status, for `failureOf`. */
class ProviderRefusal extends Error {
  readonly statusCode: number
  readonly responseBody: string
  readonly responseHeaders: Readonly<Record<string, string>>

  constructor({ status, statusText, headers }: Response, body: string) {
    super(statusText)
    this.statusCode = status
    this.responseBody = body
    this.responseHeaders = Object.fromEntries(headers)
  }
}

async function refusedBy(response: Response): Promise<ProviderRefusal> {
  return new ProviderRefusal(response, response.body ? await startOf(response.body, MAX_EVENT_CHARS) : "")
}
