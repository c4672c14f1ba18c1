// Turns a search query into an FTS5 expression [T23]. Queries are plain words, never FTS5 syntax: each word becomes a quoted phrase, one
// matching word is enough, and entries that match more words rank higher. A word with punctuation ("re-index") matches its parts in order.

const MAX_TERMS = 64 // limit: words of a search → further words are left out

/** The expression for a query; undefined: the query has no letters or digits. */
export function matchExpression(query: string): string | undefined {
  const terms = query
    .replaceAll("\0", " ")
    .split(/[\s"]+/)
    .filter((term) => /[\p{L}\p{N}]/u.test(term))
  if (terms.length === 0) return undefined
  return [...new Set(terms)]
    .slice(0, MAX_TERMS)
    .map((term) => `"${term}"`)
    .join(" OR ")
}
