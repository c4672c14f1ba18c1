// A dialog over the page, from below on a small screen. What is behind it is inert; Escape closes it, and the focus goes back to where it came
// from. The library comes with the first dialog.

import { lazy, Suspense, useEffect, useRef, useState } from "react"
import { focusBack } from "../shell/focus.ts"
import { holdKeys } from "../shell/typed-ahead.ts"
import type { DialogProps } from "./dialog-props.ts"

const DialogBox = lazy(async () => ({ default: (await import("./dialog-box.tsx")).DialogBox }))

export function Dialog(props: DialogProps) {
  const [opener] = useState(() => document.activeElement)
  const release = useRef<ReturnType<typeof holdKeys>>(undefined)
  useEffect(() => {
    release.current = holdKeys()
    return () => {
      release.current?.(true)
      focusBack(opener)
    }
  }, [opener])
  return (
    <Suspense fallback={null}>
      <DialogBox {...props} onBegun={() => release.current?.()} />
    </Suspense>
  )
}

/** In the place of a dialog whose file is on its way. */
export function Opening() {
  useEffect(() => {
    const release = holdKeys()
    return () => release()
  }, [])
  return null
}
