// Reduces an error message to its shape, which is the same whenever the same fault occurs. Parts that differ from run to run are blanked
// out: addresses, quoted text, ids and numbers. Linear in the beginning of the message, which alone counts.

import { cutAt } from "../../text/cut-at.ts"

/** Limit: characters of a message that its shape looks at → what follows does not count. */
export const SHAPED_CHARS = 1_000
/** Limit: characters of a shape → the rest is cut. */
export const SHAPE_CHARS = 300
/** A word with letters and digits is an id from this length on. */
const MIN_ID_CHARS = 6

/** Each alternative reads forward only: no part of a message is looked at twice. A single quote within a word is an apostrophe. */
const PARTS =
  /\[(?:key|secret(?::[^\]\s"]{1,100})?)\]|[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'`<>)\]}]+|"[^"\n]*"|`[^`\n]*`|“[^“”\n]*”|‘[^‘’\n]*’|«[^«»\n]*»|(?<![\p{L}\p{N}])'[^'\n]*'(?![\p{L}\p{N}])|[\p{L}\p{N}_][\p{L}\p{N}_-]*(?:[.,:]\p{N}+)*(?:@[\p{L}\p{N}.-]+)?/giu
const NUMBER = /\p{N}+(?:[.,:-]\p{N}+)*/gu
const UNIT = /^\p{N}+(?:[.,]\p{N}+)*(?:ms|[smhdbx]|min|[kmg]i?b|px|st|nd|rd|th)$/iu
/** One of digits alone is an id too. */
const HEX = /^(?:[0-9a-f]{12,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i

export function shapeOf(message: string): string {
  const text = cutAt(message, SHAPED_CHARS)
  return cutAt(text.replace(PARTS, hole).replace(/\s+/g, " ").trim(), SHAPE_CHARS)
}

function hole(part: string): string {
  // What was a key before it was taken out is one still: a provider may show a part of it that nobody knows as a secret.
  if (part.startsWith("[")) return "<id>"
  if (part.includes("://")) return "<url>"
  if (/^["'`“‘«]/.test(part)) return "<text>"
  if (part.includes("@") || HEX.test(part)) return "<id>"
  if (!/\p{N}/u.test(part)) return part
  const isMixed = /[\p{L}_]/u.test(part)
  return isMixed && part.length >= MIN_ID_CHARS && !UNIT.test(part) ? "<id>" : part.replace(NUMBER, "<n>")
}
