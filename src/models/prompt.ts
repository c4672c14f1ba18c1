// Converts our request to the provider library's prompt: system, messages, tool calls with their results.

import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultOutput } from "@ai-sdk/provider"
import { isObject } from "../core/json.ts"
import type { ContentPart } from "../core/run/event.ts"
import type { Message, ModelRequest } from "../ports/model.ts"
import type { ToolNames } from "./tool-names.ts"

export function promptOf(request: ModelRequest, names: ToolNames, images: boolean): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = request.system === "" ? [] : [{ role: "system", content: request.system }]
  for (const message of request.messages) {
    const converted = convert(message, names, images)
    if (converted) prompt.push(converted)
  }
  return prompt
}

function convert(message: Message, names: ToolNames, images: boolean): LanguageModelV4Message | undefined {
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
      // Anthropic answers 400 to an empty text block and to an empty assistant message.
      if (message.text.trim() === "") return calls.length === 0 ? undefined : { role: "assistant", content: calls }
      return { role: "assistant", content: [{ type: "text", text: message.text }, ...calls] }
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
