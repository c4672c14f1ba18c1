// Keys of the editor's page that hold a modifier, or are no letter: they work in fields too. What the editor has taken is not taken again.

import { useEffect, useRef } from "react"

/** `Ctrl s` is Cmd S on a Mac. */
export function useEditorKeys(table: Readonly<Record<string, () => void>>): void {
  const current = useRef(table)
  current.current = table
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || document.querySelector("dialog[open]")) return
      const held = [event.ctrlKey || event.metaKey ? "Ctrl" : "", event.altKey ? "Alt" : "", event.shiftKey ? "Shift" : ""]
      const act = current.current[[...held.filter((one) => one !== ""), keyOf(event)].join(" ")]
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    addEventListener("keydown", pressed)
    return () => removeEventListener("keydown", pressed)
  }, [])
}

/** With Alt, some keyboards write another letter: the place of the key counts. */
function keyOf({ key, code, altKey, shiftKey }: KeyboardEvent): string {
  const [, letter] = /^Key([A-Z])$/.exec(code) ?? []
  if (letter !== undefined) return shiftKey ? letter : letter.toLowerCase()
  return altKey && code === "Period" ? "." : key
}
