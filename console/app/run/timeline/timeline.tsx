// The timeline: when each step was at work, and on what. The chosen step is unfolded into its turns and calls. Only rows near the view are drawn.

import { memo, useEffect, useMemo, useRef, useState } from "react"
import { duration } from "../../parts/figures.ts"
import { useWindow } from "../../parts/use-window.ts"
import { Icon } from "../../shell/icons.tsx"
import { axisOf, workOf, zeroOf, type Axis, type Stretch } from "../../../../web/run/axis.ts"
import { barsOf, splitOf, type BarKind, type Split } from "../../../../web/run/bars.ts"
import type { RunOutline } from "../../../../src/core/run/views/outline.ts"
import { useLongest, type Folds } from "./rows.ts"
import { AxisTrack, Gaps } from "./axis-track.tsx"
import { Scrubber } from "./scrubber.tsx"
import type { Selection } from "../selection.ts"
import { linesOf, passIn, rowLines, type TimeLine } from "./time-lines.tsx"
import { useItems } from "../map/use-items.ts"
import { stepIn, type ShownRun } from "../use-run.ts"
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
  const zero = zeroOf(story, now)
  const [span, setSpan] = useState<Stretch>()
  const axis = useMemo(
    () => axisOf({ zero, from: span?.from ?? zero, until: span?.to ?? Math.max(zero, until), work: workOf(story, end) }),
    [story, version, zero, until, end, span],
  )
  const { path: longest, isMarked } = useLongest(shown, end)
  const path = useMemo(() => longest.filter(({ begun }) => begun >= zero), [longest, zero])
  const rows = useMemo(
    () => rowLines({ shown, pane: selection.pane, folds, end, isMarked }),
    // The story is one object that is told further: `version` says when.
    [shown, version, selection.pane, folds.rows, end, isMarked],
  )
  const items = useItems(shown, chosen ?? "", chosen === undefined ? undefined : passIn(stepIn(story, chosen).passes, selection))
  const lines = useMemo(() => linesOf(rows, { chosen, items }, selection, end), [rows, chosen, selection, end, items])
  const { from, to } = useWindow(body, lines.length, ROW, box)
  const chosenAt = lines.findIndex(({ level, isChosen }) => level === 1 && isChosen)
  useEffect(() => {
    const view = box.current
    if (chosenAt < 0 || !view) return
    const top = chosenAt * ROW
    if (top < view.scrollTop) view.scrollTop = top
    else if (top + 3 * ROW > view.scrollTop + view.clientHeight) view.scrollTop = top - view.clientHeight / 3
  }, [chosen, chosenAt])
  const split = useMemo(() => splitOf(path, end, story.pauses), [path, end, story, version])
  const spent = Object.values(split).reduce((sum, ms) => sum + ms, 0)
  return (
    <div className={css.wf}>
      <div className={classes(css.w, css.axis)} aria-hidden="true">
        <span className={css.nm}>
          Step
          {span && (
            <button className="chip" type="button" tabIndex={-1} onClick={() => setSpan(undefined)}>
              Whole run
            </button>
          )}
        </span>
        <span className="num">Time</span>
        <span className={classes("num", css.cTok)}>Tokens</span>
        <span className={classes("num", css.cUsd)}>USD</span>
        <AxisTrack axis={axis} story={story} onSpan={setSpan} />
      </div>
      <div className={css.wfRows} ref={box}>
        <div role="treegrid" aria-label="Timeline" aria-rowcount={lines.length} ref={body}>
          {from > 0 && <div role="presentation" style={{ height: from * ROW }} />}
          {lines.slice(from, to).map((line, i) => (
            <Row key={line.key} line={line} at={from + i} axis={axis} end={end} />
          ))}
          {to < lines.length && <div role="presentation" style={{ height: (lines.length - to) * ROW }} />}
        </div>
        {graph.nodes.length === 0 && <p className={classes("dim", css.pad)}>Starts with the first step.</p>}
      </div>
      <Scrubber shown={shown} axis={axis} end={story.ended ?? end} />
      <p className={css.where}>
        <span>
          Longest path <b>{duration(spent)}</b>
        </span>
        <span className={css.wBar} aria-hidden="true">
          {PARTS.map(
            ([kind]) =>
              kind !== "idle" &&
              split[kind] > 0 && <span key={kind} className={classes(css.b, css[kind])} style={{ flexGrow: split[kind] }} />,
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
  ["wait", "waited"],
  ["paused", "paused"],
  ["idle", "between steps"],
] as const satisfies readonly (readonly [keyof Split, string])[]

/** The kinds of bars that the run has. */
export function Legend({ story }: { readonly story: RunOutline }) {
  const kinds = new Set([...story.steps.values()].flatMap(({ passes }) => passes.flatMap(barsOf)).map(({ kind }) => kind))
  return (
    <ul className={css.legend} aria-label="Kinds of work">
      {KINDS.filter(([kind]) => kinds.has(kind)).map(([kind, word]) => (
        <li key={kind}>
          <span className={classes(css.b, css[kind])}>{kind === "refused" && <Icon name="x" kind="i-s" />}</span>
          {word}
        </li>
      ))}
    </ul>
  )
}

const KINDS = [
  ["model", "model"],
  ["tool", "tool"],
  ["child", "child run"],
  ["person", "person"],
  ["wait", "signal or time"],
  ["refused", "refused"],
] as const satisfies readonly (readonly [BarKind, string])[]

const Row = memo(function Row({
  line,
  at,
  axis,
  end,
}: {
  readonly line: TimeLine
  readonly at: number
  readonly axis: Axis
  readonly end: number
}) {
  // Of a fork: all of it was done before.
  const isKept = line.bars.length > 0 && line.bars.every(({ to }) => to !== undefined && to < axis.zero)
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
      <span role="gridcell" className={css.track} aria-label={isKept ? `kept, ${line.title}` : line.title}>
        <Gaps axis={axis} />
        {isKept && <span className="dim">kept</span>}
        {line.bars.map((bar, i) => {
          const to = bar.to ?? end
          if (to < axis.from || bar.from > axis.until) return null
          const left = axis.place(Math.max(bar.from, axis.from))
          const width = axis.place(Math.min(to, axis.until)) - left
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
