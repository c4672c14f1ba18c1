// Drops events of the Messages API that its library does not know. The API requires clients to ignore new types of events, blocks and
// deltas, but the library fails the whole reply on one.

import { isObject } from "../../core/json.ts"
import type { Known, Over } from "./stream-marks.ts"

const MESSAGE_STOP = 'event: message_stop\ndata: {"type":"message_stop"}\n\n'

const BEGUN = /"type" ?: ?"content_block_start"/

/** Some servers begin a block with its first text, which the library passes over: it becomes a piece of its own. */
function withText(line: string): string {
  const event = BEGUN.test(line) ? eventIn(line) : undefined
  const block = event?.["content_block"]
  if (!event || !isObject(block)) return line
  const { type, text, thinking } = block
  const delta =
    type === "text" && typeof text === "string" && text !== ""
      ? { type: "text_delta", text }
      : type === "thinking" && typeof thinking === "string" && thinking !== ""
        ? { type: "thinking_delta", thinking }
        : undefined
  if (!delta) return line
  const br = line.endsWith("\r") ? "\r\n" : "\n"
  const piece = `data: ${JSON.stringify({ type: "content_block_delta", index: event["index"], delta })}`
  return `${line.replace(/\r$/, "")}${br}${br}${piece}${br.slice(0, -1)}`
}

function hasReason(line: string): boolean {
  const event = DELTA.test(line) ? eventIn(line) : undefined
  const delta = event?.["type"] === "message_delta" ? event["delta"] : undefined
  return isObject(delta) && typeof delta["stop_reason"] === "string"
}

/** undefined: the line holds no event. */
function eventIn(line: string): Record<string, unknown> | undefined {
  const [, json] = /^data:(.*?)\r?$/.exec(line) ?? []
  if (json === undefined) return undefined
  try {
    const event: unknown = JSON.parse(json)
    return isObject(event) ? event : undefined
  } catch {
    return undefined
  }
}

const EVENTS: ReadonlySet<unknown> = new Set([
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message_stop",
  "ping",
  "error",
])
const DELTAS: ReadonlySet<unknown> = new Set([
  "text_delta",
  "input_json_delta",
  "thinking_delta",
  "signature_delta",
  "citations_delta",
  "compaction_delta",
])
/** What only an agent's own options bring (`…_tool_use`, `…_tool_result`) is the library's matter. */
const BLOCK = /^(?:text|thinking|redacted_thinking|compaction|tool_use|\w+_tool_use|\w+_tool_result)$/
/** Most events are these, and are not parsed while no block is left out. */
const PLAIN = /^data: ?\{"type":"content_block_delta","index":\d+,"delta":\{"type":"(?:text|input_json|thinking|signature)_delta"/

/** Creates the filter for a stream. */
export const messagesOnly = (): Known => new MessagesEvents()

const STOP = /"type" ?: ?"message_stop"/
const DELTA = /"type" ?: ?"message_delta"/

class MessagesEvents implements Known {
  /** Blocks that are left out, by index. */
  readonly #out = new Set<unknown>()
  #over: Over

  get over(): Over {
    return this.#over
  }

  /** A reply that has its reason is whole, also when a server ends it without the last event. */
  rest(): string {
    return this.#over === "soon" ? MESSAGE_STOP : ""
  }

  /** Whole lines. */
  take(lines: string): string {
    if (STOP.test(lines)) this.#over = "now"
    else if (DELTA.test(lines) && lines.split("\n").some(hasReason)) this.#over = "soon"
    return lines.includes("data:")
      ? lines
          .split("\n")
          .map((line) => (this.#isKnown(line) ? withText(line) : line.endsWith("\r") ? ":\r" : ":"))
          .join("\n")
      : lines
  }

  #isKnown(line: string): boolean {
    if (this.#out.size === 0 && PLAIN.test(line)) return true
    const event = eventIn(line)
    if (!event) return true
    const { type, index, delta, content_block: block } = event
    if (type === "content_block_start") {
      const kind = isObject(block) ? block["type"] : undefined
      if (typeof kind !== "string" || BLOCK.test(kind)) this.#out.delete(index)
      else this.#out.add(index)
    }
    if (type === "content_block_delta" && isObject(delta) && !DELTAS.has(delta["type"])) return false
    return EVENTS.has(type) && !(typeof type === "string" && type.startsWith("content_block_") && this.#out.has(index))
  }
}
