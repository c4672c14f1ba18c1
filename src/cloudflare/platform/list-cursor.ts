// Encodes a list's cursor: a position in the order of creation, not an offset. Rows that come and go between two pages, even the cursor's
// own row, lose and repeat nothing [H5]. It names the owner of its list, so it is not valid for the list of another owner.

import { cursorPosition, cursorText } from "../../engine/cursor.ts"

export interface Position {
  readonly created: number
  readonly id: string
}

export const cursorOf = (owner: string, { created, id }: Position): string => cursorText(owner, created, id)

/** null: this is not a cursor of this list. */
export function positionOf(cursor: string, owner: string): Position | null {
  const [created, id, ...more] = cursorPosition(cursor, owner) ?? []
  return typeof created === "number" && typeof id === "string" && more.length === 0 ? { created, id } : null
}
