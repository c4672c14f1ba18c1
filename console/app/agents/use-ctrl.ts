// A key with Ctrl or Cmd, anywhere on the page. What has the focus may take it first.

import { useEffect, useRef } from "react"

export function useCtrl(key: string, act: () => void, isOn = true): void {
  const current = useRef(act)
  current.current = act
  useEffect(() => {
    if (!isOn) return undefined
    const pressed = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.key !== key || event.altKey || !(event.ctrlKey || event.metaKey)) return
      if (document.querySelector("dialog[open]")) return
      event.preventDefault()
      current.current()
    }
    addEventListener("keydown", pressed)
    return () => removeEventListener("keydown", pressed)
  }, [key, isOn])
}
