// Finds texts by words, as people type them into a search field: a word is found inside longer ones, and case and accents do not matter. There
// is no syntax: every character that is not a blank belongs to a word.

/** The words of what somebody typed; none for blanks alone. */
export const wordsOf = (said: string): readonly string[] => [...new Set(folded(said).split(/\s+/))].filter((word) => word !== "")

/** Tells whether each word is in the text. `words`: of `wordsOf`. */
export function hasWords(text: string, words: readonly string[]): boolean {
  const plain = folded(text)
  return words.every((word) => plain.includes(word))
}

/** Almost all texts are ASCII, and lowering those is ten times as fast. */
function folded(text: string): string {
  const low = text.toLowerCase()
  return ASCII.test(low) ? low : low.normalize("NFD").replaceAll(/\p{M}+/gu, "")
}
// eslint-disable-next-line no-control-regex -- ASCII begins with the control characters
const ASCII = /^[\u0000-\u007F]*$/
