// A change tried on recorded runs [K23]: one square for each run, oldest first, and the same as a table. Its id is in the address, so it is there
// again after a reload.

import { useState } from "react"
import type { Backtest as Report } from "../../../src/api/doc/tests.doc.ts"
import type { BacktestAsked } from "../../../src/api/tests.ts"
import { visible } from "../../../web/chat/wording.ts"
import { whyWords } from "../../../web/flow/gate-report.ts"
import { FaultLine } from "../inbox/fault-line.tsx"
import { age, counted, fullTime, tokens, usd } from "../parts/figures.ts"
import { Select } from "../parts/select.tsx"
import { Link } from "../shell/link.tsx"
import { goQuery, useQuery } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { refusalOf } from "./refusal.ts"
import { runAddress } from "./refused.tsx"
import { useBacktest } from "./use-backtest.ts"
import { classes } from "../parts/classes.ts"
import css from "./flow-tests.module.css"

type Row = Report["runs"][number]

interface Props {
  readonly api: Api
  readonly flow: string
  readonly definitions: Readonly<Record<string, string>> | undefined
  readonly isDraft: boolean
}

const RESULTS = ["same", "changed", "diverged", "failed"] as const
const MATCHES = [
  { value: "position", words: "Match recorded replies by position" },
  { value: "exact", words: "Match only where the prompt is the same" },
] as const
const MOST = 50

export function Backtest({ api, flow, definitions, isDraft }: Props) {
  const id = useQuery().get("backtest") ?? undefined
  const [asked, setAsked] = useState<{ readonly id: string; readonly runs: number; readonly on: string }>()
  const { report, fault } = useBacktest(api, id)
  const begin = async (wish: BacktestAsked, runs: number): Promise<void> => {
    const begun = await api.flows.backtest(flow, wish)
    setAsked({ id: begun.id, runs, on: isDraft ? "this draft" : "the saved flow" })
    goQuery({ backtest: begun.id })
  }
  const isOver = report?.status === "done"
  return (
    <section className={css.blk} aria-label="Backtest">
      <div className="bar">
        <h3>
          Backtest
          {asked !== undefined && asked.id === id && ` on ${asked.on}`}
          {report && asked?.id !== id && <span title={fullTime(report.created)}>, {age(Date.parse(report.created), Date.now())}</span>}
        </h3>
        <span className="grow" />
        {isOver && (
          <button className="btn tiny" type="button" onClick={() => goQuery({ backtest: undefined })}>
            Again
          </button>
        )}
      </div>
      {id === undefined && <BacktestForm definitions={definitions} isDraft={isDraft} onBegin={begin} />}
      <FaultLine fault={fault} />
      {id !== undefined && report && <Told report={report} asked={asked?.id === id ? asked.runs : 0} />}
    </section>
  )
}

interface FormProps {
  readonly definitions: Readonly<Record<string, string>> | undefined
  readonly isDraft: boolean
  readonly onBegin: (wish: BacktestAsked, runs: number) => Promise<void>
}

function BacktestForm({ definitions, isDraft, onBegin }: FormProps) {
  const [last, setLast] = useState("20")
  const [match, setMatch] = useState<"position" | "exact">("position")
  const [isLive, setLive] = useState(false)
  const [most, setMost] = useState("1.00")
  const [fault, setFault] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const [count, money] = [Number(last), Number(most)]
  const isCount = Number.isInteger(count) && count >= 1 && count <= MOST
  const isMoney = !isLive || (most.trim() !== "" && money >= 0)
  const begin = (): void => {
    if (isBusy || !isCount || !isMoney) return
    setBusy(true)
    setFault(undefined)
    onBegin(
      {
        against: { last: count },
        match,
        ...(definitions ? { change: { definitions } } : {}),
        ...(isLive ? { beyond: "live" as const, budget: { usd: money } } : {}),
      },
      count,
    )
      .catch((error: unknown) => setFault(refusalOf(error)))
      .finally(() => setBusy(false))
  }
  return (
    <form
      className={css.blk}
      onSubmit={(event) => {
        event.preventDefault()
        begin()
      }}
    >
      <p className="small mid">
        Plays the recorded replies, results and answers back to {isDraft ? "this draft" : "the saved flow"}, and shows which runs would go
        differently.
      </p>
      <div className={classes("bar", css.btForm)}>
        <label>
          Last{" "}
          <input
            className={isCount ? "input" : "input bad"}
            value={last}
            inputMode="numeric"
            onChange={({ target }) => setLast(target.value)}
          />{" "}
          runs
        </label>
        <Select aria-label="How recorded replies are matched" value={match} choices={MATCHES} onChange={setMatch} />
      </div>
      <label className="check">
        <input type="checkbox" checked={isLive} onChange={({ target }) => setLive(target.checked)} />
        <span>Call real models where the recording ends. Nothing outside is changed.</span>
      </label>
      {isLive && (
        <label className={css.btForm}>
          At most, USD{" "}
          <input
            className={isMoney ? "input" : "input bad"}
            value={most}
            inputMode="decimal"
            onChange={({ target }) => setMost(target.value)}
          />
        </label>
      )}
      <FaultLine fault={fault} />
      <div className="bar">
        <button className="btn" type="submit" aria-disabled={isBusy || !isCount || !isMoney}>
          {isBusy ? "Starting" : isCount ? `Backtest on ${counted(count, "run")}` : `From 1 to ${MOST} runs`}
        </button>
        <span className="dim small">
          {isLive ? `It costs at most $${isMoney ? money.toFixed(2) : "–"}.` : "It costs nothing: 0 tokens."}
        </span>
      </div>
    </form>
  )
}

function Told({ report: { status, runs, usage }, asked }: { readonly report: Report; readonly asked: number }) {
  const [isWhole, setWhole] = useState(false)
  const isRunning = status === "running"
  // Newest first in the answer; a row of squares is read from the left.
  const oldest = runs.toReversed()
  const open = isRunning ? Math.max(0, asked - runs.length) : 0
  const rows = isWhole ? oldest : oldest.filter(({ result }) => result !== "same")
  const numbers = RESULTS.map((result) => [result, runs.filter((row) => row.result === result).length] as const)
  if (runs.length === 0 && !isRunning) return <p className="mid">No run of this flow has ended yet, so there is nothing to test against.</p>
  return (
    <>
      <ol className={css.bt} aria-label={`${counted(runs.length, "run")}, oldest first`}>
        {oldest.map((row, at) => (
          <li key={row.run}>
            <Link
              className={css[row.result]}
              href={runAddress(row.run, row.step, row.pass)}
              aria-label={`Run ${at + 1}: ${row.result}`}
              title={`${row.run}: ${row.result}`}
            />
          </li>
        ))}
        {Array.from({ length: open }, (_, at) => (
          <li key={at}>
            <i aria-hidden />
          </li>
        ))}
      </ol>
      <ul className={css.btk}>
        {numbers.map(([result, count]) => (
          <li key={result}>
            <i className={css[result]} aria-hidden />
            <b>{count}</b> {result}
          </li>
        ))}
        <li className="dim">
          {isRunning ? "under way, " : ""}
          {tokens(usage.tokens)} tokens{usage.tokens > 0 ? `, $${usd(usage.usd)}` : ""}
        </li>
      </ul>
      <p className="vh" role="status">
        {isRunning ? "" : `The backtest is over: ${numbers.map(([result, count]) => `${count} ${result}`).join(", ")}.`}
      </p>
      {rows.length > 0 && (
        <table className="tbl">
          <thead>
            <tr>
              <th scope="col">Run</th>
              <th scope="col">Result</th>
              <th scope="col">Where</th>
              <th scope="col">Why</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.run}>
                <th scope="row">
                  <Link className="link id" href={runAddress(row.run, row.step, row.pass)}>
                    {row.run.slice(0, 12)}
                  </Link>
                </th>
                <td className={row.result === "same" ? "dim" : ""}>
                  {row.result === "same" ? "=" : "≠"} {row.result}
                  {row.live === undefined ? "" : `, then ${row.live}`}
                </td>
                <td>{placeOf(row)}</td>
                <td className="dim">{visible(row.message ?? (row.why === undefined ? "–" : whyWords(row.why)))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {runs.some(({ result }) => result === "same") && (
        <button className="btn bare tiny" type="button" onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Only what differs" : `All ${counted(runs.length, "run")} as a table`}
        </button>
      )}
    </>
  )
}

function placeOf({ step, pass, turn }: Row): string {
  if (step === undefined) return "–"
  return visible(step) + (pass === undefined || pass === 1 ? "" : `, pass ${pass}`) + (turn === undefined ? "" : `, turn ${turn + 1}`)
}
