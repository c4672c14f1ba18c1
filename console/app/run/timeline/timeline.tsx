// The timeline: when each step was at work, and on what. The chosen step is unfolded into its turns and calls. Only rows near the view are drawn.

import { memo, useCallback, useEffect, useMemo, useRef } from "react"
import { duration } from "../../parts/figures.ts"
import { useWindow } from "../../parts/use-window.ts"
import { Icon } from "../../shell/icons.tsx"
import { splitOf } from "../../../../web/run/bars.ts"
import { useLongest, type Folds } from "./rows.ts"
import { Scrubber } from "./scrubber.tsx"
import type { Selection } from "../selection.ts"
import { linesOf, rowLines, type TimeLine } from "./time-lines.tsx"
import type { ShownRun } from "../use-run.ts"
import { classes } from "../../parts/classes.ts"
import css from "./timeline.module.css"

interface Props {
  readonly shown: ShownRun
  readonly selection: Selection
  readonly folds: Folds
  /** The step that is unfolded. */
  readonly chosen: string | undefined
  readonly now: number
}

const ROW = 24

export function Timeline({ shown, selection, folds, chosen, now }: Props) {
  const { story, graph, version } = shown
  const [box, body] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)]
  const end = Math.max(story.began, story.ended ?? (shown.at === undefined ? now : story.at))
  // At a past moment the axis is that of the whole run: the thumb can go on to what came later, and bars keep their places.
  const until = shown.at === undefined ? end : Math.max(end, shown.events.at(-1)?.at ?? end)
  const whole = useMemo(() => axisOf(until - story.began), [until, story.began])
  const { path, isMarked } = useLongest(shown, end)
  const rows = useMemo(
    () => rowLines({ shown, pane: selection.pane, folds, end, isMarked }),
    // The story is one object that is told further: `version` says when.
    [shown, version, selection.pane, folds.rows, end, isMarked],
  )
  const lines = useMemo(() => linesOf(rows, chosen, selection, end), [rows, chosen, selection, end])
  const { from, to } = useWindow(body, lines.length, ROW, box)
  const chosenAt = lines.findIndex(({ level, isChosen }) => level === 1 && isChosen)
  useEffect(() => {
    const view = box.current
    if (chosenAt < 0 || !view) return
    const top = chosenAt * ROW
    if (top < view.scrollTop) view.scrollTop = top
    else if (top + 3 * ROW > view.scrollTop + view.clientHeight) view.scrollTop = top - view.clientHeight / 3
  }, [chosen, chosenAt])
  const split = useMemo(() => splitOf(path, end), [path, end])
  const [from0, to0] = [path[0]?.begun ?? story.began, path.at(-1)?.ended ?? end]
  const place = useCallback((at: number): number => ((at - story.began) / whole.length) * 100, [story.began, whole.length])
  return (
    <div className={css.wf}>
      <div className={classes(css.w, css.axis)} aria-hidden="true">
        <span className={css.nm}>Step</span>
        <span className="num">Time</span>
        <span className={classes("num", css.cTok)}>Tokens</span>
        <span className={classes("num", css.cUsd)}>USD</span>
        <span className={css.track}>
          {whole.marks.map((at) => (
            <i key={at} style={{ left: `${(at / whole.length) * 100}%` }}>
              {duration(at)}
            </i>
          ))}
        </span>
      </div>
      <div className={css.wfRows} ref={box}>
        <div role="treegrid" aria-label="Timeline" aria-rowcount={lines.length} ref={body}>
          {from > 0 && <div role="presentation" style={{ height: from * ROW }} />}
          {lines.slice(from, to).map((line, i) => (
            <Row key={line.key} line={line} at={from + i} place={place} end={end} />
          ))}
          {to < lines.length && <div role="presentation" style={{ height: (lines.length - to) * ROW }} />}
        </div>
        {graph.nodes.length === 0 && <p className={classes("dim", css.pad)}>Starts with the first step.</p>}
      </div>
      <Scrubber shown={shown} place={place} end={story.ended ?? end} length={whole.length} />
      <p className={css.where}>
        <span>
          Longest path <b>{duration(to0 - from0)}</b>
        </span>
        <span className={css.wBar} aria-hidden="true">
          {PARTS.map(
            ([kind]) => split[kind] > 0 && <span key={kind} className={classes(css.b, css[kind])} style={{ flexGrow: split[kind] }} />,
          )}
        </span>
        {PARTS.map(
          ([kind, word]) =>
            split[kind] > 0 && (
              <span key={kind}>
                {word} <b>{duration(split[kind])}</b>
              </span>
            ),
        )}
      </p>
    </div>
  )
}

const PARTS = [
  ["model", "model"],
  ["tool", "tools"],
  ["child", "child runs"],
  ["person", "people"],
] as const

export function Legend() {
  return (
    <ul className={css.legend} aria-label="Kinds of work">
      {[["model", "model"] as const, ["tool", "tool"] as const, ["child", "child run"] as const, ["person", "person"] as const].map(
        ([kind, word]) => (
          <li key={kind}>
            <span className={classes(css.b, css[kind])} />
            {word}
          </li>
        ),
      )}
      <li>
        <span className={classes(css.b, css.refused)}>
          <Icon name="x" kind="i-s" />
        </span>
        refused
      </li>
    </ul>
  )
}

const Row = memo(function Row({
  line,
  at,
  place,
  end,
}: {
  readonly line: TimeLine
  readonly at: number
  readonly place: (at: number) => number
  readonly end: number
}) {
  return (
    <div
      role="row"
      className={classes(css.w, line.look, line.level === 2 && css.sub, line.isChosen && "sel", line.isOff && css.off)}
      aria-level={line.level}
      aria-expanded={line.isOpen}
      aria-rowindex={at + 1}
      aria-selected={line.isChosen}
      tabIndex={line.isChosen ? 0 : -1}
      onClick={line.act}
      onKeyDown={({ key }) => {
        if (key === "Enter") line.act()
      }}
    >
      <span role="gridcell" className={css.nm}>
        {line.name}
      </span>
      <span role="gridcell" className="num">
        {line.time}
      </span>
      <span role="gridcell" className={classes("num", css.cTok)}>
        {line.tokens}
      </span>
      <span role="gridcell" className={classes("num", css.cUsd)}>
        {line.usd}
      </span>
      <span role="gridcell" className={css.track} aria-label={line.title}>
        {line.bars.map((bar, i) => {
          const left = Math.max(0, place(bar.from))
          const width = Math.max(0, place(bar.to ?? end) - left)
          return (
            <span
              key={i}
              className={classes(css.b, css[bar.kind], bar.to === undefined && css.now)}
              style={{ left: `${left}%`, width: `max(3px, ${width}%)` }}
            >
              {bar.kind === "refused" && <Icon name="x" kind="i-s" />}
            </span>
          )
        })}
      </span>
    </div>
  )
})

/** In seconds: what lies between two marks. */
const STEPS = [
  0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400, 172_800,
  604_800,
].map((seconds) => seconds * 1_000)

/** At most seven marks, and some room at the end. */
function axisOf(ms: number): { readonly length: number; readonly marks: readonly number[] } {
  const step = STEPS.find((one) => ms / one <= 6) ?? Math.ceil(ms / 6)
  const length = Math.max(step, ms * 1.04)
  return { length, marks: Array.from({ length: Math.floor(length / step) + 1 }, (_, i) => i * step) }
}
