// The timeline: when each step was at work, and on what. The chosen step is unfolded into its turns and calls. Only rows near the view are drawn.

import { memo, useCallback, useEffect, useMemo, useRef, type ReactNode } from "react"
import { duration, tokens, usd } from "../parts/figures.ts"
import { StatusMark } from "../parts/status.tsx"
import { useWindow } from "../parts/use-window.ts"
import { Icon } from "../shell/icons.tsx"
import { barOf, barsOf, splitOf, type Bar } from "../../../web/run/bars.ts"
import { Scrubber } from "./scrubber.tsx"
import { select, type Selection } from "./selection.ts"
import type { Pass } from "../../../web/run/story.ts"
import { stepIn, type Shown } from "./use-run.ts"

interface Wish {
  readonly shown: Shown
  readonly selection: Selection
  /** The step that is unfolded. */
  readonly chosen: string | undefined
  readonly now: number
}

interface Line {
  readonly key: string
  readonly level: 1 | 2
  readonly name: ReactNode
  readonly title: string
  readonly time: string
  readonly tokens: string
  readonly usd: string
  readonly bars: readonly Bar[]
  readonly isChosen: boolean
  readonly isOff: boolean
  readonly act: () => void
}

const ROW = 24

export function Timeline({ shown, selection, chosen, now }: Wish) {
  const { story, graph, version } = shown
  const [box, body] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)]
  const end = Math.max(story.began + 1_000, story.ended ?? (shown.at === undefined ? now : story.at))
  const whole = useMemo(() => axisOf(end - story.began), [end, story.began])
  const lines = useMemo(
    () => linesOf(shown, selection, chosen, end),
    // The story is one object that is told further: `version` says when.
    [shown, version, selection, chosen, end],
  )
  const { from, to } = useWindow(body, lines.length, ROW, box)
  const chosenAt = lines.findIndex(({ level, isChosen }) => level === 1 && isChosen)
  useEffect(() => {
    const view = box.current
    if (chosenAt < 0 || !view) return
    const top = chosenAt * ROW
    if (top < view.scrollTop) view.scrollTop = top
    else if (top + 3 * ROW > view.scrollTop + view.clientHeight) view.scrollTop = top - view.clientHeight / 3
  }, [chosen, chosenAt])
  const split = useMemo(() => splitOf(story, end), [story, version, end])
  const place = useCallback((at: number): number => ((at - story.began) / whole.length) * 100, [story.began, whole.length])
  return (
    <div className="wf">
      <div className="w axis" aria-hidden="true">
        <span className="nm">Step</span>
        <span className="num">Time</span>
        <span className="num c-tok">Tokens</span>
        <span className="num c-usd">USD</span>
        <span className="track">
          {whole.marks.map((at) => (
            <i key={at} style={{ left: `${(at / whole.length) * 100}%` }}>
              {duration(at)}
            </i>
          ))}
        </span>
      </div>
      <div className="wf-rows" ref={box}>
        <div role="treegrid" aria-label="Timeline" aria-rowcount={lines.length} ref={body}>
          {from > 0 && <div role="presentation" style={{ height: from * ROW }} />}
          {lines.slice(from, to).map((line, i) => (
            <Row key={line.key} line={line} at={from + i} place={place} end={end} />
          ))}
          {to < lines.length && <div role="presentation" style={{ height: (lines.length - to) * ROW }} />}
        </div>
        {graph.nodes.length === 0 && <p className="dim pad">Starts with the first step.</p>}
      </div>
      <Scrubber shown={shown} place={place} end={story.ended ?? end} length={whole.length} />
      <p className="where">
        <b>{duration((story.ended ?? end) - story.began)}</b>
        <span className="w-bar" aria-hidden="true">
          {PARTS.map(([kind]) => split[kind] > 0 && <span key={kind} className={`b ${kind}`} style={{ flexGrow: split[kind] }} />)}
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
    <ul className="legend" aria-label="Kinds of work">
      {[["model", "model"] as const, ["tool", "tool"] as const, ["child", "child run"] as const, ["person", "person"] as const].map(
        ([kind, word]) => (
          <li key={kind}>
            <span className={`b ${kind}`} />
            {word}
          </li>
        ),
      )}
      <li>
        <span className="b refused">
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
  readonly line: Line
  readonly at: number
  readonly place: (at: number) => number
  readonly end: number
}) {
  return (
    <div
      role="row"
      className={`w${line.level === 2 ? " sub" : ""}${line.isChosen ? " sel" : ""}${line.isOff ? " off" : ""}`}
      aria-level={line.level}
      aria-rowindex={at + 1}
      aria-selected={line.isChosen}
      tabIndex={line.isChosen ? 0 : -1}
      onClick={line.act}
      onKeyDown={({ key }) => {
        if (key === "Enter") line.act()
      }}
    >
      <span role="gridcell" className="nm">
        {line.name}
      </span>
      <span role="gridcell" className="num">
        {line.time}
      </span>
      <span role="gridcell" className="num c-tok">
        {line.tokens}
      </span>
      <span role="gridcell" className="num c-usd">
        {line.usd}
      </span>
      <span role="gridcell" className="track" aria-label={line.title}>
        {line.bars.map((bar, i) => {
          const left = Math.max(0, place(bar.from))
          const width = Math.max(0, place(bar.to ?? end) - left)
          return (
            <span
              key={i}
              className={`b ${bar.kind}${bar.to === undefined ? " now" : ""}`}
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

function linesOf({ graph, story }: Shown, selection: Selection, chosen: string | undefined, end: number): Line[] {
  return graph.nodes.flatMap(({ id }): Line[] => {
    const step = stepIn(story, id)
    const { passes, status } = step
    const last = passes.at(-1)
    const asks = last?.asks.some(({ ended }) => ended === undefined) === true
    const isChosen = id === chosen
    const time = passes.reduce((sum, { begun, ended }) => sum + (ended ?? end) - begun, 0)
    const line: Line = {
      key: id,
      level: 1,
      name: (
        <>
          <StatusMark status={status} kind="i-s" />
          <span className="cut">{id}</span>
          {passes.length > 1 && <span className="tag">{passes.length} passes</span>}
          {last?.branch !== undefined && <span className="tag cut">{last.branch}</span>}
          {asks && <span className="tag waiting">asks you</span>}
          {(status === "error" || status === "blocked") && <span className="tag error">{status === "error" ? "failed" : "blocked"}</span>}
        </>
      ),
      title: last === undefined ? (status === "skipped" ? "skipped" : "to come") : `from ${duration(last.begun - story.began)}`,
      time: last === undefined ? "" : duration(time),
      tokens: last === undefined ? "" : tokens(passes.reduce((sum, one) => sum + one.tokens, 0)),
      usd: last === undefined ? "" : usd(sumOf(passes)),
      bars: passes.flatMap(barsOf),
      isChosen,
      isOff: last === undefined,
      act: () => select({ step: id, pane: selection.pane === "steps" ? undefined : selection.pane }),
    }
    const open = isChosen ? (passes.find(({ pass }) => pass === selection.pass) ?? last) : undefined
    return open === undefined ? [line] : [line, ...insideOf(open, selection, end)]
  })
}

const sumOf = (passes: readonly Pass[]): number | null =>
  passes.reduce<number | null>((sum, one) => (one.usd === null ? sum : (sum ?? 0) + one.usd), null)

function insideOf(pass: Pass, selection: Selection, end: number): Line[] {
  const none = { tokens: "", usd: "", isOff: false, level: 2 } as const
  const lines = pass.turns.flatMap((turn): Line[] => [
    {
      ...none,
      key: `${pass.pass} t${turn.turn}`,
      name: <span className="cut">turn {turn.turn + 1}</span>,
      title: `turn ${turn.turn + 1}, ${duration((turn.ended ?? end) - turn.begun)}`,
      time: duration((turn.ended ?? end) - turn.begun),
      tokens: turn.tokens > 0 ? tokens(turn.tokens) : "",
      usd: turn.usd === null ? "" : usd(turn.usd),
      bars: [{ kind: "model", from: turn.begun, to: turn.ended }],
      isChosen: selection.call === `t${turn.turn}`,
      act: () => select({ call: `t${turn.turn}`, tab: "messages" }),
    },
    ...turn.calls.map((call): Line => ({
      ...none,
      key: `${pass.pass} ${turn.turn} ${call.id}`,
      name: (
        <>
          <span className="cut mono">{call.tool}</span>
          {call.state !== "done" && call.state !== "running" && call.state !== "given" && (
            <span className={`tag ${call.state === "asks" ? "waiting" : "error"}`}>{call.state === "asks" ? "asks you" : call.state}</span>
          )}
        </>
      ),
      title: `${call.tool}, ${call.state}`,
      time: call.state === "refused" || call.state === "given" ? "–" : duration((call.ended ?? end) - call.begun),
      bars: call.state === "given" ? [] : [barOf(call)],
      isChosen: selection.call === call.id,
      act: () => select({ call: call.id, tab: "messages" }),
    })),
  ])
  const works = pass.works.map((work): Line => ({
    ...none,
    key: `${pass.pass} w${work.seq}`,
    name: <span className="cut">{work.label}</span>,
    title: work.label,
    time: duration((work.ended ?? end) - work.begun),
    bars: [{ kind: work.kind === "child" ? "child" : "tool", from: work.begun, to: work.ended }],
    isChosen: false,
    act: () => select({ tab: "messages" }),
  }))
  return [...lines, ...works]
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400, 172_800, 604_800].map(
  (seconds) => seconds * 1_000,
)

/** At most seven marks, and some room at the end. */
function axisOf(ms: number): { readonly length: number; readonly marks: readonly number[] } {
  const step = STEPS.find((one) => ms / one <= 6) ?? Math.ceil(ms / 6)
  const length = Math.max(step, ms * 1.04)
  return { length, marks: Array.from({ length: Math.floor(length / step) + 1 }, (_, i) => i * step) }
}
