// Characters that a person does not see: controls, zero-width characters, marks of the reading direction, tags, line separators, fillers
// and lone surrogates. Two texts that differ only in them look the same, and a mark of direction shows a text in another order. A path
// with one is refused [G7]; a page shows them by their number.

/** One such character. Unicode's own properties are the table, so that it stays complete; U+2800 is a blank that none of
 *  them names. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u

/** An emoji may consist of several characters that an invisible one joins. Only the sequences that Unicode lists count. Built for the first
 *  text that needs it: the list has thousands of them, which takes more time than any other line of a Worker's start. */
const emoji = (): RegExp => (built ??= new RegExp(EMOJI, "gv"))
let built: RegExp | undefined

/** With the flag `v`: every sequence of characters that Unicode lists as an emoji. */
export const EMOJI = "\\p{RGI_Emoji}"

/** The first invisible character that is not inside an emoji. */
export const invisibleIn = (text: string): string | undefined =>
  INVISIBLE.test(text) ? INVISIBLE.exec(text.replaceAll(emoji(), ""))?.[0] : undefined

/** `U+200B` */
export const codePointOf = (character: string): string => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`
