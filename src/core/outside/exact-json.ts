// Parses JSON from outside without losing digits of whole numbers [H3, F41]. A number holds about 16 digits: JSON.parse silently turns
// 8202522731445525542 into another id. Such a number becomes a text of its digits. Only numbers that would change become text, so JSON that
// this service wrote is read unchanged.

/** Most texts have no run of so many digits, and are parsed as they are. */
const LONG_RUN = /\d{16}/
/** A whole number where a value may stand, outside of strings. */
const LONG_NUMBER = /(?<=^|[[,:\s])-?[1-9]\d{15,}(?=[ \t\r\n]*(?:[,\]}]|$))/g
const WHOLE = /^-?[1-9]\d{15,}$/

/** The explanation of such a text, with a remedy. */
export const NOT_EXACT = `a number keeps all digits only up to ${Number.MAX_SAFE_INTEGER}; a string keeps any`

/** false: JSON.parse reads the text without loss. */
export const mayBeInexact = (text: string): boolean => LONG_RUN.test(text)

/** Parses JSON. Throws the errors of JSON.parse, with positions in the original text. */
export function exactJson(text: string): unknown {
  if (LONG_RUN.test(text)) {
    const kept = withDigits(text)
    try {
      if (kept !== text) return JSON.parse(kept)
    } catch {
      // The text is no JSON either, and its own fault names the place.
    }
  }
  return JSON.parse(text)
}

/** Tells whether this whole number would change its digits as a JavaScript number. Infinite numbers are refused elsewhere. */
export const isInexact = (digits: string): boolean =>
  WHOLE.test(digits) && Number.isFinite(Number(digits)) && String(Number(digits)) !== digits

/** The whole number that a text of digits stands for. */
export const wholeIn = (value: unknown): bigint | undefined =>
  typeof value === "string" && isInexact(value.trim()) ? BigInt(value.trim()) : undefined

/** The text with such numbers in quotes. Linear: strings are skipped by their quotes. */
function withDigits(text: string): string {
  const out: string[] = []
  for (let at = 0; ;) {
    const open = text.indexOf('"', at)
    const between = open < 0 ? text.slice(at) : text.slice(at, open)
    out.push(LONG_RUN.test(between) ? between.replace(LONG_NUMBER, (digits) => (isInexact(digits) ? `"${digits}"` : digits)) : between)
    if (open < 0) return out.join("")
    const end = endOfString(text, open)
    if (end < 0) return text
    out.push(text.slice(open, end))
    at = end
  }
}

/** The index after the closing quote; -1: there is none. */
function endOfString(text: string, open: number): number {
  for (let end = text.indexOf('"', open + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text[end - 1 - escapes] === "\\") escapes++
    if (escapes % 2 === 0) return end + 1
  }
  return -1
}
