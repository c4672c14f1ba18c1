// The rows: a table on a wide screen, two lines or a card each on a smaller one. Only those near the view are drawn.

import { memo, useEffect, useMemo, useRef } from "react"
import { hasScores, shownScore } from "../../../web/runs/shown-score.ts"
import { age, counted, duration, fullTime, usd } from "../parts/figures.ts"
import { Status } from "../parts/status.tsx"
import { NARROW, SMALL, useMedia } from "../parts/use-media.ts"
import { useWindow } from "../parts/use-window.ts"
import { scoreWords } from "../../../web/quality/score-words.ts"
import { Score } from "../quality/score.tsx"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import { isPatient, nowOf, shownStatus, timeOf, triggerOf, isLive, type Row } from "./row.ts"
import { useHold } from "./use-hold.ts"
import { classes } from "../parts/classes.ts"
import css from "./runs.module.css"

interface Props {
  readonly rows: readonly Row[]
  /** Where the keys are. */
  readonly current: string | undefined
  /** Rows that something is to be done with; undefined: all. */
  readonly picked: ReadonlySet<string> | undefined
  /** Minutes and seconds move with it. */
  readonly now: number
  /** The id of a hook or schedule → what people call it. */
  readonly names: ReadonlyMap<string, string>
  /** The scorer that the list is filtered by. */
  readonly scorer: string | undefined
  readonly hasMore: boolean
  readonly onNear: () => void
  /** `isReach`: with Shift, from the last choice to this one. */
  readonly onPick: (id: string, isReach: boolean) => void
  readonly onPickAll: () => void
}

/** The list asks for more when so many rows are left below. */
const NEAR = 40
/** Tags that are shown of a run. */
const MOST_TAGS = 2

export function RunTable({ rows, current, picked, now, names, scorer, hasMore, onNear, onPick, onPickAll }: Props) {
  const [isNarrow, isSmall] = [useMedia(NARROW), useMedia(SMALL)]
  const height = isSmall ? 84 : isNarrow ? 60 : 36
  const body = useRef<HTMLTableSectionElement>(null)
  const { from, to } = useWindow(body, rows.length, height)
  useEffect(() => {
    if (hasMore && to > rows.length - NEAR) onNear()
  }, [hasMore, to, rows.length, onNear])
  const at = rows.findIndex(({ id }) => id === current)
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
  const hold = useHold((id) => onPick(id, false))
  const drawn = rows.slice(from, to)
  // One scale for all rows that are here.
  const longest = Math.max(1, ...rows.map((row) => (row.status === "queued" ? 0 : timeOf(row, isLive(row) ? now : 0))))
  const isScored = useMemo(() => scorer !== undefined || hasScores(rows), [scorer, rows])
  const isAll = picked === undefined || (rows.length > 0 && rows.every(({ id }) => picked.has(id)))
  return (
    <table role="table" aria-label="Runs" aria-rowcount={hasMore ? -1 : rows.length + 1} {...hold}>
      <thead role="rowgroup">
        <tr role="row">
          <th role="columnheader" scope="col" className={css.cX}>
            <input type="checkbox" aria-label="Select all of these runs" checked={isAll} onChange={onPickAll} />
          </th>
          {(isScored ? SCORED_HEADS : HEADS).map(([name, kind]) => (
            <th key={name} role="columnheader" scope="col" className={kind}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup" ref={body}>
        {from > 0 && <Space height={from * height} />}
        {drawn.map((row, i) => {
          // A row that is over does not move with the clock.
          const took = row.status === "queued" ? undefined : timeOf(row, isLive(row) ? now : 0)
          return (
            <RunLine
              key={row.id}
              row={row}
              at={from + i}
              isCurrent={row.id === current}
              isPicked={picked === undefined || picked.has(row.id)}
              time={took === undefined ? "–" : duration(took)}
              share={took === undefined ? 0 : Math.round((took / longest) * 100)}
              old={age(Date.parse(row.created), now)}
              trigger={triggerOf(row, names)}
              isScored={isScored}
              scorer={scorer}
              onPick={onPick}
            />
          )
        })}
        {to < rows.length && <Space height={(rows.length - to) * height} />}
      </tbody>
    </table>
  )
}

const HEADS = [
  ["Status", css.cSt],
  ["Run", css.cRun],
  ["Now, or result", css.cWhy],
  ["Trigger", css.cTrig],
  ["Time", classes("num", css.cDur)],
  ["USD", classes("num", css.cUsd)],
  ["Age", classes("num", css.cAge)],
] as const

const SCORED_HEADS = [...HEADS.slice(0, 4), ["Score", css.cScore] as const, ...HEADS.slice(4)]

const Space = ({ height }: { readonly height: number }) => (
  <tr role="presentation" className={css.space} aria-hidden="true" style={{ height }}>
    <td colSpan={9} />
  </tr>
)

interface Line {
  readonly row: Row
  readonly at: number
  readonly isCurrent: boolean
  readonly isPicked: boolean
  readonly time: string
  /** Of the longest time, in percent. */
  readonly share: number
  readonly old: string
  readonly trigger: ReturnType<typeof triggerOf>
  readonly isScored: boolean
  readonly scorer: string | undefined
  readonly onPick: Props["onPick"]
}

/** What is made anew for each drawing, and is the same. */
const isSameLine = ({ trigger, ...before }: Line, { trigger: next, ...after }: Line): boolean =>
  trigger.icon === next.icon &&
  trigger.words === next.words &&
  Object.entries(before).every(([name, value]) => after[name as keyof typeof after] === value)

const RunLine = memo(function RunLine({ row, at, isCurrent, isPicked, time, share, old, trigger, isScored, scorer, onPick }: Line) {
  const score = isScored ? shownScore(row, scorer) : undefined
  const now = nowOf(row)
  const more = row.tags.length - MOST_TAGS
  return (
    <tr
      role="row"
      className={classes(isCurrent && "sel", isPicked && css.picked)}
      aria-current={isCurrent ? "true" : undefined}
      aria-rowindex={at + 2}
      data-at={at}
      data-run={row.id}
    >
      <td role="cell" className={css.cX}>
        <label>
          <input
            type="checkbox"
            aria-label={`Select ${row.task ?? row.id}`}
            checked={isPicked}
            onChange={() => undefined}
            onClick={({ shiftKey }) => onPick(row.id, shiftKey)}
          />
        </label>
      </td>
      <td role="cell" className={css.cSt}>
        <Status status={shownStatus(row)} isPatient={isPatient(row)} />
      </td>
      <td role="cell" className={css.cRun}>
        <Link className={css.runLink} href={addressOf("runs", row.id)}>
          <b>{row.flow}</b>
          {row.revision !== undefined && <span className={css.rev}>r{row.revision}</span>}
          {row.rehearsed && <span className="tag">rehearsed</span>}
          {row.effects !== undefined && row.effects !== "live" && (
            <span className="tag">{row.effects === "dry" ? "simulated" : "held"}</span>
          )}
          {score && (
            <span className={classes("tag", css.scoreTag)}>
              {score.scorer} {scoreWords(score.score)}
            </span>
          )}
          {row.fork !== undefined && <span className="tag">fork</span>}
          {row.children !== undefined && (
            <span className={row.children.worst === "failed" ? "tag error" : row.children.worst === "waiting" ? "tag waiting" : "tag"}>
              {counted(row.children.count, "child run")}
            </span>
          )}
          <span className={row.task === undefined ? classes(css.task, "id") : css.task} dir="auto">
            {row.task ?? row.id}
          </span>
          {row.tags.slice(0, MOST_TAGS).map((tag) => (
            <span key={tag} className={classes("tag", css.label)} title={tag}>
              {tag}
            </span>
          ))}
          {more > 0 && (
            <span className={classes("tag", css.label)} title={row.tags.slice(MOST_TAGS).join(", ")}>
              +{more}
            </span>
          )}
        </Link>
      </td>
      <td role="cell" className={css.cWhy}>
        {now && (
          <span className={now.kind} title={now.words} dir="auto">
            {now.words}
          </span>
        )}
      </td>
      <td role="cell" className={css.cTrig} title={trigger.words}>
        <Icon name={trigger.icon} kind="i-s dim" />
        <span>{trigger.words}</span>
      </td>
      {isScored && (
        <td role="cell" className={css.cScore} title={score?.all}>
          {score && (
            <>
              <Score score={score.score} />
              <span className="dim cut">{score.scorer}</span>
            </>
          )}
        </td>
      )}
      <td role="cell" className={classes("num", css.cDur)}>
        {time}
        {share > 0 && <i style={{ width: `${share}%` }} />}
      </td>
      <td role="cell" className={classes("num", css.cUsd)}>
        {usd(row.usage.usd)}
      </td>
      <td role="cell" className={classes("num", css.cAge)} title={fullTime(row.created)}>
        {old}
      </td>
    </tr>
  )
}, isSameLine)
