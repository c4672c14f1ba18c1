// The prompt in an agent's file: what stands below its frontmatter.

/** The file as it is, if it has no frontmatter. */
export function bodyOf(text: string): string {
  const [whole = ""] = /^\uFEFF?---[ \t]*\r?\n[\s\S]*?^---[ \t]*\r?(?:\n|$)/m.exec(text) ?? []
  return text.slice(whole.length).trim()
}

/** About how many tokens a text takes: four characters each. */
export const tokensIn = (text: string): number => Math.ceil(text.length / 4)
