// Keys of a page: single letters work outside of fields only, and never with a modifier. One table for each page; the page's table comes before
// the shell's, and a second key within a second of `g` goes to a place.

import { useEffect, useRef } from "react"

export type KeyTable = Readonly<Record<string, (event: KeyboardEvent) => void>>

const FIELD = "input:not([type=range], [type=checkbox], [type=radio], [type=button]), textarea, select, [contenteditable=true]"

/** `isOff`: a dialog or a menu has the keys. */
export function useKeys(table: KeyTable, isOff = false): void {
  const current = useRef(table)
  current.current = table
  useEffect(() => {
    if (isOff) return
    const pressed = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return
      if (event.target instanceof Element && event.target.matches(FIELD)) return
      const act = current.current[event.shiftKey && event.key.length > 1 ? `Shift+${event.key}` : event.key]
      if (!act) return
      event.preventDefault()
      act(event)
    }
    addEventListener("keydown", pressed)
    return () => removeEventListener("keydown", pressed)
  }, [isOff])
}
