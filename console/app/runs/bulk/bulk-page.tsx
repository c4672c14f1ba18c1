// A bulk: how far it is, what became of each run, and Stop [R45].

import { useEffect, useMemo, useState } from "react"
import type { BulkItemRow } from "../../../../src/api/doc/run/bulk.doc.ts"
import { BulkClient } from "../../../../src/client/bulk.ts"
import { progressOf } from "../../../../web/runs/progress.ts"
import { AskedView } from "../../parts/asked-view.tsx"
import { faultOf } from "../../parts/fault.ts"
import { counted, fullTime, money, usd } from "../../parts/figures.ts"
import { StatusMark } from "../../parts/status.tsx"
import { Icon } from "../../shell/icons.tsx"
import { useKeys } from "../../shell/keys.ts"
import { Link } from "../../shell/link.tsx"
import { addressOf } from "../../shell/place.ts"
import { askAnew } from "../../shell/ask-anew.ts"
import type { Api } from "../../shell/session.ts"
import { titled } from "../../shell/title.ts"
import { shownStatus, nowOf } from "../row.ts"
import { Progress } from "./progress.tsx"
import { titleOfBulk, WordOfBulk } from "./bulk-words.tsx"
import { RestOfBulk } from "./rest.tsx"
import { useBulk } from "./use-bulk.ts"
import { classes } from "../../parts/classes.ts"
import css from "./bulk.module.css"

type Outcome = BulkItemRow["outcome"]

const OUTCOMES = [undefined, "done", "skipped", "failed", "waiting"] as const satisfies readonly (Outcome | undefined)[]
const DONE = { cancel: "canceled", again: "started", fork: "forked", delete: "deleted" } as const

function labelOf(outcome: Outcome | undefined, action: keyof typeof DONE): string {
  if (outcome === "done") return DONE[action][0]?.toUpperCase() + DONE[action].slice(1)
  return { all: "All", skipped: "Skipped", failed: "Could not be done", waiting: "To come" }[outcome ?? "all"]
}

export function BulkPage({ api, id }: { readonly api: Api; readonly id: string }) {
  const [outcome, setOutcome] = useState<Outcome>()
  const { bulk, items, statuses, started } = useBulk(api, id, outcome)
  const client = useMemo(() => new BulkClient(api.transport), [api])
  const [fault, setFault] = useState<string>()
  const row = bulk.value
  const isRunning = row?.status === "running"
  const mayWrite = api.who.scopes.includes("runs:write")
  useEffect(() => titled(row === undefined ? "Bulk action" : titleOfBulk(row)), [row])
  const stop = (): void => {
    setFault(undefined)
    client.stop(id).then(
      () => askAnew("bulk"),
      (error: unknown) => setFault(faultOf(error)),
    )
  }
  useKeys("bulk", { stop: () => (isRunning && mayWrite ? stop() : false) })
  return (
    <main id="main">
      <div className={classes("page", css.one)}>
        <div className="page-head">
          <Link className="link" href={addressOf("runs")}>
            Runs
          </Link>
          <span className="dim">/</span>
          <Link className="link" href={addressOf("runs", "bulk")}>
            Bulk actions
          </Link>
          <span className="dim">/</span>
          <h1>{row === undefined ? "Bulk action" : titleOfBulk(row)}</h1>
          {row && <WordOfBulk row={row} />}
          <span className="grow" />
          {isRunning && mayWrite && (
            <button className="btn danger" type="button" onClick={stop}>
              <Icon name="stop" kind="i-s" />
              Stop <kbd>S</kbd>
            </button>
          )}
          {row && mayWrite && <RestOfBulk api={api} row={row} failed={statuses["failed"] ?? 0} />}
        </div>
        {fault !== undefined && (
          <p className="note failed" role="alert">
            <Icon name="failed" />
            <span>{fault}</span>
          </p>
        )}
        <AskedView what="the bulk action" of={bulk}>
          {(known) => {
            const parts = progressOf(known, statuses)
            const spent = [...started.values()].flatMap(({ usage }) => (usage.usd === null ? [] : [usage.usd]))
            return (
              <>
                <p className="mid">
                  {known.by}, {fullTime(known.created)}
                  {spent.length > 0 && started.size === known.done && `; ${money(spent.reduce((sum, one) => sum + one, 0))} so far`}
                </p>
                <Progress parts={parts} count={known.count} status={known.status} />
                <section className={classes("panel", css.items)} aria-label="Runs">
                  <div className="panel-head">
                    <div className={css.chips} role="group" aria-label="Outcome">
                      {OUTCOMES.map((name) => (
                        <button
                          key={name ?? "all"}
                          className="chip"
                          type="button"
                          aria-pressed={outcome === name}
                          onClick={() => setOutcome(name)}
                        >
                          {labelOf(name, known.action)} <b>{(name === undefined ? known.count : countOf(known, name)).toLocaleString()}</b>
                        </button>
                      ))}
                    </div>
                  </div>
                  <AskedView what="its runs" of={items}>
                    {({ rows, isCut }) => (
                      <>
                        {rows.length === 0 ? (
                          <p className={classes(css.none, "mid")}>None.</p>
                        ) : (
                          <table className="tbl">
                            <thead>
                              <tr>
                                <th scope="col">Run</th>
                                <th scope="col">Outcome</th>
                                {known.action === "again" || known.action === "fork" ? <th scope="col">New run</th> : null}
                                {known.action === "again" || known.action === "fork" ? (
                                  <th scope="col" className="num">
                                    USD
                                  </th>
                                ) : null}
                              </tr>
                            </thead>
                            <tbody>
                              {rows.map((item) => {
                                const run = item.new === undefined ? undefined : started.get(item.new)
                                const isGone = known.action === "delete" && item.outcome === "done"
                                return (
                                  <tr key={item.run}>
                                    <td>
                                      {isGone ? (
                                        <span className="id dim">{item.run}</span>
                                      ) : (
                                        <Link className="link id" href={addressOf("runs", item.run)}>
                                          {item.run}
                                        </Link>
                                      )}
                                    </td>
                                    <td className={item.outcome === "failed" || run?.status === "failed" ? css.bad : "mid"}>
                                      {wordsOf(item, known.action, run && nowOf(run)?.words)}
                                    </td>
                                    {known.action === "again" || known.action === "fork" ? (
                                      <td>
                                        {item.new !== undefined && (
                                          <span className={css.new}>
                                            {run && <StatusMark status={shownStatus(run)} kind="i-s" />}
                                            <Link className="link id" href={addressOf("runs", item.new)}>
                                              {item.new}
                                            </Link>
                                          </span>
                                        )}
                                      </td>
                                    ) : null}
                                    {known.action === "again" || known.action === "fork" ? (
                                      <td className="num">{run ? usd(run.usage.usd) : "–"}</td>
                                    ) : null}
                                  </tr>
                                )
                              })}
                            </tbody>
                          </table>
                        )}
                        {isCut && <p className={classes(css.none, "dim small")}>The first {counted(rows.length, "run")}.</p>}
                      </>
                    )}
                  </AskedView>
                </section>
              </>
            )
          }}
        </AskedView>
      </div>
    </main>
  )
}

function countOf(
  { count, done, skipped, failed }: { count: number; done: number; skipped: number; failed: number },
  outcome: Outcome,
): number {
  return { done, skipped, failed, waiting: count - done - skipped - failed }[outcome]
}

function wordsOf({ outcome, reason }: BulkItemRow, action: keyof typeof DONE, now: string | undefined): string {
  if (outcome === "waiting") return reason === undefined ? "to come" : `waits: ${reason}`
  if (outcome === "done") return now ?? DONE[action]
  return reason === undefined ? outcome : `${outcome}: ${reason}`
}
