// Writes a whole reply as the stream in which it would have come, so that one reader reads both [R34].

import { isObject } from "../../core/json.ts"

type Members = Readonly<Record<string, unknown>>

const lines = (events: readonly Members[]): string =>
  events
    .map((event) => `${typeof event["type"] === "string" ? `event: ${event["type"]}\n` : ""}data: ${JSON.stringify(event)}\n\n`)
    .join("")

const listOf = (value: unknown): Members[] => (Array.isArray(value) ? value.filter(isObject) : [])
const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** A message of Anthropic's Messages API. */
export function messageStream(message: Members): string {
  const { content, stop_reason, stop_sequence, usage } = message
  const blocks = listOf(content).flatMap((block, index): Members[] => {
    const { start, deltas } = blockOf(block)
    return [
      { type: "content_block_start", index, content_block: start },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]
  })
  return lines([
    { type: "message_start", message: { ...message, content: [], stop_reason: null, stop_sequence: null } },
    ...blocks,
    { type: "message_delta", delta: { stop_reason, stop_sequence: stop_sequence ?? null }, usage: usage ?? {} },
    { type: "message_stop" },
  ])
}

function blockOf(block: Members): { readonly start: Members; readonly deltas: readonly Members[] } {
  switch (block["type"]) {
    case "text":
      return { start: { ...block, text: "" }, deltas: [{ type: "text_delta", text: textOf(block["text"]) }] }
    case "thinking":
      return {
        start: { ...block, thinking: "", signature: "" },
        deltas: [
          { type: "thinking_delta", thinking: textOf(block["thinking"]) },
          { type: "signature_delta", signature: textOf(block["signature"]) },
        ],
      }
    case "tool_use":
      return {
        start: { ...block, input: {} },
        deltas: [{ type: "input_json_delta", partial_json: JSON.stringify(block["input"] ?? {}) }],
      }
    default:
      return { start: block, deltas: [] }
  }
}

/** A response of OpenAI's Responses API. */
export function responseStream(response: Members): string {
  const events = listOf(response["output"]).flatMap((item, output_index): Members[] => {
    const item_id = item["id"]
    const texts = item["type"] === "message" ? listOf(item["content"]) : []
    return [
      {
        type: "response.output_item.added",
        output_index,
        item: { ...item, ...(item["type"] === "function_call" ? { arguments: "" } : {}) },
      },
      ...texts.flatMap((part, content_index): Members[] =>
        part["type"] === "output_text"
          ? [{ type: "response.output_text.delta", item_id, output_index, content_index, delta: textOf(part["text"]), logprobs: [] }]
          : [],
      ),
      ...(item["type"] === "function_call"
        ? [{ type: "response.function_call_arguments.delta", item_id, output_index, delta: textOf(item["arguments"]) }]
        : []),
      { type: "response.output_item.done", output_index, item },
    ]
  })
  const end = response["status"] === "incomplete" ? "response.incomplete" : "response.completed"
  return lines([{ type: "response.created", response: { ...response, output: [] } }, ...events, { type: end, response }])
}

/** A completion of the Chat Completions API. */
export function chatStream(completion: Members): string {
  const { choices, usage, ...rest } = completion
  const said = listOf(choices).map((choice) => {
    const message: Members = isObject(choice["message"]) ? choice["message"] : {}
    const calls = listOf(message["tool_calls"]).map((call, index) => ({ index, ...call }))
    const { tool_calls: _calls, ...delta } = message
    return {
      index: choice["index"] ?? 0,
      delta: { ...delta, ...(calls.length > 0 ? { tool_calls: calls } : {}) },
      finish_reason: choice["finish_reason"],
    }
  })
  return `${lines([{ ...rest, object: "chat.completion.chunk", choices: said, usage }])}data: [DONE]\n\n`
}
