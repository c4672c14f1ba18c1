// Reads the prompt in an agent's file: the text after its frontmatter.

/** The text after the frontmatter, or the whole file without one. */
export function bodyOf(text: string): string {
  const [whole = ""] = /^\uFEFF?---[ \t]*\r?\n[\s\S]*?^---[ \t]*\r?(?:\n|$)/m.exec(text) ?? []
  return text.slice(whole.length).trim()
}

/** The approximate number of tokens of a text, at four characters each. */
export const tokensIn = (text: string): number => Math.ceil(text.length / 4)
