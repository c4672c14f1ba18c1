// Detects characters that people cannot see: controls, zero-width characters, marks of the reading direction, tags, line separators,
// fillers and lone surrogates. Two texts that differ only in them look the same, and direction marks change the displayed order. A path
// with such a character is refused [G7]; a page shows its code point.

/** Matches an invisible character. It uses Unicode's own properties, so it stays complete; U+2800 is a blank without such a property. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u

/** An emoji may consist of several characters that an invisible one joins. Only the sequences that Unicode lists count. Built for the first
 *  text that needs it: the list has thousands of them, which takes more time than any other line of a Worker's start. */
const emoji = (): RegExp => (built ??= new RegExp(EMOJI, "gv"))
let built: RegExp | undefined

/** Matches every sequence that Unicode lists as an emoji; needs the flag `v`. */
export const EMOJI = "\\p{RGI_Emoji}"

/** The first invisible character that is not inside an emoji. */
export const invisibleIn = (text: string): string | undefined =>
  INVISIBLE.test(text) ? INVISIBLE.exec(text.replaceAll(emoji(), ""))?.[0] : undefined

/** The character's code point, such as `U+200B`. */
export const codePointOf = (character: string): string => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`
