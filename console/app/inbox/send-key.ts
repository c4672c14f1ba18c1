// Ctrl Enter sends, also from a field; Escape leaves what was begun.

import { useEffect, useRef } from "react"

export function useSendKey(send: (() => void) | undefined, leave?: () => void): void {
  const acts = useRef({ send, leave })
  acts.current = { send, leave }
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || document.querySelector("dialog[open]")) return
      const isSend = event.key === "Enter" && (event.ctrlKey || event.metaKey)
      const act = isSend ? acts.current.send : event.key === "Escape" ? acts.current.leave : undefined
      if (!act) return
      event.preventDefault()
      act()
    }
    addEventListener("keydown", pressed)
    return () => removeEventListener("keydown", pressed)
  }, [])
}
