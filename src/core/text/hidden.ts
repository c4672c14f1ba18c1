// Characters that a reader does not see, or that change what a reader sees beside them: controls, direction marks, zero-width and tag
// characters, fillers, line separators and half surrogate pairs. A person who approves a text must see that they are there.
//
// A line feed and a tab are what they look like, and so is the style of an emoji (U+FE0F after it).

const HIDDEN = /\p{Extended_Pictographic}\ufe0f|[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu
const PLAIN = /^[\n\t]$|^\p{Extended_Pictographic}/u

/** Replaces each hidden character by `shown` of its name, such as `U+202E`. */
export const unhidden = (text: string, shown: (name: string, char: string) => string = (name) => name): string =>
  text.replace(HIDDEN, (char) => (PLAIN.test(char) ? char : shown(nameOf(char), char)))

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

/** `U+202E`; at least four digits. */
const nameOf = (char: string): string => `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`
