// Ctrl Enter accepts what the architect proposes, before the page takes it for a rehearsal. In the editor it is the editor's.

import { useEffect, useRef } from "react"

export function useAcceptKey(accept: () => void): void {
  const current = useRef(accept)
  current.current = accept
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || document.querySelector("dialog[open]")) return
      if (event.target instanceof Element && event.target.closest(".codep")) return
      event.preventDefault()
      current.current()
    }
    addEventListener("keydown", pressed, true)
    return () => removeEventListener("keydown", pressed, true)
  }, [])
}
