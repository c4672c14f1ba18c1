// Writes another model's calls as text. Gemini and DeepSeek answer 400 to a call without the data that they send with every call (a
// signature, the reasoning), so after a change of models the earlier model's calls cannot be sent as calls.

import { defined } from "../core/defined.ts"
import type { ModelMessage } from "../ports/model.ts"

export function told(messages: readonly ModelMessage[], isOwn: (message: ModelMessage) => boolean): ModelMessage[] {
  const foreign = new Map<string, string>()
  return messages.flatMap((message): ModelMessage[] => {
    if (message.role === "assistant" && message.toolCalls.length > 0 && !isOwn(message)) {
      for (const { id, args } of message.toolCalls) foreign.set(id, args)
      return message.text.trim() === "" ? [] : [{ role: "assistant", text: message.text, toolCalls: [] }]
    }
    const args = message.role === "tool" ? foreign.get(message.callId) : undefined
    if (message.role !== "tool" || args === undefined) return [message]
    foreign.delete(message.callId)
    const result = message.content.map((part) => (part.type === "text" ? part.text : `[image ${part.mimeType}]`)).join("\n")
    const how = message.isError ? "failed" : "returned"
    const attached = defined({ attached: message.attached })
    return [
      {
        role: "user",
        ...attached,
        text: `(Before your turn, another model called the tool ${message.tool} with ${args}. It ${how}:)\n\n${result}`,
      },
    ]
  })
}
