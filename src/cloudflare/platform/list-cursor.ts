// A cursor is a position in the order of creation, not an offset: rows that come and go between two pages, even its own, lose and
// repeat nothing [H5]. It names its list's owner, so that another's is none.

export interface Position {
  readonly created: number
  readonly id: string
}

export const cursorOf = (owner: string, { created, id }: Position): string => base64url(JSON.stringify([owner, created, id]))

/** null: no cursor of this list. */
export function positionOf(cursor: string, owner: string): Position | null {
  const parts = jsonOf(cursor)
  if (!Array.isArray(parts) || parts.length !== 3) return null
  const [whose, created, id]: unknown[] = parts
  return whose === owner && typeof created === "number" && typeof id === "string" ? { created, id } : null
}

const base64url = (text: string): string => btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")

function jsonOf(cursor: string): unknown {
  try {
    return JSON.parse(atob(cursor.replaceAll("-", "+").replaceAll("_", "/")))
  } catch {
    return undefined
  }
}
