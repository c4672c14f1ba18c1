// Shows the invisible characters of a text: a person who approves it must see that they are there.
//
// A line feed and a tab are what they look like, and so is the style of an emoji (U+FE0F after it).

import { codePointOf, INVISIBLE } from "./invisible.ts"

const HIDDEN = new RegExp(`\\p{Extended_Pictographic}\\ufe0f|${INVISIBLE.source}`, "gu")
const PLAIN = /^[\n\t]$|^\p{Extended_Pictographic}/u

/** Replaces each hidden character by `shown` of its name, such as `U+202E`. */
export const unhidden = (text: string, shown: (name: string, char: string) => string = (name) => name): string =>
  text.replace(HIDDEN, (char) => (PLAIN.test(char) ? char : shown(codePointOf(char), char)))

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
