// Two runs above each other on one axis: where they part first, then what each did, what it cost and what was different.

import { useEffect, useMemo, useState } from "react"
import type { Comparison } from "../../../src/api/doc/trust.doc.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
import { outlineOf } from "../../../src/core/run/views/read-outline.ts"
import { visible } from "../../../web/chat/wording.ts"
import { foldsOf, sideBySide, type ComparedRun } from "../../../web/run/side-by-side.ts"
import { counted } from "../parts/figures.ts"
import { StatusMark } from "../parts/status.tsx"
import { useAsked } from "../parts/asked.ts"
import { Icon } from "../shell/icons.tsx"
import { useKeys } from "../shell/keys.ts"
import { Link } from "../shell/link.tsx"
import { addressOf, go } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { titled } from "../shell/title.ts"
import { classes } from "../parts/classes.ts"
import { ChangedValue } from "./compare/changed-value.tsx"
import { ComparedScores } from "./compare/compared-scores.tsx"
import { ComparedUsage } from "./compare/compared-usage.tsx"
import { OtherRun } from "./compare/other-run.tsx"
import { keyOf, SidePane, type PaneRow } from "./compare/side-pane.tsx"
import css from "./compare.module.css"
import diffViewCss from "../parts/diff-view.module.css"

export function ComparePage({ api, run, other }: { readonly api: Api; readonly run: string; readonly other: string }) {
  const { value, fault } = useAsked(["run", "compared", run, other], async () => {
    const [a, b, found, ofA, ofB] = await Promise.all([
      api.runs.get(run),
      api.runs.get(other),
      api.runs.compare(run, other),
      api.runs.journal(run),
      api.runs.journal(other),
    ])
    return { a, b, found, ofA: comparedOf(ofA), ofB: comparedOf(ofB) }
  })
  const [isChoosing, setChoosing] = useState(false)
  const [given, setGiven] = useState<PaneRow>()
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const first = value?.found.first && value.found.steps.find((row) => keyOf(row) === keyOf(value.found.first ?? row))
  const row = given ?? first ?? undefined
  const sides = useMemo(() => value && sideBySide(value.ofA, value.ofB, value.found.steps, first ?? undefined), [value, first])
  const folds = useMemo(() => foldsOf(value?.found.steps ?? []), [value])
  const swap = (): void => go(addressOf("runs", other, "compare", run), "replace")
  const next = (): void => {
    const rows = (value?.found.steps ?? []).filter(({ same }) => !same)
    const to = rows[(rows.findIndex((one) => one === row) + 1) % Math.max(1, rows.length)]
    if (to === undefined) return
    setGiven(to)
    const node = document.querySelector<HTMLElement>(`[data-differs="${CSS.escape(keyOf(to))}"]`)
    node?.focus()
    node?.scrollIntoView({ block: "nearest" })
  }
  useKeys("compare", { swap, next, other: () => value && setChoosing(true) })
  useEffect(() => titled("Compare"), [])
  const toggle = (fold: string): void =>
    setOpen((before) => new Set(before.has(fold) ? [...before].filter((one) => one !== fold) : [...before, fold]))
  const both = sides && { folds, parts: sides.parts, chosen: row && keyOf(row), open, onToggle: toggle, onChoose: setGiven }
  return (
    <main id="main">
      <div className={classes("page", css.cmp)}>
        <div className="page-head">
          <Link className="link" href={addressOf("runs")}>
            Runs
          </Link>
          <span className="dim">/</span>
          <h1>Compare</h1>
          {value && <span className="mid cut">{value.a.flow === value.b.flow ? value.a.flow : `${value.a.flow} and ${value.b.flow}`}</span>}
          <span className="grow" />
          <button className="btn" type="button" onClick={next}>
            Next difference <kbd>N</kbd>
          </button>
          <button className="btn" type="button" onClick={swap}>
            Swap <kbd>W</kbd>
          </button>
          <button className="btn" type="button" onClick={() => value && setChoosing(true)}>
            Other run <kbd>O</kbd>
          </button>
        </div>
        {fault !== undefined && (
          <p className="note failed" role="alert">
            <Icon name="failed" />
            <span>{fault}</span>
          </p>
        )}
        {value === undefined && fault === undefined && <p className="dim late">Reading both runs.</p>}
        {value && sides && both && (
          <>
            <p className="mid">{sumOf(value.found)}</p>
            <SidePane letter="A" view={value.a} side={sides.a} other={sides.b} {...both} />
            <SidePane letter="B" view={value.b} side={sides.b} other={sides.a} {...both} />
            {row && <Difference row={row} isFirst={row === first} />}
            <ComparedScores found={value.found} />
            <ComparedUsage {...value} />
            <Outputs found={value.found} />
            <Definitions found={value.found} />
            {isChoosing && <OtherRun api={api} run={value.a} onClose={() => setChoosing(false)} />}
          </>
        )}
      </div>
    </main>
  )
}

/** A fork goes on after the event that it was made from. */
function comparedOf(events: readonly RunEvent[]): ComparedRun {
  const forked = events.findLast((event) => event.type === "run.forked")
  return { story: outlineOf(events), source: forked?.source.at }
}

function sumOf({ common, steps, first }: Comparison): string {
  if (first === null) return "Every step is the same in both."
  const count = (pick: (row: PaneRow) => boolean): number => steps.filter(pick).length
  const parts = [
    [count(({ same }) => same), "alike"],
    [count(({ same, a, b }) => !same && a !== null && b !== null), "changed"],
    [count(({ b, same }) => !same && b === null), "only in A"],
    [count(({ a, same }) => !same && a === null), "only in B"],
  ] as const
  const told = parts.flatMap(([many, word]) => (many === 0 ? [] : [`${many} ${word}`]))
  const start = common === null ? "They" : `Identical up to event ${common.seq}; they`
  return `${start} diverge at ${first.step}${first.pass > 1 ? `, pass ${first.pass}` : ""}. ${counted(steps.length, "step")}: ${told.join(", ")}.`
}

function Difference({ row, isFirst }: { readonly row: PaneRow; readonly isFirst: boolean }) {
  const name = row.pass > 1 ? `${row.step}, pass ${row.pass}` : row.step
  const toldOf = (side: PaneRow["a"]): unknown =>
    side === null
      ? "This pass is not in it."
      : { ...(side.branch === undefined ? {} : { branch: side.branch }), summary: side.summary, outputs: side.outputs }
  return (
    <section className="panel" aria-label="Difference">
      <div className="panel-head">
        <h2 className="cut">
          {isFirst ? `The first difference: ${name}` : row.same ? `The same in both: ${name}` : `Difference: ${name}`}
        </h2>
      </div>
      <div className={css.two}>
        {([row.a, row.b] as const).map((side, i) => (
          <p className={classes("bar", css.sideH)} key={i}>
            <span className={i === 0 ? css.ab : classes(css.ab, css.b2)}>{i === 0 ? "A" : "B"}</span>
            {side === null ? <span className="dim">not in it</span> : <StatusMark status={side.status} kind="i-s" />}
            {side !== null && <span className="cut">{visible(side.summary)}</span>}
          </p>
        ))}
      </div>
      <ChangedValue name={name} a={toldOf(row.a)} b={toldOf(row.b)} />
    </section>
  )
}

function Outputs({ found: { output } }: { readonly found: Comparison }) {
  return (
    <section className="panel" aria-label="Output">
      <div className="panel-head">
        <h2>Output</h2>
        <span className="dim">{output.length === 0 ? "the same" : `${counted(output.length, "value differs", "values differ")}`}</span>
      </div>
      {output.slice(0, MAX_SHOWN).map(({ pointer, a, b }) => (
        <div key={pointer}>
          <h3 className={classes("mono", css.pointer)}>{pointer === "" ? "The whole output" : pointer}</h3>
          <ChangedValue name={pointer === "" ? "Output" : pointer} a={a} b={b} />
        </div>
      ))}
    </section>
  )
}

/** Values and definitions that are shown. */
const MAX_SHOWN = 50

function Definitions({ found: { definitions } }: { readonly found: Comparison }) {
  return (
    <section className="panel" aria-label="Definitions">
      <div className="panel-head">
        <h2>Definitions</h2>
        <span className="dim">{definitions.length === 0 ? "the same" : counted(definitions.length, "differs", "differ")}</span>
      </div>
      {definitions.slice(0, MAX_SHOWN).map(({ path, diff }) => (
        <div className={css.fd} key={path}>
          <h3 className="mono">{path}</h3>
          {diff === null ? (
            <p className="dim">Its text cannot be shown: your key may not read definitions, or the text is lost.</p>
          ) : (
            <pre className={classes("code wrap", diffViewCss.diff)} tabIndex={0} role="region" aria-label={path}>
              {diff.split("\n").map((line, i) => (
                <span key={i} className={line.startsWith("+") ? diffViewCss.add : line.startsWith("-") ? diffViewCss.del : undefined}>
                  {visible(line)}
                  {"\n"}
                </span>
              ))}
            </pre>
          )}
        </div>
      ))}
    </section>
  )
}
