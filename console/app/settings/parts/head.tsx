// The head of a section: its name, what can be done, and one sentence about it.

import type { ReactNode } from "react"
import { classes } from "../../parts/classes.ts"
import css from "../settings.module.css"

interface Props {
  readonly title: string
  readonly about?: string
  readonly children?: ReactNode
}

export function Head({ title, about, children }: Props) {
  return (
    <>
      <div className="page-head">
        <h1>{title}</h1>
        <span className="grow" />
        {children}
      </div>
      {about !== undefined && <p className={classes("mid", css.sabout)}>{about}</p>}
    </>
  )
}
