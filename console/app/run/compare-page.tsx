// Two runs side by side: where they part first, then their steps, definitions, outputs and usage.

import { useEffect, useState } from "react"
import type { Comparison } from "../../../src/api/doc/trust.doc.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"
import { visible } from "../../../web/chat/wording.ts"
import { Code } from "../parts/code.tsx"
import { counted, duration, fullTime, usd } from "../parts/figures.ts"
import { Status, StatusMark } from "../parts/status.tsx"
import { useAsked } from "../parts/asked.ts"
import { Icon } from "../shell/icons.tsx"
import { useKeys } from "../shell/keys.ts"
import { Link } from "../shell/link.tsx"
import { addressOf, go } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { titled } from "../shell/title.ts"
import { classes } from "../parts/classes.ts"
import css from "./compare.module.css"
import diffViewCss from "../parts/diff-view.module.css"

type Row = Comparison["steps"][number]

export function ComparePage({ api, run, other }: { readonly api: Api; readonly run: string; readonly other: string }) {
  const { value, fault } = useAsked(["run", "compared", run, other], async () => {
    const [a, b, found] = await Promise.all([api.runs.get(run), api.runs.get(other), api.runs.compare(run, other)])
    return { a, b, found }
  })
  const [isOnly, setOnly] = useState(false)
  const swap = (): void => go(addressOf("runs", other, "compare", run), "replace")
  const next = (): void => {
    const rows = [...document.querySelectorAll<HTMLElement>("tr[data-differs]")]
    const here = rows.findIndex((row) => row === document.activeElement)
    const to = rows[(here + 1) % Math.max(1, rows.length)]
    to?.focus()
    to?.scrollIntoView({ block: "center" })
  }
  useKeys("compare", { swap, next })
  useEffect(() => titled("Compare"), [])
  return (
    <main id="main">
      <div className={classes("page", css.cmp)}>
        <div className="page-head">
          <Link className="link" href={addressOf("runs")}>
            Runs
          </Link>
          <span className="dim">/</span>
          <h1>Compare</h1>
          <span className="grow" />
          <button className="btn" type="button" onClick={swap}>
            Swap <kbd>W</kbd>
          </button>
        </div>
        {fault !== undefined && (
          <p className="note failed" role="alert">
            <Icon name="failed" />
            <span>{fault}</span>
          </p>
        )}
        {value === undefined && fault === undefined && <p className="dim">Reading both runs.</p>}
        {value && (
          <>
            <section className="panel" aria-label="The two runs">
              <div className={css.two}>
                <Side view={value.a} letter="A" />
                <Side view={value.b} letter="B" />
              </div>
              <p className={css.common}>
                <span className="mid grow">{sumOf(value.found)}</span>
                <button className="btn bare" type="button" onClick={next}>
                  Next difference <kbd>N</kbd>
                </button>
              </p>
            </section>
            <First found={value.found} a={value.a} b={value.b} />
            <section className="panel" aria-label="Steps">
              <div className="panel-head">
                <h2>Steps</h2>
                <span className="grow" />
                <button className="chip" type="button" aria-pressed={isOnly} onClick={() => setOnly(!isOnly)}>
                  Differences only
                </button>
              </div>
              <Steps rows={value.found.steps.filter(({ same }) => !isOnly || !same)} a={run} b={other} />
            </section>
            <Usage found={value.found} />
            <Outputs found={value.found} />
            <Definitions found={value.found} />
          </>
        )}
      </div>
    </main>
  )
}

function Side({ view, letter }: { readonly view: RunView; readonly letter: "A" | "B" }) {
  const revision = view.pinned["revision"]
  return (
    <div className={css.sideH}>
      <p className="bar">
        <span className={letter === "A" ? css.ab : classes(css.ab, css.b2)}>{letter}</span>
        <Status status={view.status} />
        <b>{view.flow}</b>
        {typeof revision === "number" && <span className="dim">r{revision}</span>}
        <Link className="link id" href={addressOf("runs", view.id)}>
          {view.id}
        </Link>
      </p>
      <p className="mid cut">{visible(view.task.slice(0, 200))}</p>
      <p className="dim small">
        {fullTime(view.created)}
        {view.ended !== undefined && `, ${duration(Date.parse(view.ended) - Date.parse(view.created))}`}, {usd(view.usage.usd)} USD
        {view.fork && `, fork at event ${view.fork.seq}`}
      </p>
    </div>
  )
}

function sumOf({ common, steps, first }: Comparison): string {
  if (first === null) return "The same in every step."
  const count = (pick: (row: Row) => boolean): number => steps.filter(pick).length
  const parts = [
    `${counted(
      count(({ same }) => same),
      "step is",
      "steps are",
    )} the same`,
    `${count(({ same, a, b }) => !same && a !== null && b !== null)} changed`,
    `${count(({ b, same }) => !same && b === null)} only in A`,
    `${count(({ a, same }) => !same && a === null)} only in B`,
  ]
  const start = common === null ? "" : `The journals are one up to event ${common.seq}. `
  return `${start}They part at ${first.step}${first.pass > 1 ? `, pass ${first.pass}` : ""}: ${parts.join(", ")}.`
}

function First({ found, a, b }: { readonly found: Comparison; readonly a: RunView; readonly b: RunView }) {
  const row = found.first && found.steps.find(({ step, pass }) => step === found.first?.step && pass === found.first.pass)
  if (!row) return null
  return (
    <section className="panel" aria-label="First difference">
      <div className="panel-head">
        <h2 className="nowrap">First difference</h2>
        <span className="dim cut">
          {row.step}
          {row.pass > 1 && `, pass ${row.pass}`}
        </span>
      </div>
      <div className={css.two}>
        {(["a", "b"] as const).map((side) => {
          const what = row[side]
          return (
            <div className={css.fd} key={side}>
              <h3>
                {side.toUpperCase()}{" "}
                <Link
                  className="link"
                  href={`${addressOf("runs", side === "a" ? a.id : b.id)}?step=${encodeURIComponent(row.step)}&pass=${row.pass}`}
                >
                  open
                </Link>
              </h3>
              {what === null ? (
                <p className="dim">This pass is not in it.</p>
              ) : (
                <>
                  <p>
                    <StatusMark status={what.status} kind="i-s inl" /> {visible(what.summary)}
                  </p>
                  <Code
                    value={{ ...(what.branch === undefined ? {} : { branch: what.branch }), outputs: what.outputs }}
                    label={`Outputs of ${side.toUpperCase()}`}
                  />
                </>
              )}
            </div>
          )
        })}
      </div>
    </section>
  )
}

const changeOf = ({ same, a, b }: Row): readonly [string, string] =>
  same ? ["=", "same"] : a === null ? ["+", "only in B"] : b === null ? ["−", "only in A"] : ["≠", "changed"]

function Steps({ rows, a, b }: { readonly rows: readonly Row[]; readonly a: string; readonly b: string }) {
  const link = (run: string, { step, pass }: Row): string => `${addressOf("runs", run)}?step=${encodeURIComponent(step)}&pass=${pass}`
  return (
    <table className="tbl">
      <thead>
        <tr>
          <th scope="col">Step</th>
          <th scope="col" className={classes("num", css.optS)}>
            Pass
          </th>
          <th scope="col">Result</th>
          <th scope="col">A</th>
          <th scope="col">B</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const [sign, word] = changeOf(row)
          return (
            <tr key={`${row.step} ${row.pass}`} {...(row.same ? {} : { "data-differs": "", tabIndex: -1 })}>
              <th scope="row">
                {row.step}
                {row.pass > 1 && <span className={classes("dim", css.onlyS)}> pass {row.pass}</span>}
              </th>
              <td className={classes("num dim", css.optS)}>{row.pass}</td>
              <td className={row.same ? "dim nowrap" : classes(css.chg, "nowrap")}>
                <span aria-hidden="true">{sign}</span> {word}
              </td>
              <td>
                {row.a && (
                  <Link className="link" href={link(a, row)}>
                    <Status status={row.a.status} />
                  </Link>
                )}
              </td>
              <td>
                {row.b && (
                  <Link className="link" href={link(b, row)}>
                    <Status status={row.b.status} />
                  </Link>
                )}
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

function Usage({ found: { usage } }: { readonly found: Comparison }) {
  const { a, b } = usage
  const change = (from: number | null, to: number | null, digits: number): string =>
    from === null || to === null
      ? "–"
      : to === from
        ? "="
        : `${to > from ? "+" : "−"}${digits === 0 ? Math.abs(to - from).toLocaleString() : Math.abs(to - from).toFixed(digits)}`
  const rows = [
    ["USD", usd(a.usd), usd(b.usd), change(a.usd, b.usd, 3)],
    ["Tokens", a.tokens.toLocaleString(), b.tokens.toLocaleString(), change(a.tokens, b.tokens, 0)],
    ["Tool calls", a.tool_calls.toLocaleString(), b.tool_calls.toLocaleString(), change(a.tool_calls, b.tool_calls, 0)],
  ] as const
  return (
    <section className="panel" aria-label="Usage">
      <div className="panel-head">
        <h2>Usage</h2>
      </div>
      <table className="tbl">
        <thead>
          <tr>
            <th scope="col">
              <span className="vh">What</span>
            </th>
            <th scope="col" className="num">
              A
            </th>
            <th scope="col" className="num">
              B
            </th>
            <th scope="col" className="num">
              B against A
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, one, two, delta]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className="num">{one}</td>
              <td className="num">{two}</td>
              <td className="num">{delta}</td>
            </tr>
          ))}
        </tbody>
      </table>
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
        <div className={css.two} key={pointer}>
          <div className={css.fd}>
            <h3 className="mono">{pointer === "" ? "/" : pointer} in A</h3>
            <Code value={a} label={`${pointer} in A`} />
          </div>
          <div className={css.fd}>
            <h3 className="mono">{pointer === "" ? "/" : pointer} in B</h3>
            <Code value={b} label={`${pointer} in B`} />
          </div>
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
            <p className="dim">Its text is not to be read: the key lacks the scope catalog:read, or the text is lost.</p>
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
