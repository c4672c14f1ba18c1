// The same columns on the last runs of the step: how often each makes the recorded call, and what that costs. What it may cost is said first.

import { useRef, useState } from "react"
import type { RunRow } from "../../../src/api/doc/run/runs.doc.ts"
import { Dialog } from "../parts/dialog.tsx"
import { faultOf } from "../parts/fault.ts"
import { counted, duration, money, usd } from "../parts/figures.ts"
import type { Api } from "../shell/session.ts"
import { alike, wishOf, type Column, type Texts } from "../../../web/agent/column.ts"
import { experimentAddress } from "../quality/experiments/experiment-address.ts"
import { Link } from "../shell/link.tsx"
import type { StepPlace } from "./recorded-turn.tsx"
import type { Verdicts } from "./reply-view.tsx"
import { classes } from "../parts/classes.ts"
import css from "./playground.module.css"
import agentsCss from "./agents.module.css"

interface Props {
  readonly api: Api
  readonly agent: string
  readonly place: StepPlace
  readonly runs: readonly RunRow[]
  readonly columns: readonly Column[]
  readonly texts: Texts
  readonly verdicts: Verdicts
}

interface Sum {
  readonly name: string
  same: number
  other: number
  refused: number
  failed: number
  usd: number
  priced: number
  tokens: number
  ms: number
}

/** Turns that are asked at the same time. */
const AT_ONCE = 3

export function SameRuns({ api, agent, place, runs, columns, texts, verdicts }: Props) {
  const [sums, setSums] = useState<readonly Sum[]>()
  const [plan, setPlan] = useState<{ readonly runs: readonly string[]; readonly usd: number; readonly isSure: boolean }>()
  const [state, setState] = useState<{ readonly done: number; readonly of: number; readonly isOver: boolean }>()
  const [fault, setFault] = useState<string>()
  const [isLooking, setLooking] = useState(false)
  const stop = useRef(false)
  const ended = runs.filter((run) => run.ended !== null)
  const look = async (): Promise<void> => {
    if (isLooking || columns.length === 0) return
    setLooking(true)
    setFault(undefined)
    let [total, isSure] = [0, true]
    const usable: string[] = []
    try {
      for (const { id } of ended) {
        const checks = await Promise.all(
          columns.map((column) => api.runs.checkTurn(id, place.step, wishOf(column, texts)).catch(() => undefined)),
        )
        // A run in which the step asked no model has nothing to try.
        if (checks.some((check) => check === undefined || check.recorded === null)) continue
        usable.push(id)
        for (const check of checks) {
          if (check?.most.usd === null || check === undefined) isSure = false
          else total += check.most.usd
        }
      }
      if (usable.length === 0) setFault("None of the last runs has a turn of this step that can be tried.")
      else setPlan({ runs: usable, usd: total, isSure })
    } catch (error) {
      setFault(faultOf(error))
    } finally {
      setLooking(false)
    }
  }
  const go = async (ids: readonly string[]): Promise<void> => {
    setPlan(undefined)
    stop.current = false
    const rows = columns.map(({ name }): Sum => ({ name, same: 0, other: 0, refused: 0, failed: 0, usd: 0, priced: 0, tokens: 0, ms: 0 }))
    const open = ids.flatMap((id) => columns.map((column, at) => ({ id, column, at })))
    const all = open.length
    let done = 0
    const tell = (isOver: boolean): void => {
      setSums(rows.map((row) => ({ ...row })))
      setState({ done, of: all, isOver })
    }
    tell(false)
    const work = async (): Promise<void> => {
      for (let one = open.shift(); one !== undefined && !stop.current; one = open.shift()) {
        const row = rows[one.at]
        const said = await api.runs.tryTurn(one.id, place.step, wishOf(one.column, texts)).catch(() => undefined)
        if (row && said) count(row, said, verdicts)
        else if (row) row.failed += 1
        done += 1
        tell(false)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    tell(true)
  }
  const isRunning = state !== undefined && !state.isOver
  return (
    <section className={classes("panel", css.pgMore)} aria-label="The same on more runs">
      <div className="panel-head">
        <h2>{ended.length === 1 ? "On the last run" : `On the last ${ended.length} runs`}</h2>
        <span className="dim">the last turn of {place.step} in each</span>
        <span className="grow" />
        {isRunning ? (
          <button className="btn" type="button" onClick={() => (stop.current = true)}>
            Stop
          </button>
        ) : (
          <button
            className="btn"
            type="button"
            aria-disabled={isLooking || ended.length === 0 || columns.length === 0}
            onClick={() => void look()}
          >
            {isLooking ? "Adding up the cost" : "Try on them"}
          </button>
        )}
        <Link className="btn" href={experimentAddress(place.flow, agent, columns[0]?.model)}>
          Try on a dataset
        </Link>
      </div>
      <p className="vh" role="status">
        {state === undefined ? "" : state.isOver ? `Tried ${state.done} of ${state.of}.` : ""}
      </p>
      {fault !== undefined && (
        <p className={classes("msg error", agentsCss.agNote)} role="alert">
          {fault}
        </p>
      )}
      {state !== undefined && (
        <p className={classes("mid small", agentsCss.agNote)}>
          {state.done} of {state.of} turns {state.isOver ? "asked." : "asked so far."}
        </p>
      )}
      {sums && (
        <table className="tbl">
          <thead>
            <tr>
              <th scope="col">Column</th>
              {["Same", "Other", "Refused", "Failed", "Tokens", "Time", "USD per run", "USD"].map((head) => (
                <th scope="col" className="num" key={head}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sums.map((sum) => (
              <Row key={sum.name} sum={sum} />
            ))}
          </tbody>
        </table>
      )}
      {plan && (
        <Dialog title="Try on the last runs" onClose={() => setPlan(undefined)}>
          <div className="dlg-l">
            <p>
              {counted(columns.length, "column")} on {counted(plan.runs.length, "run")}:{" "}
              {counted(columns.length * plan.runs.length, "model turn")}. No tool runs, and no run changes.
            </p>
            <p className="mid">
              {plan.isSure
                ? `At most ${money(plan.usd)}, usually much less.`
                : "Some of these models have no price, so the cost is not known."}
            </p>
          </div>
          <div className="dlg-f">
            <button className="btn first" type="button" onClick={() => void go(plan.runs)}>
              Ask {counted(columns.length * plan.runs.length, "turn")}
            </button>
            <button className="btn" type="button" onClick={() => setPlan(undefined)}>
              Back
            </button>
          </div>
        </Dialog>
      )}
    </section>
  )
}

function count(row: Sum, said: Awaited<ReturnType<Api["runs"]["tryTurn"]>>, verdicts: Verdicts): void {
  if (verdicts.size > 0 && said.reply.toolCalls.some(({ name }) => (verdicts.get(name) ?? "refused") === "refused")) row.refused += 1
  else if (alike(said.recorded, said) === "same") row.same += 1
  else row.other += 1
  row.tokens += said.usage.input + said.usage.output
  row.ms += said.ms
  if (said.cost === null) return
  row.usd += said.cost
  row.priced += 1
}

function Row({ sum }: { readonly sum: Sum }) {
  const { name, same, other, refused, failed, priced, tokens, ms } = sum
  const asked = same + other + refused
  return (
    <tr>
      <th scope="row">{name}</th>
      {[same, other, refused, failed].map((value, at) => (
        <td className="num" key={at}>
          {value}
        </td>
      ))}
      <td className="num">{tokens.toLocaleString()}</td>
      <td className="num">{asked === 0 ? "–" : duration(ms / asked)}</td>
      <td className="num">{usd(priced === 0 ? null : sum.usd / priced)}</td>
      <td className="num">{usd(priced === 0 ? null : sum.usd)}</td>
    </tr>
  )
}
