// A dialog over the page, from below on a small screen. The browser keeps the focus in it, closes it by Escape and gives the focus back.

import { useEffect, useRef, type ReactNode } from "react"
import { Icon } from "../shell/icons.tsx"
import { classes } from "./classes.ts"
import css from "./dialog.module.css"

interface Props {
  readonly title: string
  readonly isWide?: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

export function Dialog({ title, isWide = false, onClose, children }: Props) {
  const node = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = node.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={node}
      className={isWide ? classes(css.dialog, css.wideD) : css.dialog}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <div className="panel-head">
        <h2 className="cut">{title}</h2>
        <span className="grow" />
        <button className="btn bare square tiny" type="button" aria-label="Close" onClick={onClose}>
          <Icon name="x" />
        </button>
      </div>
      {children}
    </dialog>
  )
}
