// Keeps members that some servers of the Chat Completions API add to a reply and want back under the same name [J20]: DeepSeek's
// `reasoning_content`, `reasoning` and `reasoning_details` of gateways, Gemini's signatures in `extra_content`. The library knows only some
// of them, so they are read from the raw chunks and written into the outgoing request.

import { isObject, type Json, type JsonObject } from "../core/json.ts"

/** Limit: characters that a provider wants back with a reply → none are kept, and the session continues. */
export const MAX_STATE_CHARS = 1_000_000

const TEXTS = ["reasoning_content", "reasoning"] as const
/** Text of a `reasoning_details` entry that grows from chunk to chunk. */
const GROWING = ["text", "summary", "data"] as const

export interface ChatExtras {
  readonly message: JsonObject
  /** For each call of the reply, in order. */
  readonly calls: readonly (JsonObject | null)[]
}

export class ExtrasReader {
  readonly #texts = new Map<string, string[]>()
  readonly #details: Record<string, Json>[] = []
  #content: JsonObject | undefined
  #size = 0
  readonly #calls: { readonly id: string; readonly index: number; more?: JsonObject }[] = []

  /** Takes one chunk of the stream. */
  take(chunk: unknown): void {
    const choices: unknown = isObject(chunk) ? chunk["choices"] : undefined
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
    const delta: unknown = isObject(choice) ? choice["delta"] : undefined
    if (!isObject(delta) || this.#size > MAX_STATE_CHARS) return
    for (const name of TEXTS) {
      const text = delta[name]
      if (typeof text !== "string") continue
      const texts = this.#texts.get(name) ?? []
      this.#texts.set(name, texts)
      this.#size += text.length
      texts.push(text)
    }
    for (const detail of listOf(delta["reasoning_details"])) if (isObject(detail)) this.#detail(this.#counted(detail))
    if (isObject(delta["extra_content"])) this.#content = { ...this.#content, ...this.#counted(delta["extra_content"]) }
    for (const call of listOf(delta["tool_calls"])) if (isObject(call)) this.#call(call)
  }

  /** `ids`: the calls that are kept, as the server named them. */
  extras(ids: readonly string[]): ChatExtras | undefined {
    if (this.#size > MAX_STATE_CHARS) return undefined
    const message: Record<string, Json> = {}
    for (const [name, texts] of this.#texts) message[name] = texts.join("")
    if (this.#details.length > 0) message["reasoning_details"] = this.#details
    if (this.#content) message["extra_content"] = this.#content
    const calls = ids.map((id, i) => (this.#calls.find((c) => id !== "" && c.id === id) ?? this.#calls[i])?.more ?? null)
    return Object.keys(message).length === 0 && calls.every((more) => more === null) ? undefined : { message, calls }
  }

  #counted(value: object): JsonObject {
    this.#size += JSON.stringify(value).length
    return value as JsonObject
  }

  /** Chunks of one entry have the same index and type; its pieces are joined, so that it goes back whole. */
  #detail(detail: JsonObject): void {
    const last = this.#details.at(-1)
    if (!last || last["type"] !== detail["type"] || last["index"] !== detail["index"]) return void this.#details.push({ ...detail })
    for (const [name, value] of Object.entries(detail)) {
      const before = last[name]
      const grows = GROWING.some((key) => key === name) && typeof before === "string" && typeof value === "string"
      if (value !== null && value !== undefined) last[name] = grows ? before + value : value
    }
  }

  /** Some servers give every call of a reply the index 0; a new id is a new call. */
  #call(call: Record<string, unknown>): void {
    const index = typeof call["index"] === "number" ? call["index"] : 0
    const id = typeof call["id"] === "string" ? call["id"] : ""
    let known = this.#calls.findLast((c) => c.index === index)
    if (!known || (id !== "" && known.id !== id)) this.#calls.push((known = { id, index }))
    const more = call["extra_content"]
    if (isObject(more)) known.more = { ...known.more, extra_content: this.#counted(more) }
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Writes the extras into the request's assistant messages, which are in the same order. */
export function withExtras(fetch: typeof globalThis.fetch, extras: readonly (ChatExtras | undefined)[]): typeof globalThis.fetch {
  if (extras.every((e) => e === undefined)) return fetch
  return (input, init) => fetch(input, typeof init?.body === "string" ? { ...init, body: extended(init.body, extras) } : init)
}

function extended(text: string, extras: readonly (ChatExtras | undefined)[]): string {
  const body: unknown = JSON.parse(text)
  const messages = listOf(isObject(body) ? body["messages"] : undefined)
  const said = messages.filter((m): m is Record<string, unknown> => isObject(m) && m["role"] === "assistant")
  for (const [i, message] of said.entries()) {
    const own = extras[i]
    if (!own) continue
    Object.assign(message, own.message)
    for (const [n, call] of listOf(message["tool_calls"]).entries()) if (isObject(call)) Object.assign(call, own.calls[n])
  }
  return JSON.stringify(body)
}
