// Puts the text of a tool's result between the delimiters of text from outside [G11] (core/run/session/fence.ts).

import type { ContentPart } from "../../../core/run/event-parts.ts"
import { enclosed } from "../../../core/run/session/fence.ts"

/** `id`: hex, at least 8 digits, never used before. */
export function asOutside(content: readonly ContentPart[], id: string, source: string): ContentPart[] {
  return content.map((part) => (part.type === "text" ? { type: "text", text: enclosed(part.text, id, source) } : part))
}
