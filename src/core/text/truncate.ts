// Long tool output, cut on line and UTF-8 borders [T5]. Pure; the whole is kept elsewhere by whoever calls.

import { utf8Length, utf8Width } from "./utf8.ts"

export interface TruncateLimits {
  readonly bytes: number
  readonly lines: number
}

export const OUTPUT_LIMITS: TruncateLimits = { bytes: 51_200, lines: 2_000 }

export interface Cut {
  readonly text: string
  readonly cut: boolean
  readonly totalBytes: number
  /** A newline ends a line, it does not begin one: "a\n" is one line, "" is none. */
  readonly totalLines: number
  readonly outputBytes: number
  readonly outputLines: number
}

/**
 * Whole lines from the end that is kept, as many as both limits allow. When not even one line fits, that line is cut inside,
 * between two characters: an answer of nothing would help nobody.
 */
export function truncate(text: string, keep: "head" | "tail", limits: TruncateLimits = OUTPUT_LIMITS): Cut {
  const totalBytes = utf8Length(text)
  const totalLines = countLines(text)
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

/** What the model is told in place of what is hidden; it stands on a line of its own. */
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
  // From the back: the newline before a line is where that line is complete.
  for (let i = text.length - 1; i >= 0; i--) {
    if (text[i] === "\n" && i !== text.length - 1) {
      lines++
      border = i + 1
      if (lines === limits.lines) break
    }
    const width = utf8Width(text, i)
    // The second half of a surrogate pair weighs nothing: it is only taken together with its first half, which comes next.
    if (bytes + width > limits.bytes) {
      if (border < text.length) return text.slice(border)
      return text.slice(utf8Width(text, i + 1) === 0 ? i + 2 : i + 1)
    }
    bytes += width
  }
  return text.slice(border)
}
