// Shows one of two compared runs as a timeline: a row for each step of both, equal ones folded, and the dashed line where the two part.

import type { Comparison } from "../../../../src/api/doc/trust.doc.ts"
import type { RunView } from "../../../../src/core/run/views/view.ts"
import type { Pass } from "../../../../src/core/run/views/outline.ts"
import type { Fold, Side } from "../../../../web/run/side-by-side.ts"
import { classes } from "../../parts/classes.ts"
import { counted, duration, money, tokens, usd } from "../../parts/figures.ts"
import { lookOf, StatusMark } from "../../parts/status.tsx"
import { Link } from "../../shell/link.tsx"
import { addressOf } from "../../shell/place.ts"
import css from "../compare.module.css"
import timelineCss from "../timeline/timeline.module.css"

export type PaneRow = Comparison["steps"][number]
export const keyOf = ({ step, pass }: Pick<PaneRow, "step" | "pass">): string => `${step} ${pass}`

interface Props {
  readonly letter: "A" | "B"
  readonly view: RunView
  readonly side: Side
  readonly other: Side
  readonly folds: readonly Fold<PaneRow>[]
  /** In percent. */
  readonly parts: number | undefined
  readonly chosen: string | undefined
  readonly open: ReadonlySet<string>
  readonly onToggle: (fold: string) => void
  readonly onChoose: (row: PaneRow) => void
}

export function SidePane({ letter, view, side, other, folds, parts, chosen, open, onToggle, onChoose }: Props) {
  const revision = view.pinned["revision"]
  return (
    <section className="panel" aria-label={`Run ${letter}`}>
      <div className="panel-head">
        <span className={letter === "A" ? css.ab : classes(css.ab, css.b2)}>{letter}</span>
        <h2 className="nowrap">
          {typeof revision === "number" && `r${revision}, `}
          {lookOf(view.status).word.toLowerCase()}
        </h2>
        <Link className={classes("link id", css.runId)} href={addressOf("runs", view.id)}>
          {view.id}
        </Link>
        <span className="grow" />
        <b className="nowrap">{duration(side.took)}</b>
        {view.usage.usd !== null && <b className="nowrap">{money(view.usage.usd)}</b>}
      </div>
      <div className={timelineCss.wf} role="table" aria-label={`Timeline of ${letter}`}>
        <div className={classes(timelineCss.w, timelineCss.axis)} role="row">
          <span className={timelineCss.nm} role="columnheader">
            Step
          </span>
          <span className="num" role="columnheader">
            Time
          </span>
          <span className={classes("num", timelineCss.cTok)} role="columnheader">
            Tokens
          </span>
          <span className={classes("num", timelineCss.cUsd)} role="columnheader">
            USD
          </span>
          <span className={timelineCss.track} role="columnheader" aria-label="When">
            {side.axis.marks
              .filter(({ at }) => at >= 0)
              .filter(
                ({ left }) =>
                  letter === "B" ||
                  parts === undefined ||
                  left < parts - (parts > RIGHT ? LABEL : 2) ||
                  left > parts + (parts > RIGHT ? 2 : LABEL),
              )
              .map(({ at, left }) => (
                <i key={at} style={{ left: `${left}%` }} aria-hidden="true">
                  {at === 0 ? "0:00" : duration(at)}
                </i>
              ))}
            <Parting at={parts} label={letter === "A"} />
          </span>
        </div>
        {folds.flatMap(({ key, pairs }) => {
          const [first] = pairs
          if (first === undefined) return []
          const isFold = pairs.length > 1
          const rows = pairs.map((row) => (
            <StepRow
              key={keyOf(row)}
              row={row}
              side={side}
              other={letter === "B" ? other : undefined}
              parts={parts}
              isChosen={keyOf(row) === chosen}
              href={`${addressOf("runs", view.id)}?step=${encodeURIComponent(row.step)}&pass=${row.pass}`}
              onChoose={() => onChoose(row)}
            />
          ))
          if (!isFold) return rows
          const isOpen = open.has(key)
          return [
            <div key={`fold ${key}`} className={classes(timelineCss.w, css.same)} role="row">
              <span className={timelineCss.nm} role="cell">
                <button className={css.fold} type="button" aria-expanded={isOpen} onClick={() => onToggle(key)}>
                  {counted(pairs.length, "step")} alike
                </button>
              </span>
              <Figures passes={pairs.flatMap((pair) => side.passOf(pair) ?? [])} />
              <Track side={side} parts={parts} bars={isOpen ? [] : pairs.flatMap((pair) => side.barsOf(pair))} />
            </div>,
            ...(isOpen ? rows : []),
          ]
        })}
      </div>
    </section>
  )
}

/** In percent: the room that the words at the line take; from where on they stand left of it. */
const [LABEL, RIGHT] = [16, 80]

interface RowProps {
  readonly row: PaneRow
  readonly side: Side
  /** Of B: that with which its times are compared. */
  readonly other: Side | undefined
  readonly parts: number | undefined
  readonly isChosen: boolean
  readonly href: string
  readonly onChoose: () => void
}

function StepRow({ row, side, other, parts, isChosen, href, onChoose }: RowProps) {
  const pass = side.passOf(row)
  const more = pass && other ? moreThan(pass, other.passOf(row)) : undefined
  return (
    <div
      className={classes(timelineCss.w, isChosen && "sel", pass === undefined && timelineCss.off)}
      role="row"
      aria-selected={isChosen}
      {...(row.same ? {} : { "data-differs": keyOf(row), tabIndex: -1 })}
      onClick={onChoose}
    >
      <span className={timelineCss.nm} role="cell">
        <StatusMark status={pass?.status ?? "skipped"} kind="i-s" />
        {pass === undefined ? (
          <span className="cut">{nameOf(row)}</span>
        ) : (
          <Link className={classes("link cut", css.step)} href={href}>
            {nameOf(row)}
          </Link>
        )}
        {more !== undefined && (
          <span className={classes("tag", more > 0 && "error")}>{`${more > 0 ? "+" : "−"}${duration(Math.abs(more))}`}</span>
        )}
      </span>
      <Figures passes={pass === undefined ? [] : [pass]} />
      <Track side={side} parts={parts} bars={side.barsOf(row)} />
    </div>
  )
}

const nameOf = ({ step, pass }: PaneRow): string => (pass > 1 ? `${step}, pass ${pass}` : step)

/** In ms, and as a share: less is noise. */
const [LEAST_MORE, LEAST_SHARE] = [1_000, 0.1]

function moreThan(pass: Pass, other: Pass | undefined): number | undefined {
  if (pass.ended === undefined || other?.ended === undefined) return undefined
  const [mine, theirs] = [pass.ended - pass.begun, other.ended - other.begun]
  return Math.abs(mine - theirs) >= Math.max(LEAST_MORE, LEAST_SHARE * theirs) ? mine - theirs : undefined
}

function Figures({ passes }: { readonly passes: readonly Pass[] }) {
  const sum = (of: (pass: Pass) => number): number => passes.reduce((all, pass) => all + of(pass), 0)
  const isNone = passes.length === 0
  const cost = passes.every((pass) => pass.usd === null) ? null : sum((pass) => pass.usd ?? 0)
  return (
    <>
      <span className="num" role="cell">
        {isNone ? "–" : duration(spanOf(passes))}
      </span>
      <span className={classes("num", timelineCss.cTok)} role="cell">
        {isNone ? "–" : tokens(sum((pass) => pass.tokens))}
      </span>
      <span className={classes("num", timelineCss.cUsd)} role="cell">
        {usd(cost)}
      </span>
    </>
  )
}

/** Steps side by side count once. */
const spanOf = (passes: readonly Pass[]): number =>
  Math.max(...passes.map(({ begun, ended }) => ended ?? begun)) - Math.min(...passes.map(({ begun }) => begun))

interface TrackProps {
  readonly side: Side
  readonly parts: number | undefined
  readonly bars: ReturnType<Side["barsOf"]>
}

const Track = ({ side: { axis }, parts, bars }: TrackProps) => (
  <span className={timelineCss.track} role="cell">
    <Parting at={parts} />
    {axis.gaps.map(({ from, left, width }) => (
      <span key={from} className={timelineCss.gapGround} style={{ left: `${left}%`, width: `${width}%` }} />
    ))}
    {bars.map(({ kind, from, to = axis.until }, i) => {
      const left = axis.place(from)
      return (
        <span
          key={i}
          className={classes(timelineCss.b, timelineCss[kind])}
          style={{ left: `${left}%`, width: `max(3px, ${axis.place(to) - left}%)` }}
        />
      )
    })}
  </span>
)

const Parting = ({ at, label = false }: { readonly at: number | undefined; readonly label?: boolean }) =>
  at === undefined ? null : (
    <span className={classes(css.parting, at > RIGHT && css.left)} style={{ left: `${at}%` }}>
      {label && <span>from here they differ</span>}
    </span>
  )
