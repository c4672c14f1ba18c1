// Shows the invisible characters of a text: a person who approves it must see that they are there.
//
// A line feed and a tab are what they look like, and so is an emoji: its style (U+FE0F) and what joins its parts.

import { codePointOf, EMOJI, INVISIBLE } from "./invisible.ts"

const HIDDEN = new RegExp(`\\p{Extended_Pictographic}\\ufe0f|${INVISIBLE.source}`, "gu")
const PLAIN = new RegExp(`^(?:[\\n\\t]$|(?!${INVISIBLE.source}))`, "u")
/** What an emoji of several characters may end or be joined with: only a text with one of them needs the list of all emoji. */
const COMPOSED = /\u200d|\u20e3|\u{e007f}/u
let composed: RegExp | undefined
const hidden = (text: string): RegExp => (COMPOSED.test(text) ? (composed ??= new RegExp(`${EMOJI}|${HIDDEN.source}`, "gv")) : HIDDEN)

/** Replaces each hidden character by `shown` of its name, such as `U+202E`. */
export const unhidden = (text: string, shown: (name: string, char: string) => string = (name) => name): string =>
  text.replace(hidden(text), (char) => (PLAIN.test(char) ? char : shown(codePointOf(char), char)))

/** The name of the first hidden character that could mislead; joiners and line ends of ordinary text cannot. undefined: there is none. */
export function hiddenIn(text: string): string | undefined {
  let found: string | undefined
  unhidden(text, (name, char) => {
    if (!ORDINARY.has(char)) found ??= name
    return char
  })
  return found
}
const ORDINARY: ReadonlySet<string> = new Set(["\r", "\u200c", "\u200d", "\u00ad"])
