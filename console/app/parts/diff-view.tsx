// A difference as lines: a sign, then the words, then the color.

import { Fragment } from "react"
import { visible } from "../../../web/chat/wording.ts"
import { lineDiff, nearChanges } from "./line-diff.ts"
import { classes } from "./classes.ts"
import css from "./diff-view.module.css"

interface Props {
  readonly before: string
  readonly after: string
  readonly label: string
  /** Unchanged lines that stay around a change. */
  readonly around?: number
}

const SIGNS = { same: " ", del: "-", add: "+" } as const

export function DiffView({ before, after, label, around = 3 }: Props) {
  const lines = nearChanges(lineDiff(before, after), around)
  if (lines.length === 0) return <p className="dim small">Nothing is changed.</p>
  return (
    <pre className={classes("code", css.diff)} tabIndex={0} role="region" aria-label={label}>
      {lines.map((line, at) => (
        <Fragment key={at}>
          {line === null ? (
            <span className="dim">…</span>
          ) : (
            <span className={css[line.kind]}>
              <b>{SIGNS[line.kind]}</b> {visible(line.text)}
              {"\n"}
            </span>
          )}
        </Fragment>
      ))}
    </pre>
  )
}
