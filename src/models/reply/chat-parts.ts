// Reads the events of a Chat Completions stream into the library's parts, as the library's own models do [M1]: the same text, thinking,
// calls, usage and finish. The library's tracker matches pieces of arguments to calls, because servers number their calls in many ways.
// Events are read without a schema: one that is not a chunk is an error of the stream, and unused members are not checked.

import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider"
import { StreamingToolCallTracker } from "@ai-sdk/provider-utils"
import { defined } from "../../core/defined.ts"
import { isObject } from "../../core/json.ts"
import { mendedEvent } from "./mended-events.ts"
import { NoStream } from "./no-stream.ts"
import { NamelessCalls, type CallPiece } from "./nameless-calls.ts"
import type { Over } from "./stream-marks.ts"

type Part = LanguageModelV4StreamPart
type Members = Readonly<Record<string, unknown>>

export type ChatKind = "openai" | "openai-compatible"

export class ChatParts {
  #ready: Part[] = []
  readonly #tracker = new StreamingToolCallTracker({ enqueue: (part: Part) => void this.#ready.push(part) })
  readonly #nameless = new NamelessCalls()
  #usage: Members | undefined
  #finish: string | undefined
  #refused = false
  /** The server has said that nothing follows. */
  #isDone = false
  #began: "text" | "calls" | undefined
  #hasModel = false
  readonly #kind: ChatKind

  constructor(kind: ChatKind) {
    this.#kind = kind
  }

  /** One event's data. Throws if a call begins without a name. */
  take(data: string): void {
    const word = data.trim()
    if (word === "[DONE]") this.#isDone = true
    // An event without data keeps a connection open.
    if (this.#isDone || word === "") return
    const chunk = mendedEvent(data)
    if (chunk === undefined) return this.#fail(new Error(`an event is not JSON: ${data}`))
    this.#ready.push({ type: "raw", rawValue: chunk })
    const error = isObject(chunk) ? chunk["error"] : undefined
    if (given(error)) return this.#fail(typeof error === "string" ? { message: error } : error)
    const choices = isObject(chunk) ? chunk["choices"] : undefined
    if (isObject(chunk) && !given(choices) && (isObject(chunk["usage"]) || Object.keys(chunk).length === 0)) {
      // Some servers report usage in an event of its own, and some send one that is empty.
      if (isObject(chunk["usage"])) this.#usage = chunk["usage"]
      return
    }
    // An error that a server sends bare.
    if (isObject(chunk) && !given(choices) && SAYS.some((name) => given(chunk[name]))) return this.#fail(chunk)
    if (!isObject(chunk) || !Array.isArray(choices)) return this.#fail(new Error(`an event is not a chunk of a reply: ${data}`))
    const { model, usage } = chunk
    if (!this.#hasModel && typeof model === "string" && model !== "") {
      this.#hasModel = true
      this.#ready.push({ type: "response-metadata", modelId: model })
    }
    if (isObject(usage)) this.#usage = usage
    const choice: unknown = choices[0]
    if (!isObject(choice)) return
    if (typeof choice["finish_reason"] === "string") this.#finish = choice["finish_reason"]
    if (isObject(choice["delta"])) this.#delta(choice["delta"])
    // Some servers send the reply in one event, as if it were not asked for as a stream.
    else if (isObject(choice["message"]) && this.#began === undefined) this.#delta(numbered(choice["message"]))
  }

  /** The stream has ended. `whole`: it was none, but this one answer. */
  end(whole?: string): void {
    if (whole !== undefined && whole.trim() !== "") {
      if (!isChunk(whole)) return this.#fail(new NoStream(whole))
      this.take(whole)
    }
    for (const piece of this.#nameless.rest()) this.#track(piece)
    this.#tracker.flush()
    // Some servers end a reply with their mark alone.
    if (this.#isDone && this.#began !== undefined) this.#finish ??= this.#began === "calls" ? "tool_calls" : "stop"
    // [B1] OpenAI bills what it has begun. Of other servers a stream without anything in it has not begun.
    if (this.#finish === undefined && this.#kind === "openai-compatible") return this.#fail(new Error("the stream ended without a finish"))
    this.#ready.push({
      type: "finish",
      usage: usageOf(this.#usage),
      finishReason: this.#finish === undefined ? { unified: "interrupted", raw: undefined } : reasonOf(this.#finish, this.#refused),
    })
  }

  /** Some servers leave out their mark. */
  get over(): Over {
    return this.#isDone ? "now" : this.#finish === undefined ? undefined : "soon"
  }

  /** The parts so far that were not taken yet. */
  ready(): readonly Part[] {
    return this.#ready.splice(0)
  }

  #fail(error: unknown): void {
    this.#ready.push({ type: "error", error })
  }

  #delta(delta: Members): void {
    this.#think(delta["reasoning_content"] ?? delta["reasoning"])
    const content = delta["content"]
    if (Array.isArray(content)) for (const piece of content) this.#piece(piece)
    else this.#say(content)
    if (typeof delta["refusal"] === "string" && delta["refusal"] !== "") {
      this.#refused = true
      this.#say(delta["refusal"])
    }
    const calls = delta["tool_calls"]
    if (Array.isArray(calls)) for (const call of calls) this.#call(call)
    // The form of before there were several.
    if (isObject(delta["function_call"])) this.#call({ index: 0, function: delta["function_call"] })
  }

  #say(text: unknown): void {
    if (typeof text !== "string" || text === "") return
    this.#began ??= "text"
    this.#ready.push({ type: "text-delta", id: "0", delta: text })
  }

  #think(text: unknown): void {
    if (typeof text === "string" && text !== "") this.#ready.push({ type: "reasoning-delta", id: "0", delta: text })
  }

  /** Mistral sends its thinking among the pieces of the content. */
  #piece(piece: unknown): void {
    if (!isObject(piece)) return
    if (piece["type"] === "text") this.#say(piece["text"])
    const thinking = piece["type"] === "thinking" ? piece["thinking"] : undefined
    if (Array.isArray(thinking)) for (const part of thinking) if (isObject(part) && part["type"] === "text") this.#think(part["text"])
  }

  /** Some servers send a call's name after its first pieces: these wait for it. */
  #call(call: unknown): void {
    const said = isObject(call) ? call["function"] : undefined
    if (!isObject(call) || !isObject(said)) return this.#fail(new Error("a call in an event has no function"))
    this.#began = "calls"
    const index = typeof call["index"] === "number" ? call["index"] : undefined
    const id = textIn(call["id"])
    const name = textIn(said["name"])
    // Some servers send them as the object that they are.
    const args = isObject(said["arguments"]) ? JSON.stringify(said["arguments"]) : textIn(said["arguments"])
    const piece = { index, id, name, args }
    const ready = this.#kind === "openai" ? piece : this.#nameless.take(piece)
    if (ready) this.#track(ready)
  }

  #track({ index, id, name, args }: CallPiece): void {
    this.#tracker.processDelta({ ...defined({ index, id }), function: defined({ name, arguments: args }) })
  }
}

/** A reply in one event has calls without numbers. */
const numbered = (message: Members): Members =>
  Array.isArray(message["tool_calls"])
    ? { ...message, tool_calls: message["tool_calls"].map((call: unknown, index) => (isObject(call) ? { index, ...call } : call)) }
    : message

function isChunk(text: string): boolean {
  const chunk = mendedEvent(text)
  return isObject(chunk) && Array.isArray(chunk["choices"])
}

const given = (value: unknown): boolean => value !== undefined && value !== null

const textIn = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

const countIn = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

/** Members by which a bare error says what is wrong. */
const SAYS = ["message", "detail", "msg"] as const

/** Each in lower case. The last ones: the server broke off in the middle of the reply [F33]. */
const REASONS: Readonly<Record<string, "stop" | "length" | "content-filter" | "tool-calls" | "interrupted">> = {
  stop: "stop",
  length: "length",
  max_tokens: "length",
  max_output_tokens: "length",
  max_length: "length",
  model_length: "length",
  model_context_window_exceeded: "length",
  content_filter: "content-filter",
  content_filtered: "content-filter",
  sensitive: "content-filter",
  safety: "content-filter",
  recitation: "content-filter",
  prohibited_content: "content-filter",
  error: "interrupted",
  abort: "interrupted",
  aborted: "interrupted",
  cancelled: "interrupted",
  canceled: "interrupted",
  timeout: "interrupted",
  network_error: "interrupted",
  insufficient_system_resource: "interrupted",
  function_call: "tool-calls",
  tool_calls: "tool-calls",
}

function reasonOf(raw: string, refused: boolean): Extract<Part, { type: "finish" }>["finishReason"] {
  const name = raw.toLowerCase()
  const known = Object.hasOwn(REASONS, name) ? REASONS[name] : undefined
  return { unified: known === "stop" && refused ? "content-filter" : (known ?? "other"), raw }
}

/** Without a report nothing is counted, and with one whatever is missing is none. */
function usageOf(usage: Members | undefined): LanguageModelV4Usage {
  const none = { noCache: undefined, text: undefined }
  if (!usage) {
    const nothing = { total: undefined, cacheRead: undefined, cacheWrite: undefined, reasoning: undefined, ...none }
    return { inputTokens: nothing, outputTokens: nothing }
  }
  const detail = (of: string, name: string): number | undefined => {
    const details = usage[of]
    return isObject(details) ? countIn(details[name]) : undefined
  }
  return {
    inputTokens: {
      total: countIn(usage["prompt_tokens"]) ?? 0,
      cacheRead: detail("prompt_tokens_details", "cached_tokens") ?? 0,
      cacheWrite: detail("prompt_tokens_details", "cache_write_tokens"),
      noCache: undefined,
    },
    outputTokens: {
      total: countIn(usage["completion_tokens"]) ?? 0,
      reasoning: detail("completion_tokens_details", "reasoning_tokens") ?? 0,
      text: undefined,
    },
  }
}
