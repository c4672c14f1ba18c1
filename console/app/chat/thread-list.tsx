// The threads of the chosen flow.

import { useEffect, useState } from "react"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { ageOf, lineOf, readTitles, titleOf, type ThreadRow } from "./threads.ts"
import { classes } from "../parts/classes.ts"
import css from "./chat-page.module.css"

interface Props {
  readonly api: Api
  readonly flow: string
  readonly rows: readonly ThreadRow[]
  readonly open: string
}

export function ThreadList({ api, flow, rows, open }: Props) {
  const [, setFound] = useState(0)
  useEffect(() => {
    let isOver = false
    void readTitles(api, rows, () => {
      if (!isOver) setFound((n) => n + 1)
    })
    return () => {
      isOver = true
    }
  }, [api, rows])
  const isKnown = rows.some(({ thread }) => thread === open)
  const now = Date.now()
  return (
    <ul className={css.ths}>
      {!isKnown && (
        <li>
          <Link className={classes(css.th, css.on)} href={addressOf("chat", flow, open)} aria-current="true">
            <Icon name="plus" kind="i-s" />
            <b className="cut">New thread</b>
            <span className="num dim">now</span>
            <span className={classes(css.sub, "cut")}>nothing said yet</span>
          </Link>
        </li>
      )}
      {rows.map((row) => {
        const { thread, run } = row
        const isOpen = thread === open
        return (
          <li key={thread}>
            <Link
              className={isOpen ? classes(css.th, css.on) : css.th}
              href={addressOf("chat", flow, thread)}
              aria-current={isOpen ? "true" : undefined}
            >
              <Icon name={run.status} kind={`i-s ${run.status}${run.status === "running" ? " spin" : ""}`} label={run.status} />
              <b className="cut">{titleOf(row) ?? " "}</b>
              <span className="num dim">{ageOf(run.created, now)}</span>
              <span className={classes(css.sub, "cut")}>{lineOf(row)}</span>
            </Link>
          </li>
        )
      })}
    </ul>
  )
}
