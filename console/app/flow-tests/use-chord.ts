// Ctrl Shift T runs the tests, also from the editor. Browsers that keep it for a closed tab never tell the page of it; the button is there too.

import { useEffect, useRef } from "react"

export function useChord(run: () => void): void {
  const current = useRef(run)
  current.current = run
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      const isChord = event.key.toLowerCase() === "t" && event.shiftKey && (event.ctrlKey || event.metaKey)
      if (!isChord || document.querySelector("dialog[open]")) return
      event.preventDefault()
      current.current()
    }
    addEventListener("keydown", pressed)
    return () => removeEventListener("keydown", pressed)
  }, [])
}
