// Puts outside text between delimiters that it cannot guess [G11]: each result has a new id, and anything inside that looks like a
// delimiter is made harmless. The delimiters show a model what is data; the guard decides what an agent may do, whatever the text says.

import type { ContentPart } from "../../../core/run/event-parts.ts"

const LOOKALIKE = /<(?=\s*\/?\s*untrusted)/gi

/** `id`: hex, at least 8 digits, never used before. */
export function asOutside(content: readonly ContentPart[], id: string, source: string): ContentPart[] {
  return content.map((part) => (part.type === "text" ? { type: "text", text: enclosed(part.text, id, source) } : part))
}

const enclosed = (text: string, id: string, source: string): string =>
  `<untrusted id="${id}" source="${attribute(source)}">\n${text.replace(LOOKALIKE, "&lt;")}\n</untrusted id="${id}">`

const attribute = (text: string): string =>
  text
    .slice(0, 500)
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    // A line break would end the delimiter's line.
    .replace(/\p{Cc}/gu, " ")
