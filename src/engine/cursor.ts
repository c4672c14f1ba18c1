// The text of a cursor [H5]: the list that it belongs to, so that it is not valid for another list, and a position in it.

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
