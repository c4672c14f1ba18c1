// What the timeline says in each row: a step, a round of a loop, and of the chosen step its turns and calls.

import { openWait } from "../../../../web/run/waits.ts"
import type { ReactNode } from "react"
import { counted, duration, tokens, usd } from "../../parts/figures.ts"
import { StatusMark } from "../../parts/status.tsx"
import { Icon } from "../../shell/icons.tsx"
import { visible } from "../../../../web/chat/wording.ts"
import { barOf, barsOf, WORK_BARS, type Bar } from "../../../../web/run/bars.ts"
import type { MapItem } from "../../../../web/run/map-items.ts"
import { roundWords } from "../../../../web/run/rounds.ts"
import type { Call, Pass } from "../../../../src/core/run/views/outline.ts"
import { itemKey } from "../map/use-items.ts"
import { LongestMark } from "./longest-mark.tsx"
import type { Folds, RoundRow, StepRow } from "./rows.ts"
import { select, type Selection } from "../selection.ts"
import type { ShownRun } from "../use-run.ts"
import { classes } from "../../parts/classes.ts"
import css from "./timeline.module.css"

export interface TimeLine {
  readonly key: string
  readonly level: 1 | 2
  /** More of its class. */
  readonly look?: string | undefined
  /** Of a row that folds. */
  readonly isOpen?: boolean
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

/** A row as it is whatever is chosen, and the step that it is of. */
export interface RowLine {
  readonly line: TimeLine
  readonly row: StepRow | undefined
}

interface Props {
  readonly shown: ShownRun
  readonly pane: Selection["pane"]
  readonly folds: Folds
  readonly end: number
  /** Passes on the longest path. */
  readonly isMarked: ReadonlySet<Pass>
}

export function rowLines({ shown: { story }, pane, folds, end, isMarked }: Props): RowLine[] {
  return folds.rows.map((row): RowLine => {
    if (row.kind === "round") return { line: roundLine(row, folds, story.began, end), row: undefined }
    const { id, passes, status } = row
    const last = passes.at(-1)
    const asks = last?.asks.some(({ ended }) => ended === undefined) === true
    const isLong = passes.some((pass) => isMarked.has(pass))
    const line: TimeLine = {
      key: row.key,
      level: 1,
      look: row.beside && classes(css.par, css[row.beside]),
      name: (
        <>
          <span className={css.rail} />
          <StatusMark status={status} kind="i-s" isPatient={openWait(last) !== undefined} />
          <span className="cut">{id}</span>
          {passes.length > 1 && <span className="tag">{passes.length} passes</span>}
          {last?.branch !== undefined && <span className="tag cut">{last.branch}</span>}
          {asks && <span className="tag waiting">asks you</span>}
          {(status === "error" || status === "blocked") && <span className="tag error">{status === "error" ? "failed" : "blocked"}</span>}
          {isLong && <LongestMark />}
        </>
      ),
      title: last === undefined ? (status === "skipped" ? "skipped" : "to come") : `from ${duration(last.begun - story.began)}`,
      ...figuresOf(passes, end),
      bars: passes.flatMap(barsOf),
      isChosen: false,
      isOff: last === undefined,
      act: () =>
        select({
          step: id,
          ...(row.isPast && last !== undefined ? { pass: last.pass } : {}),
          pane: pane === "steps" ? undefined : pane,
        }),
    }
    return { line, row }
  })
}

export interface OpenRows {
  /** The step that is unfolded. */
  readonly chosen: string | undefined
  /** Those of it, where it is a map. */
  readonly items: readonly MapItem[] | undefined
}

/** The rows with what is inside the chosen one. Every other row is the same object as before, so nothing of it is drawn again. */
export function linesOf(rows: readonly RowLine[], { chosen, items }: OpenRows, selection: Selection, end: number): TimeLine[] {
  return rows.flatMap(({ line, row }): TimeLine[] => {
    if (row === undefined || row.id !== chosen || !isOfPass(row, selection.pass)) return [line]
    const open = passIn(row.passes, selection)
    return [{ ...line, isChosen: true }, ...(open === undefined ? [] : insideOf(open, selection, end, items))]
  })
}

/** The one that is chosen, or the last. */
export const passIn = (passes: readonly Pass[], { pass }: Selection): Pass | undefined =>
  passes.find((one) => one.pass === pass) ?? passes.at(-1)

/** Of the rows of a step in a loop, the chosen one is that of the chosen pass; without one, that of now. */
const isOfPass = ({ passes, isPast }: StepRow, chosen: number | undefined): boolean =>
  chosen === undefined || passes.length === 0 ? !isPast : passes.some(({ pass }) => pass === chosen)

/** A round of a loop: its bars stay when it is folded. */
function roundLine({ key, loop, round, passes, isOpen }: RoundRow, folds: Folds, began: number, end: number): TimeLine {
  const isFailed = passes.some(({ status }) => status === "error" || status === "blocked")
  const status = round.isOver ? (isFailed ? "error" : "complete") : "running"
  return {
    key: `round ${key}`,
    level: 1,
    look: isOpen ? css.pass : undefined,
    isOpen,
    name: (
      <span className={css.fold}>
        <Icon name={isOpen ? "down" : "right"} kind="i-s dim" />
        <StatusMark status={status} kind="i-s" />
        <span className="cut">{capital(roundWords(round.no, round.isOver ? { most: undefined } : loop))}</span>
        {!isOpen && (
          <>
            <span className="tag">loop</span>
            <span className="dim cut">{counted(round.passes.size, "step")}</span>
          </>
        )}
      </span>
    ),
    title: `${roundWords(round.no, loop)} of the loop from ${loop.first}, from ${duration((passes[0]?.begun ?? began) - began)}`,
    ...figuresOf(passes, end),
    bars: isOpen ? [] : passes.flatMap(barsOf),
    isChosen: false,
    isOff: false,
    act: () => folds.toggle(key),
  }
}

const capital = (words: string): string => words.slice(0, 1).toUpperCase() + words.slice(1)

function figuresOf(passes: readonly Pass[], end: number): Pick<TimeLine, "time" | "tokens" | "usd"> {
  if (passes.length === 0) return { time: "", tokens: "", usd: "" }
  return {
    time: duration(passes.reduce((sum, { begun, ended }) => sum + (ended ?? end) - begun, 0)),
    tokens: tokens(passes.reduce((sum, one) => sum + one.tokens, 0)),
    usd: usd(sumOf(passes)),
  }
}

/** `3, invoices/march.pdf`; the place alone where the page does not know what the list holds. */
const itemWords = (item: MapItem | undefined, index: number): string =>
  item?.label === undefined ? `item ${index + 1}` : `${index + 1}, ${visible(item.label)}`

const sumOf = (passes: readonly Pass[]): number | null =>
  passes.reduce<number | null>((sum, one) => (one.usd === null ? sum : (sum ?? 0) + one.usd), null)

/** `items`: those of a map. */
function insideOf(pass: Pass, selection: Selection, end: number, items: readonly MapItem[] | undefined): TimeLine[] {
  const none = { tokens: "", usd: "", isOff: false, level: 2 } as const
  const lineOfCall = (call: Call, turn: number | string): TimeLine => ({
    ...none,
    key: `${pass.pass} ${turn} ${call.id}`,
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
  })
  const lines = pass.turns.flatMap((turn): TimeLine[] => [
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
    ...turn.calls.map((call) => lineOfCall(call, turn.turn)),
  ])
  const works = pass.works.map((work): TimeLine => {
    const item = items === undefined || work.index === undefined ? undefined : itemKey(work.index)
    const words = item === undefined ? work.label : itemWords(items?.[work.index ?? 0], work.index ?? 0)
    return {
      ...none,
      key: `${pass.pass} w${work.seq}`,
      name: (
        <>
          {item !== undefined && work.status !== undefined && <StatusMark status={work.status} kind="i-s" />}
          <span className="cut">{words}</span>
        </>
      ),
      title: words,
      time: duration((work.ended ?? end) - work.begun),
      bars: [{ kind: WORK_BARS[work.kind], from: work.begun, to: work.ended }],
      isChosen: item !== undefined && selection.call === item,
      act: () => select({ tab: "messages", ...(item === undefined ? {} : { call: item }) }),
    }
  })
  return [...lines, ...pass.calls.map((call) => lineOfCall(call, "own")), ...works]
}
