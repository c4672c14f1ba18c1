// Makes the invisible characters of a text visible to a person who approves it. Line feeds, tabs and emoji (with their U+FE0F and joiners)
// stay as they are.

import { codePointOf, EMOJI, INVISIBLE } from "./invisible.ts"

const HIDDEN = new RegExp(`\\p{Extended_Pictographic}\\ufe0f|${INVISIBLE.source}`, "gu")
const PLAIN = new RegExp(`^(?:[\\n\\t]$|(?!${INVISIBLE.source}))`, "u")
/** What an emoji of several characters may end or be joined with: only a text with one of them needs the list of all emoji. */
const COMPOSED = /\u200d|\u20e3|\u{e007f}/u
let composed: RegExp | undefined
const hidden = (text: string): RegExp => (COMPOSED.test(text) ? (composed ??= new RegExp(`${EMOJI}|${HIDDEN.source}`, "gv")) : HIDDEN)

/** Replaces each hidden character with `shown` of its name, such as `U+202E`. */
export const unhidden = (text: string, shown: (name: string, char: string) => string = (name) => name): string =>
  text.replace(hidden(text), (char) => (PLAIN.test(char) ? char : shown(codePointOf(char), char)))

/** The name of the first hidden character that could mislead, or undefined. Joiners and line ends of ordinary text cannot mislead. */
export function hiddenIn(text: string): string | undefined {
  let found: string | undefined
  unhidden(text, (name, char) => {
    if (!ORDINARY.has(char)) found ??= name
    return char
  })
  return found
}
const ORDINARY: ReadonlySet<string> = new Set(["\r", "\u200c", "\u200d", "\u00ad"])
