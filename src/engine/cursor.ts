// Writes and reads cursors [H5]: the list to which a cursor belongs, so that it is invalid for other lists, and a position in it.

import { fromBase64url, toBase64url } from "../core/text/base64url.ts"

export const cursorText = (list: string, ...position: readonly (string | number | boolean)[]): string =>
  toBase64url(new TextEncoder().encode(JSON.stringify([list, ...position])))

/** The position; undefined: this is not a cursor of the list. */
export function cursorPosition(cursor: string, list: string): readonly unknown[] | undefined {
  try {
    const parts: unknown = JSON.parse(new TextDecoder().decode(fromBase64url(cursor)))
    return Array.isArray(parts) && parts[0] === list ? parts.slice(1) : undefined
  } catch {
    return undefined
  }
}
