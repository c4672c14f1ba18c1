// Flows: what there is, whether it can run, and how it last went.

import { useEffect, useRef, useState } from "react"
import { weighed } from "../../../web/flow/weighed.ts"
import { age, counted, fullTime } from "../parts/figures.ts"
import { Skeleton } from "../parts/skeleton.tsx"
import { Status } from "../parts/status.tsx"
import { useAsked } from "../parts/asked.ts"
import { useNow } from "../parts/use-now.ts"
import { Icon } from "../shell/icons.tsx"
import { useKeys } from "../shell/keys.ts"
import { Link } from "../shell/link.tsx"
import { addressOf, go, goQuery, useQuery } from "../shell/place.ts"
import { isPatient, shownStatus } from "../runs/row.ts"
import { useMay, type Api } from "../shell/session.ts"
import { titled } from "../shell/title.ts"
import { Drafts } from "./drafts.tsx"
import { keptDrafts } from "./kept-drafts.ts"
import { NewFlow } from "./new-flow.tsx"
import { flowRows, withDrafts, type FlowRow } from "./use-flow-rows.ts"
import { classes } from "../parts/classes.ts"
import cardTable from "../parts/card-table.module.css"
import css from "./flows-page.module.css"

export function FlowsPage({ api }: { readonly api: Api }) {
  const query = useQuery()
  const { value, fault, again } = useAsked(["catalog", "flow rows"], () => flowRows(api))
  const [words, setWords] = useState("")
  const [chosen, setChosen] = useState<string>()
  const field = useRef<HTMLInputElement>(null)
  const now = useNow(60_000)
  useEffect(() => titled("Flows"), [])
  const all = value && withDrafts(value, keptDrafts())
  const rows = all?.filter(({ id, description = "" }) => `${id} ${description}`.toLowerCase().includes(words.trim().toLowerCase()))
  const move = (by: number): void => {
    if (!rows || rows.length === 0) return
    const at = rows.findIndex(({ id }) => id === chosen)
    const to = rows[Math.max(0, Math.min(rows.length - 1, at < 0 ? 0 : at + by))]
    setChosen(to?.id)
    if (to) document.querySelector<HTMLElement>(`a[data-flow="${CSS.escape(to.id)}"]`)?.focus()
  }
  const mayWrite = useMay("catalog:write")
  const create = (): void => goQuery({ new: "1" }, "push")
  useKeys("list", {
    next: () => move(1),
    previous: () => move(-1),
    filter: () => field.current?.focus(),
    new: () => (mayWrite ? create() : false),
    open: () => (chosen === undefined || document.activeElement?.closest("a, button") ? false : go(addressOf("flows", chosen))),
  })
  return (
    <main id="main">
      <div className={classes("page", css.flows)}>
        <div className="page-head">
          <h1>Flows</h1>
          <span className="grow" />
          {mayWrite && (
            <button className="btn first" type="button" onClick={create}>
              <Icon name="plus" />
              New flow <kbd>N</kbd>
            </button>
          )}
        </div>
        <div className={css.fieldRow}>
          <input
            ref={field}
            className="input"
            type="search"
            aria-label="Filter flows"
            placeholder="Filter by name or description"
            value={words}
            onChange={({ target }) => setWords(target.value)}
          />
        </div>
        {fault !== undefined && (
          <p className="note failed" role="alert">
            <Icon name="failed" />
            <span>The flows could not be read. {fault}</span>
            <button className="btn" type="button" onClick={again}>
              Try again
            </button>
          </p>
        )}
        <Drafts api={api} />
        <section className="panel" aria-label="Flows">
          {rows === undefined && fault === undefined && <Skeleton words="Reading the flows" />}
          {rows !== undefined && rows.length > 0 && <FlowTable rows={rows} now={now} chosen={chosen} />}
          {rows?.length === 0 && <Empty isFiltered={words.trim() !== ""} onClear={() => setWords("")} onNew={create} />}
        </section>
      </div>
      {query.get("new") !== null && <NewFlow api={api} onClose={() => goQuery({ new: undefined })} />}
    </main>
  )
}

function Empty({ isFiltered, onClear, onNew }: { readonly isFiltered: boolean; readonly onClear: () => void; readonly onNew: () => void }) {
  return (
    <div className="empty-state">
      <p>{isFiltered ? "No matches." : "No flows yet. A flow lists its steps, who does each one, and what comes next."}</p>
      <button className="btn" type="button" onClick={isFiltered ? onClear : onNew}>
        {isFiltered ? "Clear filter" : "New flow"}
      </button>
    </div>
  )
}

interface TableProps {
  readonly rows: readonly FlowRow[]
  readonly now: number
  readonly chosen: string | undefined
}

function FlowTable({ rows, now, chosen }: TableProps) {
  return (
    <table className={classes("tbl", css.ftbl, cardTable.cards)}>
      <thead>
        <tr>
          <th scope="col">Flow</th>
          <th scope="col" className="num">
            Steps
          </th>
          <th scope="col">Problems</th>
          <th scope="col" className="num">
            Runs
          </th>
          <th scope="col">Last run</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ id, tier, description, steps, diagnostics, runs, last, package: from, unsaved }) => {
          const { errors, warnings, silenced } = weighed(diagnostics)
          return (
            <tr key={id} className={id === chosen ? "sel" : undefined} aria-current={id === chosen ? "true" : undefined}>
              <th scope="row">
                <span className={css.fName}>
                  <Link className="link" href={addressOf("flows", id)} data-flow={id}>
                    {id}
                  </Link>
                  {tier !== "local" && <span className="tag">{from ?? tier}</span>}
                  {runs > 0 && (
                    <Link className={css.fOver} href={addressOf("flows", id, "overview")} aria-label={`Overview of ${id}`} title="Overview">
                      <Icon name="overview" kind="i-s" />
                    </Link>
                  )}
                  {unsaved !== undefined && <span className="tag running">{unsaved === "new" ? "new, not saved" : "not saved"}</span>}
                </span>
                {description !== undefined && <span className={css.fAbout}>{description}</span>}
              </th>
              <td className="num" data-label="Steps">
                {steps ?? "–"}
              </td>
              <td data-label="Problems">
                {errors > 0 && (
                  <span className="st error">
                    <Icon name="failed" kind="i-s" />
                    {counted(errors, "error")}
                  </span>
                )}
                {warnings > 0 && (
                  <span className="st waiting">
                    <Icon name="warn" kind="i-s" />
                    {counted(warnings, "warning")}
                  </span>
                )}
                {errors + warnings === 0 && <span className="dim">{silenced === 0 ? "none" : `${silenced} silenced`}</span>}
              </td>
              <td className="num" data-label="Runs">
                <Link
                  className="link"
                  href={`${addressOf("runs")}?q=${encodeURIComponent(`flow:${id}`)}`}
                  aria-label={`${runs} runs of ${id}`}
                >
                  {runs.toLocaleString()}
                </Link>
              </td>
              <td data-label="Last run">
                {last === undefined ? (
                  <span className="dim">never</span>
                ) : (
                  <Link className={css.fLast} href={addressOf("runs", last.id)} title={fullTime(last.created)}>
                    <Status status={shownStatus(last)} isPatient={isPatient(last)} />{" "}
                    <span className="dim">{age(Date.parse(last.created), now)}</span>
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
