// Writes the content of spans whose tenant asks for it [N9]: messages, system prompts, arguments and results in the JSON of the GenAI
// conventions. Each text and each attribute has a maximum size; a long conversation keeps its newest messages. Every text goes through
// `clean`, which removes secrets.

import type { Json, JsonObject } from "../../json.ts"
import type { ContentPart } from "../event-parts.ts"
import type { EventOf, RunEvent } from "../event.ts"

type Part = Readonly<Record<string, Json>>
interface Said {
  readonly role: "user" | "assistant" | "tool"
  readonly parts: readonly Part[]
  readonly finish_reason?: string
}
type Attributes = Readonly<Record<string, string>>

/** Limit: characters of the messages in one attribute of a span → the newest messages stay. */
export const MAX_CONTENT_CHARS = 32_768
/** Limit: characters of one text in an attribute → the rest is cut. */
export const MAX_TEXT_CHARS = 8_192

export class SpanContent {
  readonly #clean: <T extends Json>(value: T) => T
  /** What a step's next model call gets to read. */
  readonly #said = new Map<string, Said[]>()

  constructor(clean: <T extends Json>(value: T) => T) {
    this.#clean = clean
  }

  /** Takes the events of one journal in order, before their spans begin or end. */
  take(e: RunEvent): void {
    switch (e.type) {
      case "step.opened":
        this.#said.set(e.step, e.task === undefined ? [] : [this.#user(e.task)])
        return
      case "tool.returned":
        return this.#answer(e.step, e.callId, this.#result(e.content))
      case "tool.refused":
        return this.#answer(e.step, e.callId, e.reason)
      case "tool.uncertain":
        return this.#answer(e.step, e.callId, "The outcome of this call is unknown.")
      case "finish.rejected":
        return this.#answer(e.step, e.callId, e.errors.map((x) => x.message).join("; "))
      case "reminder.sent":
      case "steer.queued":
        return this.#push(e.step, this.#user(e.message))
      default:
        return
    }
  }

  task(text: string): Attributes {
    return { "gen_ai.input.messages": list([this.#user(text)]) }
  }

  /** The prompt and the task of a step with an agent. */
  opened(e: EventOf<"step.opened">): Attributes {
    const prompt = e.body === undefined ? {} : { "gen_ai.system_instructions": JSON.stringify([this.#text(e.body)]) }
    return { ...prompt, ...(e.task === undefined ? {} : this.task(e.task)) }
  }

  result(value: Json | undefined): Attributes {
    if (value === undefined) return {}
    const text = typeof value === "string" ? value : JSON.stringify(value)
    return { "gen_ai.output.messages": list([{ role: "assistant", parts: [this.#text(text)] }]) }
  }

  asked(step: string): Attributes {
    return { "gen_ai.input.messages": list(this.#said.get(step) ?? []) }
  }

  replied(e: EventOf<"model.replied">): Attributes {
    const calls = e.toolCalls.map(({ id, name, args }): Part => ({ type: "tool_call", id, name, arguments: this.#value(args) }))
    const parts = [...(e.text === "" ? [] : [this.#text(e.text)]), ...calls]
    this.#push(e.step, { role: "assistant", parts })
    return { "gen_ai.output.messages": list([{ role: "assistant", parts, finish_reason: e.stopReason }]) }
  }

  called(args: JsonObject): Attributes {
    return { "gen_ai.tool.call.arguments": clipped(JSON.stringify(this.#clean(args))) }
  }

  returned(content: readonly ContentPart[]): Attributes {
    return { "gen_ai.tool.call.result": clipped(this.#clean(this.#result(content))) }
  }

  #user(text: string): Said {
    return { role: "user", parts: [this.#text(text)] }
  }

  #text(text: string): Part {
    return { type: "text", content: clipped(this.#clean(text)) }
  }

  /** A value that is too large becomes the start of its JSON. */
  #value(value: JsonObject): Json {
    const clean = this.#clean(value)
    const text = JSON.stringify(clean)
    return text.length > MAX_TEXT_CHARS ? clipped(text) : clean
  }

  #result(content: readonly ContentPart[]): string {
    return content.map((part) => (part.type === "text" ? part.text : `[${part.mimeType}]`)).join("\n")
  }

  #answer(step: string, id: string, text: string): void {
    this.#push(step, { role: "tool", parts: [{ type: "tool_call_response", id, response: clipped(this.#clean(text)) }] })
  }

  /** Messages that no attribute has room for are forgotten. */
  #push(step: string, message: Said): void {
    const said = this.#said.get(step) ?? []
    said.push(message)
    // A message has at least 32 characters of JSON, so no attribute holds more of them.
    this.#said.set(step, said.length > MAX_CONTENT_CHARS / 32 ? newest(said) : said)
  }
}

const clipped = (text: string): string => (text.length > MAX_TEXT_CHARS ? `${text.slice(0, MAX_TEXT_CHARS - 1)}…` : text)

/** The newest messages that fit; the newest one always does, without its last parts if need be. */
function list(said: readonly Said[]): string {
  const fitting = newest(said)
  const text = JSON.stringify(fitting)
  if (text.length <= MAX_CONTENT_CHARS) return text
  const [last] = fitting
  if (!last) return "[]"
  const parts: Part[] = []
  let chars = JSON.stringify([{ ...last, parts: [] }]).length
  for (const part of last.parts) {
    chars += JSON.stringify(part).length + 1
    if (chars > MAX_CONTENT_CHARS) break
    parts.push(part)
  }
  return JSON.stringify([{ ...last, parts }])
}

function newest(said: readonly Said[]): Said[] {
  let chars = 2
  const from = said.findLastIndex((message) => (chars += JSON.stringify(message).length + 1) > MAX_CONTENT_CHARS)
  return said.slice(Math.min(from + 1, said.length - 1))
}
