// The steps as a list: the graph's twin, on small screens. It says what the graph says: rounds of loops, steps side by side, what a fork keeps,
// and the longest path.

import { splitOf, type Split } from "../../../web/run/bars.ts"
import { childRunsOf, childRunsWords } from "../../../web/run/child-runs.ts"
import { roundWords } from "../../../web/run/rounds.ts"
import { openWait } from "../../../web/run/waits.ts"
import type { Pass } from "../../../src/core/run/views/outline.ts"
import { counted, duration } from "../parts/figures.ts"
import { StatusMark } from "../parts/status.tsx"
import { Icon } from "../shell/icons.tsx"
import { LongestMark } from "./timeline/longest-mark.tsx"
import { useLongest, type Folds, type RoundRow, type StepRow } from "./timeline/rows.ts"
import { select, type Selection } from "./selection.ts"
import type { ShownRun } from "./use-run.ts"
import { classes } from "../parts/classes.ts"
import css from "./timeline/timeline.module.css"

interface Props {
  readonly shown: ShownRun
  readonly selection: Selection
  readonly folds: Folds
  readonly chosen: string | undefined
  readonly kept: ReadonlySet<string>
  readonly now: number
  readonly onChoose: (step: string) => void
}

export function StepsList({ shown, selection, folds, chosen, kept, now, onChoose }: Props) {
  const end = shown.story.ended ?? (shown.at === undefined ? now : shown.story.at)
  const { isMarked } = useLongest(shown, end)
  return (
    <ul className={css.twin} aria-label="Steps">
      {folds.rows.map((row) => (
        <li key={`${row.kind} ${row.key}`}>
          {row.kind === "round" ? (
            <RoundItem row={row} end={end} onToggle={() => folds.toggle(row.key)} />
          ) : (
            <StepItem
              row={row}
              isChosen={row.id === chosen && (row.isPast ? row.passes.some(({ pass }) => pass === selection.pass) : true)}
              isKept={kept.has(row.id)}
              isLong={row.passes.some((pass) => isMarked.has(pass))}
              end={end}
              onChoose={() => {
                onChoose(row.id)
                const pass = row.passes.at(-1)?.pass
                if (row.isPast && pass !== undefined) select({ pass })
              }}
            />
          )}
        </li>
      ))}
    </ul>
  )
}

interface Item {
  readonly row: StepRow
  readonly isChosen: boolean
  readonly isKept: boolean
  readonly isLong: boolean
  readonly end: number
  readonly onChoose: () => void
}

function StepItem({ row: { id, passes, status, beside }, isChosen, isKept, isLong, end, onChoose }: Item) {
  const last = passes.at(-1)
  const asks = last?.asks.some(({ ended }) => ended === undefined)
  const runs = childRunsOf(last)
  return (
    <button
      className={classes(css.tw, isChosen && "sel", beside !== undefined && classes(css.par, css[beside]))}
      type="button"
      aria-current={isChosen ? "true" : undefined}
      onClick={onChoose}
    >
      <span className={css.rail} />
      <StatusMark status={status} isPatient={openWait(last) !== undefined} />
      <span className="cut">{id}</span>
      {passes.length > 1 && <span className="tag">pass {passes.length}</span>}
      {last?.cached !== undefined && <span className="tag">cached</span>}
      {isKept && <span className="tag complete">kept</span>}
      {isLong && <LongestMark />}
      {asks === true && <span className="tag waiting">asks you</span>}
      {last?.paced !== undefined && last.ended === undefined && <span className="tag">waits for its turn</span>}
      {runs.count > 1 && <span className="dim small nowrap">{childRunsWords(runs)}</span>}
      <span className="num dim">
        {last === undefined ? (status === "skipped" ? "skipped" : "to come") : duration((last.ended ?? end) - last.begun)}
      </span>
    </button>
  )
}

function RoundItem({
  row: { loop, round, passes, isOpen },
  end,
  onToggle,
}: {
  readonly row: RoundRow
  readonly end: number
  readonly onToggle: () => void
}) {
  const isFailed = passes.some(({ status }) => status === "error" || status === "blocked")
  return (
    <button className={classes(css.tw, "round")} type="button" aria-expanded={isOpen} onClick={onToggle}>
      <Icon name={isOpen ? "down" : "right"} kind="i-s dim" />
      <StatusMark status={round.isOver ? (isFailed ? "error" : "complete") : "running"} />
      <b className="cut nowrap">{`Pass${roundWords(round.no, round.isOver ? { most: undefined } : loop).slice(4)}`}</b>
      {!isOpen && <span className="dim nowrap">{counted(round.passes.size, "step")}</span>}
      {!isOpen && <SplitBar passes={passes} end={end} />}
      <span className="num dim">{duration(passes.reduce((sum, { begun, ended }) => sum + (ended ?? end) - begun, 0))}</span>
    </button>
  )
}

const KINDS = ["model", "tool", "child", "person", "wait"] as const satisfies readonly (keyof Split)[]

function SplitBar({ passes, end }: { readonly passes: readonly Pass[]; readonly end: number }) {
  const split = splitOf(passes, end)
  return (
    <span className={css.twBar} aria-hidden="true">
      {KINDS.map((kind) => split[kind] > 0 && <span key={kind} className={classes(css.b, css[kind])} style={{ flexGrow: split[kind] }} />)}
    </span>
  )
}
