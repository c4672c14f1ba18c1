// A dialog over the page, from below on a small screen. What is behind it is inert; Escape closes it, and the focus goes back to where it came
// from. The library comes with the first dialog.

import { Suspense, useEffect, useRef, useState, type ReactNode } from "react"
import { focusBack } from "../shell/focus.ts"
import { holdKeys } from "../shell/typed-ahead.ts"
import type { DialogProps } from "./dialog-props.ts"
import { Guard } from "./guard.tsx"
import { later } from "./later.ts"

const DialogBox = later(async () => (await import("./dialog-box.tsx")).DialogBox)

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
    <Guard of="" what={`“${props.title}”`} onClose={props.onClose} onStopped={() => release.current?.(true)}>
      <Suspense fallback={null}>
        <DialogBox {...props} onBegun={() => release.current?.()} />
      </Suspense>
    </Guard>
  )
}

interface Opened extends Pick<DialogProps, "title" | "onClose"> {
  readonly children: ReactNode
}

/** A dialog whose file comes when it is opened. */
export function Opened({ title, onClose, children }: Opened) {
  return (
    <Guard of="" what={`“${title}”`} onClose={onClose}>
      <Suspense fallback={<Opening />}>{children}</Suspense>
    </Guard>
  )
}

/** In the place of a dialog whose file is on its way. */
function Opening() {
  useEffect(() => {
    const release = holdKeys()
    return () => release()
  }, [])
  return null
}
