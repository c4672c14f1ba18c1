// Groups of failures in a table, which are cards on a small screen.

import { useEffect, useRef, useState } from "react"
import type { FailureGroup } from "../../../src/api/doc/insight.doc.ts"
import { visible } from "../../../web/chat/wording.ts"
import { age, counted, fullTime } from "../parts/figures.ts"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import { Shape } from "./shape.tsx"
import { Sparkline } from "./sparkline.tsx"
import { classes } from "../parts/classes.ts"
import css from "./failures.module.css"
import shapeCss from "./shape.module.css"

/** Rows at once; the others come by a button. */
const ROWS = 60
/** A group is new for a day. */
const NEW_MS = 86_400_000

interface Props {
  readonly groups: readonly FailureGroup[]
  readonly selected: string | undefined
  readonly now: number
  /** Keys have moved the selection, so the focus goes with it. */
  readonly moves: number
}

export const groupAddress = (key: string): string => addressOf("runs", "failures", key) + location.search

export function GroupTable({ groups, selected, now, moves }: Props) {
  const [limit, setLimit] = useState(ROWS)
  const table = useRef<HTMLTableElement>(null)
  const at = groups.findIndex(({ key }) => key === selected)
  const shown = groups.slice(0, Math.max(limit, at + 1))
  useEffect(() => {
    if (moves > 0) table.current?.querySelector<HTMLAnchorElement>("tr.sel a")?.focus()
  }, [moves])
  return (
    <>
      <table className="tbl" ref={table}>
        <thead>
          <tr>
            <th scope="col">Message, flow and step</th>
            <th scope="col" className={classes(css.fN, "num")}>
              14 days, runs
            </th>
            <th scope="col" className={classes(css.fSeen, "num")}>
              Last seen
            </th>
            <th scope="col" className={classes(css.fFirst, "num")}>
              First seen
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((group) => (
            <Row key={group.key} group={group} isSelected={group.key === selected} now={now} />
          ))}
        </tbody>
      </table>
      {shown.length < groups.length && (
        <button className={classes("btn bare", css.fMore)} type="button" onClick={() => setLimit(shown.length + ROWS)}>
          Show {counted(Math.min(ROWS, groups.length - shown.length), "more group")}
        </button>
      )}
    </>
  )
}

function Row({ group, isSelected, now }: { readonly group: FailureGroup; readonly isSelected: boolean; readonly now: number }) {
  const { key, flow, step, scorer, source, shape, count, days, first, last } = group
  return (
    <tr className={isSelected ? "sel" : undefined} aria-current={isSelected ? "true" : undefined}>
      <td className={css.fMsg}>
        <Link className={shapeCss.shape} href={groupAddress(key)}>
          <b>
            <Shape shape={shape} />
          </b>
          <span className="mid">
            {visible(flow)}
            {step === undefined ? "" : `, ${visible(step)}`}{" "}
            <span className="dim small">{scorer === undefined ? visible(source) : `score of ${visible(scorer)}`}</span>{" "}
            <Tags group={group} now={now} />
          </span>
        </Link>
      </td>
      <td className={css.fN}>
        <span className={css.fDays}>
          <Sparkline days={days} />
          <b className="num">
            {count.toLocaleString()}
            <span className="vh"> {count === 1 ? "run" : "runs"}</span>
          </b>
        </span>
      </td>
      <td className={classes(css.fSeen, "num")} title={fullTime(last.at)}>
        {age(Date.parse(last.at), now)}
        {revisionOf(last)}
      </td>
      <td className={classes(css.fFirst, "num dim")} title={fullTime(first.at)}>
        {age(Date.parse(first.at), now)}
        {revisionOf(first)}
      </td>
    </tr>
  )
}

function Tags({ group: { status, reopened, first }, now }: { readonly group: FailureGroup; readonly now: number }) {
  if (status === "muted") return <span className="tag">muted</span>
  if (status === "resolved") return <span className="tag complete">resolved</span>
  if (reopened) return <span className="tag waiting">came back</span>
  if (now - Date.parse(first.at) > NEW_MS) return null
  return <span className="tag error">new{first.revision === undefined ? "" : ` since r${first.revision}`}</span>
}

export const revisionOf = ({ revision }: FailureGroup["last"]): string => (revision === undefined ? "" : `, r${revision}`)
