// The line of a key: the runs that hold it, then those that wait, by their place.

import type { RefObject } from "react"
import type { RunRow } from "../../../../src/api/doc/run/runs.doc.ts"
import type { StartRow } from "../../../../src/api/doc/run/starts.doc.ts"
import { visible } from "../../../../web/chat/wording.ts"
import { lineRows } from "../../../../web/start/line-rows.ts"
import { classes } from "../../parts/classes.ts"
import { duration } from "../../parts/figures.ts"
import { StatusMark } from "../../parts/status.tsx"
import { isPatient, shownStatus } from "../../runs/row.ts"
import { Link } from "../../shell/link.tsx"
import { addressOf } from "../../shell/place.ts"
import css from "./queued.module.css"

const MOST_ROWS = 14
const MAX_TASK = 200

interface Props {
  readonly flow: string
  readonly run: string
  readonly title: string
  readonly limit: number | undefined
  readonly line: readonly StartRow[]
  readonly rows: ReadonlyMap<string, RunRow>
  readonly hasMore: boolean
  readonly now: number
  readonly list: RefObject<HTMLOListElement | null>
}

export function LineOfKey({ flow, run, title, limit, line, rows, hasMore, now, list }: Props) {
  const shown = lineRows(line, run, MOST_ROWS)
  const more = line.length - shown.length
  return (
    <section className="panel" aria-labelledby="line-of-key">
      <div className={css.head}>
        <h2 id="line-of-key" className="cut">
          The line of {visible(title)}
        </h2>
        <span className="dim small">
          key of {flow}
          {limit !== undefined && `, limit ${limit}`}
        </span>
        <span className="grow" />
        <Link className="link" href={addressOf("flows", flow, "overview")}>
          All keys
        </Link>
      </div>
      <ol className={css.line} ref={list}>
        {shown.map(({ start, place }) => (
          <li key={start.run} className={classes(start.run === run && css.me)} aria-current={start.run === run ? "true" : undefined}>
            <span className={classes(css.place, "num")}>{place}</span>
            <RowMark row={rows.get(start.run)} isInLine={place !== undefined} />
            <span className="cut">
              <Link className="link mono" href={addressOf("runs", start.run)}>
                {start.run.slice(0, 10)}
              </Link>{" "}
              {visible((rows.get(start.run)?.task ?? "").slice(0, MAX_TASK)) || start.flow}
            </span>
            <span className={css.tags}>
              {start.run === run && <span className="tag">this run</span>}
              {start.priority !== "normal" && <span className="tag">{start.priority}</span>}
              {place === undefined && <span className={css.hold}>holds the key</span>}
            </span>
            <span className="num dim">{duration(now - Date.parse(start.arrived))}</span>
          </li>
        ))}
      </ol>
      {more > 0 && (
        <p className={classes(css.more, "dim small")}>
          {more}
          {hasMore ? " or more" : ""} others stand in this line.
        </p>
      )}
    </section>
  )
}

function RowMark({ row, isInLine }: { readonly row: RunRow | undefined; readonly isInLine: boolean }) {
  if (isInLine) return <StatusMark status="queued" kind="i-s" />
  if (row === undefined) return <StatusMark status="running" kind="i-s" />
  return <StatusMark status={shownStatus(row)} kind="i-s" isPatient={row.status === "waiting" && isPatient(row)} />
}
