// Returns a page of an MCP list. The cursor is the last shown position, so nothing is stored between pages.

/** Each entry of a page may need one read. */
const PAGE = 50 // limit: entries of a page over MCP → the next page

export interface PageEntry<T> {
  /** The sort key in the list. */
  readonly place: string
  /** undefined: it was removed in the meantime. */
  entry(): Promise<T | undefined>
}

export interface McpPage<T> {
  readonly data: T[]
  readonly nextCursor?: string
}

/** undefined: the cursor is not from such a list. */
export async function pageOf<T>(entries: readonly PageEntry<T>[], cursor: string | undefined): Promise<McpPage<T> | undefined> {
  const after = cursor === undefined ? "" : placeOf(cursor)
  if (after === undefined) return undefined
  const rest = entries.filter(({ place }) => place > after).sort((a, b) => (a.place < b.place ? -1 : 1))
  const shown = rest.slice(0, PAGE)
  const last = shown.at(-1)
  const data = (await Promise.all(shown.map(({ entry }) => entry()))).filter((entry) => entry !== undefined)
  return { data, ...(last !== undefined && rest.length > PAGE ? { nextCursor: btoa(encodeURIComponent(last.place)) } : {}) }
}

function placeOf(cursor: string): string | undefined {
  try {
    const place = decodeURIComponent(atob(cursor))
    return /^[0-9] ./.test(place) ? place : undefined
  } catch {
    return undefined
  }
}
