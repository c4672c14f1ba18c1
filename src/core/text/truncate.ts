// Cuts long tool output at line and UTF-8 boundaries [T5]. The caller keeps the full output.

import type { Pieces } from "../pieces.ts"
import { utf8Length, utf8Width } from "./utf8.ts"

export interface TruncateLimits {
  readonly bytes: number
  readonly lines: number
}

export const OUTPUT_LIMITS: TruncateLimits = { bytes: 51_200, lines: 2_000 }

export interface CutText {
  readonly text: string
  readonly cut: boolean
  readonly totalBytes: number
  /** A newline ends a line and does not start one: "a\n" is one line, "" has none. */
  readonly totalLines: number
  readonly outputBytes: number
  readonly outputLines: number
}

/** Characters that are counted at one go. */
const PIECE = 128 * 1024

/**
 * Keeps as many whole lines as both limits allow, from the head or the tail. When not even one line fits, the line is cut between two
 * characters, because an empty output would be useless. Runs in pieces [N4], because it counts the whole text.
 */
export function* truncate(text: string, keep: "head" | "tail", limits: TruncateLimits = OUTPUT_LIMITS): Pieces<CutText> {
  let bytes = 0
  let breaks = 0
  for (let from = 0; from < text.length; from += PIECE) {
    const to = Math.min(from + PIECE, text.length)
    for (let i = from; i < to; i++) {
      bytes += utf8Width(text, i)
      if (text[i] === "\n") breaks++
    }
    if (to < text.length) yield PIECE
  }
  return cut(text, keep, { bytes, lines: text === "" || text.endsWith("\n") ? breaks : breaks + 1, limits })
}

function cut(text: string, keep: "head" | "tail", size: TruncateLimits & { readonly limits: TruncateLimits }): CutText {
  const { bytes: totalBytes, lines: totalLines, limits } = size
  const whole = totalBytes <= limits.bytes && totalLines <= limits.lines
  const kept = whole ? text : keep === "head" ? head(text, limits) : tail(text, limits)
  return {
    text: kept,
    cut: !whole,
    totalBytes,
    totalLines,
    outputBytes: whole ? totalBytes : utf8Length(kept),
    outputLines: countLines(kept),
  }
}

/** The notice that replaces the hidden part for the model, on a separate line. */
export const truncationNotice = (hiddenBytes: number, handle: string): string =>
  `[${hiddenBytes} bytes hidden; the whole output: read_output {"handle": ${JSON.stringify(handle)}}]`

export function countLines(text: string): number {
  let lines = 0
  for (let i = text.indexOf("\n"); i !== -1; i = text.indexOf("\n", i + 1)) lines++
  return text === "" || text.endsWith("\n") ? lines : lines + 1
}

function head(text: string, limits: TruncateLimits): string {
  let bytes = 0
  let lines = 0
  let border = 0
  for (let i = 0; i < text.length; i++) {
    const width = utf8Width(text, i)
    if (bytes + width > limits.bytes) return text.slice(0, border === 0 ? i : border)
    bytes += width
    if (text[i] !== "\n") continue
    lines++
    border = i + 1
    if (lines === limits.lines) break
  }
  return text.slice(0, border)
}

function tail(text: string, limits: TruncateLimits): string {
  let bytes = 0
  let lines = 0
  let border = text.length
  // Going backward, a line is complete when the newline before it is reached.
  for (let i = text.length - 1; i >= 0; i--) {
    if (text[i] === "\n" && i !== text.length - 1) {
      lines++
      border = i + 1
      if (lines === limits.lines) break
    }
    const width = utf8Width(text, i)
    // The second half of a surrogate pair counts 0: it is only kept together with the first half, which comes next.
    if (bytes + width > limits.bytes) {
      if (border < text.length) return text.slice(border)
      return text.slice(utf8Width(text, i + 1) === 0 ? i + 2 : i + 1)
    }
    bytes += width
  }
  return text.slice(border)
}
