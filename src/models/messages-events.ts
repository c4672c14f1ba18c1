// Leaves out events of the Messages API that its library does not know. The API says that clients must pass over new types of events, blocks and
// deltas; the library fails the whole reply on one, although the rest of it says everything that is read here.

import { isObject } from "../core/json.ts"

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

/** For one stream. */
export function messagesOnly(): (lines: string) => string {
  const events = new MessagesEvents()
  return (lines) => events.take(lines)
}

class MessagesEvents {
  /** Blocks that are left out, by index. */
  readonly #out = new Set<unknown>()

  /** Whole lines. */
  take(lines: string): string {
    return lines.includes("data:")
      ? lines
          .split("\n")
          .map((line) => (this.#isKnown(line) ? line : line.endsWith("\r") ? ":\r" : ":"))
          .join("\n")
      : lines
  }

  #isKnown(line: string): boolean {
    const [, json] = /^data:(.*?)\r?$/.exec(line) ?? []
    if (json === undefined || (this.#out.size === 0 && PLAIN.test(line))) return true
    let event: unknown
    try {
      event = JSON.parse(json)
    } catch {
      return true
    }
    if (!isObject(event)) return true
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
