// Converts our request to the provider library's prompt: system, messages, tool calls with their results.

import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider"
import { isObject } from "../core/json.ts"
import type { ContentPart } from "../core/run/event.ts"
import type { Message, ModelRequest } from "../ports/model.ts"
import type { ChatExtras } from "./chat-extras.ts"
import type { KeptPart, ReplyState } from "./reply-state.ts"
import type { ToolNames } from "./tool-names.ts"

export interface Sent {
  readonly prompt: LanguageModelV4Prompt
  /** For each assistant message of the prompt. */
  readonly extras: readonly (ChatExtras | undefined)[]
}

/** `stateOf`: what the provider wanted back with a reply of its own. */
export function promptOf(
  { system, messages }: Pick<ModelRequest, "system" | "messages">,
  names: ToolNames,
  { images, stateOf }: { readonly images: boolean; readonly stateOf: (message: Message) => ReplyState | undefined },
): Sent {
  const prompt: LanguageModelV4Prompt = system === "" ? [] : [{ role: "system", content: system }]
  const extras: (ChatExtras | undefined)[] = []
  for (const message of messages) {
    const state = stateOf(message)
    const converted = convert(message, names, images, state?.parts)
    if (!converted) continue
    prompt.push(converted)
    if (message.role === "assistant") extras.push(state?.extras)
  }
  return { prompt, extras }
}

function convert(message: Message, names: ToolNames, images: boolean, parts: readonly KeptPart[] = []): LanguageModelV4Message | undefined {
  switch (message.role) {
    case "user":
      return { role: "user", content: [{ type: "text", text: message.text }] }
    case "assistant": {
      const calls = message.toolCalls.map((call) => ({
        type: "tool-call" as const,
        toolCallId: call.id,
        toolName: names.safe(call.name),
        input: argumentsOf(call.args),
      }))
      const content = contentOf(message.text, calls, parts)
      return content.length === 0 ? undefined : { role: "assistant", content }
    }
    case "tool":
      return {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: message.callId,
            toolName: names.safe(message.tool),
            output: outputOf(message.content, message.isError, images),
          },
        ],
      }
  }
}

type Content = Exclude<Extract<LanguageModelV4Message, { role: "assistant" }>["content"], string>
type Call = Extract<Content[number], { type: "tool-call" }>

/** The reply in the order in which it came. If its text has changed since (a secret was removed), thinking comes first, then text, then calls. */
function contentOf(text: string, calls: readonly Call[], parts: readonly KeptPart[]): Content {
  // Anthropic answers 400 to a text block without text and to an empty assistant message.
  const said = (piece: string, meta?: SharedV4ProviderOptions): Content =>
    piece.trim() === "" ? [] : [{ type: "text", text: piece, ...marked(meta) }]
  const thought = (part: KeptPart): Content =>
    part.type === "reasoning" ? [{ type: "reasoning", text: part.text, ...marked(part.meta) }] : []
  const length = parts.reduce((sum, part) => sum + (part.type === "text" ? part.length : 0), 0)
  if (length !== text.length) {
    const marks = parts.filter((part) => part.type === "call")
    return [...parts.flatMap(thought), ...said(text), ...calls.map((call, i) => ({ ...call, ...marked(marks[i]?.meta) }))]
  }
  let at = 0
  let next = 0
  const content = parts.flatMap((part): Content => {
    if (part.type === "reasoning") return thought(part)
    if (part.type === "text") return said(text.slice(at, (at += part.length)), part.meta)
    const call = calls[next++]
    return call ? [{ ...call, ...marked(part.meta) }] : []
  })
  return [...content, ...calls.slice(next)]
}

const marked = (meta: SharedV4ProviderOptions | undefined): { providerOptions?: SharedV4ProviderOptions } =>
  meta === undefined ? {} : { providerOptions: meta }

/** Providers require an object. Other text goes back under a key that says so; the tool result explains the failure. */
function argumentsOf(args: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(args)
    if (isObject(value)) return value
  } catch {
    // Sent as text below.
  }
  return args.trim() === "" ? {} : { not_a_json_object: args }
}

function outputOf(content: readonly ContentPart[], isError: boolean, images: boolean): LanguageModelV4ToolResultOutput {
  if (!images || content.every((part) => part.type === "text")) {
    const value = content
      .map((part) => (part.type === "text" ? part.text : `[image ${part.mimeType}: this provider accepts no images from tools]`))
      .join("\n")
    return { type: isError ? "error-text" : "text", value }
  }
  return {
    type: "content",
    value: content.map((part) =>
      part.type === "text"
        ? { type: "text" as const, text: part.text }
        : { type: "file" as const, data: { type: "data" as const, data: part.data }, mediaType: part.mimeType },
    ),
  }
}
