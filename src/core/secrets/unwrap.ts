// Removes line breaks one unit at a time [T32]: encoders break base64 every 64 or 76 characters, and editors wrap and indent long lines.

import type { Decoder, Sink } from "./unescape.ts"

/** More breaks or spaces in one place are no wrapping. The limit also bounds what a stream holds back. */
const MOST_BREAKS = 2 // limit: line breaks in one place of a secret → it is not found
const MOST_INDENT = 64 // limit: spaces at the start of a wrapped line of a secret → it is not found

const LF = 0x0a
const CR = 0x0d
export const isBreak = (unit: number): boolean => unit === LF || unit === CR
const isSpace = (unit: number): boolean => unit === 0x20 || unit === 0x09

/** The text without its line breaks and the indents after them. */
export const unwrapped = (text: string): string => text.replace(/[\r\n][\r\n \t]*/g, "")

export function lineJoiner(sink: Sink): Decoder {
  let breaks = 0
  let indent = 0
  let last = 0
  const feed: Sink = (unit, from, to) => {
    if (isBreak(unit)) {
      // CRLF is one break.
      if (unit !== LF || last !== CR) breaks++
      indent = 0
      if (breaks > MOST_BREAKS) sink(unit, from, to)
    } else if (breaks > 0 && isSpace(unit)) {
      indent++
      if (indent > MOST_INDENT) sink(unit, from, to)
    } else {
      breaks = 0
      sink(unit, from, to)
    }
    last = unit
  }
  // Nothing is held back: what is left out is part of a find, or of no interest.
  return { feed, end: () => {}, since: () => Number.POSITIVE_INFINITY, isIdle: () => breaks === 0 }
}
