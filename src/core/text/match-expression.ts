// What somebody looks for, as FTS5 takes it [T23]: words of a person, never its own syntax. Each is a quoted phrase, any of them is enough,
// and an entry with more of them ranks higher. A word with signs in it ("re-index") is its parts side by side.

const MOST_TERMS = 64

/** undefined: not one letter or digit is in it. */
export function matchExpression(query: string): string | undefined {
  const terms = query
    .replaceAll("\0", " ")
    .split(/[\s"]+/)
    .filter((term) => /[\p{L}\p{N}]/u.test(term))
  if (terms.length === 0) return undefined
  return [...new Set(terms)]
    .slice(0, MOST_TERMS)
    .map((term) => `"${term}"`)
    .join(" OR ")
}
