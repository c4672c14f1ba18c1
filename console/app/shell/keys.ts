// Keys of a page: they work only where nobody types a text, and never with a modifier. One table for each page. The
// shell's comes first: a second key soon after `g` goes to a place, and is no key of the page.

import { useEffect, useRef } from "react"
import { isTyping } from "../../../web/typing.ts"

/** What answers `false` leaves the key to others. */
export type KeyTable = Readonly<Record<string, (event: KeyboardEvent) => unknown>>

const NAME = "sluice-letter-keys"

/** Single letters, digits and signs can be turned off in this browser: who dictates would press them by speaking (WCAG 2.1.4). */
export const areLettersKeys = (): boolean => localStorage.getItem(NAME) !== "off"

export function letLettersBeKeys(areKeys: boolean): void {
  if (areKeys) localStorage.removeItem(NAME)
  else localStorage.setItem(NAME, "off")
}

/** `isOff`: a dialog or a menu has the keys. `isFirst`: before every other table. */
export function useKeys(table: KeyTable, isOff = false, isFirst = false): void {
  const current = useRef(table)
  current.current = table
  useEffect(() => {
    if (isOff) return
    const pressed = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return
      if (isTyping(event)) return
      if (event.key.length === 1 && !areLettersKeys()) return
      const act = current.current[event.shiftKey && event.key.length > 1 ? `Shift+${event.key}` : event.key]
      if (act && act(event) !== false) event.preventDefault()
    }
    addEventListener("keydown", pressed, isFirst)
    return () => removeEventListener("keydown", pressed, isFirst)
  }, [isOff, isFirst])
}
