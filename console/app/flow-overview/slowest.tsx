// Says what of a flow is slow and what is dear: its steps, its models and its tools.

import { useMemo, useState } from "react"
import { callPlot } from "../../../web/flow-overview/plots.ts"
import { spreadAxis, type Spread } from "../../../web/flow-overview/spread.ts"
import { classes } from "../parts/classes.ts"
import { duration, usd } from "../parts/figures.ts"
import { Plot } from "../parts/plot.tsx"
import { Link } from "../shell/link.tsx"
import { stepIn } from "./runs-of.ts"
import css from "./flow-overview.module.css"
import { stepsOf } from "./steps.ts"
import { SpreadCell, SpreadHead } from "./spread-cell.tsx"
import { TimeCells, TimeHeads } from "./time-cells.tsx"
import type { FlowSeen } from "./use-flow-overview.ts"

const KINDS = [
  ["steps", "Steps"],
  ["models", "Models"],
  ["tools", "Tools"],
] as const
const ORDERS = [
  ["time", "by time"],
  ["cost", "by cost"],
] as const
const MOST = 8
const PLOT_HEIGHT = 104

interface Line {
  readonly name: string
  readonly about: string
  readonly ms: { readonly p50: number; readonly p95: number; readonly spread?: Spread } | null
  readonly usd: number | null
  /** How often it ran, for the cost of one. */
  readonly n: number
}

export function Slowest({ flow, seen }: { readonly flow: string; readonly seen: FlowSeen }) {
  const [kind, setKind] = useState<(typeof KINDS)[number][0]>("steps")
  const [order, setOrder] = useState<(typeof ORDERS)[number][0]>("time")
  const lines = linesOf(seen, kind)
  const by = order === "time" || kind === "tools" ? ({ ms }: Line) => ms?.p95 ?? 0 : (line: Line) => line.usd ?? 0
  const rows = lines.toSorted((a, b) => by(b) - by(a)).slice(0, MOST)
  const axis = spreadAxis(rows.map(({ ms }) => ms?.spread ?? []))
  const spent = lines.reduce((sum, line) => sum + (line.usd ?? 0), 0)
  const { data, each } = seen.measures
  const names = rows.map(({ name }) => name).join("\n")
  const plot = useMemo(
    () => (kind === "steps" || names === "" ? undefined : callPlot({ data, each }, kind, names.split("\n"), duration)),
    [data, each, kind, names],
  )
  return (
    <section className="panel" aria-labelledby="slowest">
      <div className={css.head}>
        <h2 id="slowest">Slowest and most expensive</h2>
        <span className="grow" />
        <Pick label="What" all={KINDS} chosen={kind} onPick={setKind} />
        {kind !== "tools" && <Pick label="Order" all={ORDERS} chosen={order} onPick={setOrder} />}
      </div>
      {plot && (
        <div className={css.calls}>
          <Plot title="Time of a call" note="p95, local time" plot={plot} height={PLOT_HEIGHT} level={3} />
        </div>
      )}
      <div className={css.scroll} tabIndex={0} role="region" aria-label="Slowest and most expensive">
        <table className="tbl">
          <thead>
            <tr>
              <th scope="col">{KINDS.find(([name]) => name === kind)?.[1].replace(/s$/, "")}</th>
              <SpreadHead axis={axis} />
              <TimeHeads />
              {kind === "tools" ? (
                <th scope="col" className="num">
                  Calls
                </th>
              ) : (
                <>
                  <th scope="col" className={css.wide}>
                    Share of cost
                  </th>
                  <th scope="col" className="num">
                    USD each
                  </th>
                </>
              )}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, about, ms, usd: cost, n }) => (
              <tr key={name}>
                <th scope="row">
                  {kind === "steps" ? (
                    <Link className="link cut" href={stepIn(flow, name)}>
                      {name}
                    </Link>
                  ) : (
                    <b className="cut">{name}</b>
                  )}
                  <span className={classes("dim cut", css.under)}>{about}</span>
                </th>
                <SpreadCell times={ms} axis={axis} />
                <TimeCells p50={ms?.p50} p95={ms?.p95} />
                {kind === "tools" ? (
                  <td className="num">{n.toLocaleString("en-US")}</td>
                ) : (
                  <>
                    <td className={css.wide}>
                      <span className={css.track} aria-hidden="true">
                        <i className={css.cost} style={{ width: `${spent === 0 ? 0 : ((cost ?? 0) / spent) * 100}%` }} />
                      </span>
                    </td>
                    <td className="num">{usd(cost === null || n === 0 ? null : cost / n)}</td>
                  </>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function linesOf(seen: FlowSeen, kind: (typeof KINDS)[number][0]): readonly Line[] {
  const { models, tools } = seen.measures.total
  if (kind === "steps")
    return stepsOf(seen).map(({ step, about, ms, usd: cost, reached }) => ({ name: step, about, ms, usd: cost, n: reached }))
  if (kind === "models")
    return models.map(({ model, ms, usd: cost, calls, failed, limited }) => ({
      name: model,
      about: `${calls.toLocaleString("en-US")} calls${failed > 0 ? `, ${failed} failed` : ""}${limited > 0 ? `, ${limited} over the provider’s limit` : ""}`,
      ms,
      usd: cost,
      n: calls,
    }))
  return tools.map(({ tool, ms, calls, errors }) => ({
    name: tool,
    about: errors === 0 ? "no errors" : `${errors} failed`,
    ms,
    usd: null,
    n: calls,
  }))
}

interface PickProps<T extends string> {
  readonly label: string
  readonly all: readonly (readonly [T, string])[]
  readonly chosen: T
  readonly onPick: (name: T) => void
}

function Pick<T extends string>({ label, all, chosen, onPick }: PickProps<T>) {
  return (
    <div className="pick" role="group" aria-label={label}>
      {all.map(([name, words]) => (
        <button key={name} type="button" aria-pressed={name === chosen} onClick={() => onPick(name)}>
          {words}
        </button>
      ))}
    </div>
  )
}
