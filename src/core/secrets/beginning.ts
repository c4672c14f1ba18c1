// Shortens a text from outside for display [T32]: removes its secrets first, then cuts it. A secret that is cut first is found in neither
// half, so only this function shortens such a text for a message, a note or a row.

import type { Pieces } from "../pieces.ts"
import { cutAt } from "../text/cut-at.ts"
import type { Redactor } from "./redact.ts"

const APART = /[\s"'`<>,;()[\]{}]/
/** Read beyond what is shown, so that a text of secrets alone ends somewhere. */
const MOST_BEYOND = 256 * 1024
const PIECE = 4_096

/** Cuts a text between words to at most this many characters, and adds "…". */
export function beginning(text: string, most: number, ...redactors: readonly Redactor[]): string {
  const { clean, isWhole } = read(text, most, redactors)
  if (isWhole) return clean
  return `${clean.slice(0, lastApart(clean, most)).trimEnd()}…`
}

/** Cuts a text to exactly this many characters, for lines and cells that may be one long word. */
export const start = (text: string, most: number, ...redactors: readonly Redactor[]): string =>
  cutAt(read(text, most, redactors).clean, most)

/** The same for a text that was already cut elsewhere, such as in a sandbox: also removes an end that may be the first part of a secret. */
export const startOfPart = (text: string, most: number, ...redactors: readonly Redactor[]): string =>
  cutAt(read(text, most, redactors, false).clean, most)

/** The last characters of a text, after "…". */
export function* ending(text: string, most: number, redactor: Redactor): Pieces<string> {
  const clean = yield* redactor.pieces(text)
  if (clean.length <= most) return clean
  const from = clean.length - most
  return `…${clean.slice(/[\uDC00-\uDFFF]/.test(clean.charAt(from)) ? from + 1 : from)}`
}

/** Reads no more of a long text than is shown, and what decides that. */
function read(
  text: string,
  most: number,
  redactors: readonly Redactor[],
  ends = true,
): { readonly clean: string; readonly isWhole: boolean } {
  const streams = redactors.map((redactor) => redactor.stream())
  const end = Math.min(text.length, most + MOST_BEYOND)
  let clean = ""
  for (let at = 0; at < end && clean.length <= most; at += PIECE)
    clean += streams.reduce((passed, stream) => stream.push(passed), text.slice(at, Math.min(at + PIECE, end)))
  // What is not decided here may be the first part of a secret.
  if (!ends || clean.length > most || end < text.length) return { clean, isWhole: false }
  clean += streams.reduce((passed, stream) => stream.push(passed) + stream.end(), "")
  return { clean, isWhole: clean.length <= most }
}

function lastApart(text: string, most: number): number {
  if (text.length <= most) return text.length
  let end = most
  while (end > 0 && !APART.test(text.charAt(end))) end--
  return end
}
