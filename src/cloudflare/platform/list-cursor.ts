// A cursor is a position in the order of creation, not an offset: rows that come and go between two pages, even the cursor's own row, lose
// and repeat nothing [H5]. It names the owner of its list, so it is not valid for the list of another owner.

import { fromBase64url, toBase64url } from "../../core/text/base64url.ts"

export interface Position {
  readonly created: number
  readonly id: string
}

export const cursorOf = (owner: string, { created, id }: Position): string =>
  toBase64url(new TextEncoder().encode(JSON.stringify([owner, created, id])))

/** null: this is not a cursor of this list. */
export function positionOf(cursor: string, owner: string): Position | null {
  const parts = jsonOf(cursor)
  if (!Array.isArray(parts) || parts.length !== 3) return null
  const [whose, created, id]: unknown[] = parts
  return whose === owner && typeof created === "number" && typeof id === "string" ? { created, id } : null
}

function jsonOf(cursor: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(fromBase64url(cursor)))
  } catch {
    return undefined
  }
}
