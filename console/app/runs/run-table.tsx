// The rows: a table on a wide screen, two lines or a card each on a smaller one. Only those near the view are drawn.

import { memo, useEffect, useRef } from "react"
import { age, counted, duration, fullTime, usd } from "../parts/figures.ts"
import { Status } from "../parts/status.tsx"
import { NARROW, SMALL, useMedia } from "../parts/use-media.ts"
import { useWindow } from "../parts/use-window.ts"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import { nowOf, shownStatus, timeOf, triggerOf, isLive, type Row } from "./row.ts"
import { classes } from "../parts/classes.ts"
import css from "./runs.module.css"

interface Props {
  readonly rows: readonly Row[]
  readonly selected: string | undefined
  /** Rows that something is to be done with. */
  readonly picked: ReadonlySet<string>
  /** Minutes and seconds move with it. */
  readonly now: number
  readonly hasMore: boolean
  readonly onNear: () => void
}

/** The list asks for more when so many rows are left below. */
const NEAR = 40

export function RunTable({ rows, selected, picked, now, hasMore, onNear }: Props) {
  const [isNarrow, isSmall] = [useMedia(NARROW), useMedia(SMALL)]
  const height = isSmall ? 112 : isNarrow ? 60 : 36
  const body = useRef<HTMLTableSectionElement>(null)
  const { from, to } = useWindow(body, rows.length, height)
  useEffect(() => {
    if (hasMore && to > rows.length - NEAR) onNear()
  }, [hasMore, to, rows.length, onNear])
  const at = rows.findIndex(({ id }) => id === selected)
  useEffect(() => {
    const node = body.current
    if (at < 0 || !node) return
    const top = node.getBoundingClientRect().top + at * height
    // Below the head of the page, and above the bar at the foot of a small screen.
    if (top < 8) scrollBy(0, top - 120)
    else if (top + height > innerHeight - 80) scrollBy(0, top + height - innerHeight + 160)
    const focus = (): void => node.querySelector<HTMLElement>(`tr[data-at="${at}"] a`)?.focus({ preventScroll: true })
    const frame = requestAnimationFrame(() => requestAnimationFrame(focus))
    return () => cancelAnimationFrame(frame)
  }, [at, height])
  return (
    <table role="table" aria-label="Runs" aria-rowcount={hasMore ? -1 : rows.length + 1}>
      <thead role="rowgroup">
        <tr role="row">
          {HEADS.map(([name, kind]) => (
            <th key={name} role="columnheader" scope="col" className={kind}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup" ref={body}>
        {from > 0 && <Space height={from * height} />}
        {rows.slice(from, to).map((row, i) => (
          <RunLine
            key={row.id}
            row={row}
            at={from + i}
            isSelected={row.id === selected}
            isPicked={picked.has(row.id)}
            // A row that is over does not move with the clock.
            time={duration(timeOf(row, isLive(row) ? now : 0))}
            old={age(Date.parse(row.created), now)}
          />
        ))}
        {to < rows.length && <Space height={(rows.length - to) * height} />}
      </tbody>
    </table>
  )
}

const HEADS = [
  ["Status", css.cSt],
  ["Run", css.cRun],
  ["Now, or why", css.cWhy],
  ["Trigger", css.cTrig],
  ["Time", classes("num", css.cDur)],
  ["USD", classes("num", css.cUsd)],
  ["Age", classes("num", css.cAge)],
] as const

const Space = ({ height }: { readonly height: number }) => (
  <tr role="presentation" className={css.space} aria-hidden="true" style={{ height }}>
    <td colSpan={7} />
  </tr>
)

interface Line {
  readonly row: Row
  readonly at: number
  readonly isSelected: boolean
  readonly isPicked: boolean
  readonly time: string
  readonly old: string
}

const RunLine = memo(function RunLine({ row, at, isSelected, isPicked, time, old }: Line) {
  const now = nowOf(row)
  const { icon, words } = triggerOf(row)
  return (
    <tr
      role="row"
      className={classes(isSelected && "sel", isPicked && css.picked)}
      aria-current={isSelected ? "true" : undefined}
      aria-rowindex={at + 2}
      data-at={at}
    >
      <td role="cell" className={css.cSt}>
        {isPicked && <Icon name="check" label="selected" />}
        <Status status={shownStatus(row)} />
      </td>
      <td role="cell" className={css.cRun}>
        <Link className={css.runLink} href={addressOf("runs", row.id)}>
          <b>{row.flow}</b>
          {row.revision !== undefined && <span className={css.rev}>r{row.revision}</span>}
          {row.rehearsed && <span className="tag">rehearsed</span>}
          {row.effects !== undefined && row.effects !== "live" && <span className="tag">{row.effects}</span>}
          {row.fork !== undefined && <span className="tag">fork</span>}
          {row.children !== undefined && (
            <span className={row.children.worst === "failed" ? "tag error" : row.children.worst === "waiting" ? "tag waiting" : "tag"}>
              {counted(row.children.count, "child run")}
            </span>
          )}
          <span className={row.task === undefined ? classes(css.task, "id") : css.task}>{row.task ?? row.id}</span>
        </Link>
      </td>
      <td role="cell" className={css.cWhy}>
        {now && (
          <span className={now.kind} title={now.words}>
            {now.words}
          </span>
        )}
      </td>
      <td role="cell" className={css.cTrig}>
        <Icon name={icon} kind="i-s dim" />
        <span>{words}</span>
      </td>
      <td role="cell" className={classes("num", css.cDur)}>
        {row.status === "queued" ? "–" : time}
      </td>
      <td role="cell" className={classes("num", css.cUsd)}>
        {usd(row.usage.usd)}
      </td>
      <td role="cell" className={classes("num", css.cAge)} title={fullTime(row.created)}>
        {old}
      </td>
    </tr>
  )
})
