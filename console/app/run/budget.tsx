// What the run may spend, what it has spent, and what is held back for what is under way.

import type { RunView } from "../../../src/core/run/views/view.ts"
import { money, tokens } from "../parts/figures.ts"
import type { RunOutline } from "../../../src/core/run/views/outline.ts"
import { StepCosts } from "./detail/step-costs.tsx"
import css from "./run-head.module.css"

const UNITS = ["usd", "tokens", "tool_calls", "steps"] as const
type Unit = (typeof UNITS)[number]
const NAMES: Readonly<Record<Unit, string>> = { usd: "USD", tokens: "Tokens", tool_calls: "Tool calls", steps: "Steps" }

const shown = (unit: Unit, amount: number): string =>
  unit === "usd" ? money(amount) : unit === "tokens" ? tokens(amount) : amount.toLocaleString()
const amountOf = (amount: object | undefined, unit: Unit): number | undefined => {
  const value: unknown = amount === undefined ? undefined : (amount as Readonly<Record<string, unknown>>)[unit]
  return typeof value === "number" ? value : undefined
}

/** The first unit that is limited, in the head of the page. */
export function BudgetLine({ view }: { readonly view: RunView }) {
  const unit = UNITS.find((one) => amountOf(view.budget?.limit, one) !== undefined)
  if (unit === undefined) return null
  const [limit, spent, held] = [view.budget?.limit, view.budget?.spent, view.budget?.reserved].map((one) => amountOf(one, unit) ?? 0) as [
    number,
    number,
    number,
  ]
  return (
    <p className={css.budget}>
      <span className="dim">Budget</span>
      <Meter limit={limit} spent={spent} held={held} label={`${shown(unit, spent)} of ${shown(unit, limit)} spent`} />
      <span className="nowrap">
        <b>{shown(unit, spent)}</b> spent
      </span>
      {held > 0 && (
        <span className="nowrap">
          <i className={css.keyHeld} />
          {shown(unit, held)} held back
        </span>
      )}
      <span className="dim nowrap">{shown(unit, limit)} limit</span>
    </p>
  )
}

export function Meter({
  limit,
  spent,
  held,
  label,
}: {
  readonly limit: number
  readonly spent: number
  readonly held: number
  readonly label: string
}) {
  const part = (amount: number): number => Math.min(100, (amount / Math.max(limit, 1e-9)) * 100)
  return (
    <span className={css.meter} role="img" aria-label={label}>
      <i style={{ width: `${part(spent)}%` }} />
      <i className={css.held} style={{ left: `${part(spent)}%`, width: `${Math.min(100 - part(spent), part(held))}%` }} />
    </span>
  )
}

export function Budget({ view, story, at }: { readonly view: RunView; readonly story: RunOutline; readonly at: number | undefined }) {
  const { budget, usage } = view
  const limited = UNITS.filter((unit) => amountOf(budget?.limit, unit) !== undefined)
  return (
    <>
      <dl className="kv">
        <dt>Tokens</dt>
        <dd>
          {(at === undefined ? usage.tokens : story.tokens).toLocaleString()}
          {usage.estimated !== undefined && <span className="dim"> ({usage.estimated.toLocaleString()} of them estimated)</span>}
          {usage.lost !== undefined && (
            <span className="dim">
              {" "}
              (and at most {usage.lost.tokens.toLocaleString()} of {usage.lost.calls} lost {usage.lost.calls === 1 ? "call" : "calls"})
            </span>
          )}
        </dd>
        <dt>Cost</dt>
        <dd>{(at === undefined ? usage.usd : story.usd) === null ? "–" : money((at === undefined ? usage.usd : story.usd) ?? 0)}</dd>
        <dt>Tool calls</dt>
        <dd>{at === undefined ? usage.tool_calls : story.calls}</dd>
        {view.inherited && (
          <>
            <dt>Kept from before the fork</dt>
            <dd>
              {view.inherited.tokens.toLocaleString()} tokens{view.inherited.usd === null ? "" : `, ${money(view.inherited.usd)}`}
            </dd>
          </>
        )}
      </dl>
      <StepCosts story={story} />
      {limited.length === 0 ? (
        <p className="dim">This run has no limit of its own.</p>
      ) : (
        <table className="tbl">
          <thead>
            <tr>
              <th scope="col">Limit</th>
              <th scope="col" className="num">
                Spent
              </th>
              <th scope="col" className="num">
                Held back
              </th>
              <th scope="col" className="num">
                At most
              </th>
            </tr>
          </thead>
          <tbody>
            {limited.map((unit) => (
              <tr key={unit}>
                <th scope="row">{NAMES[unit]}</th>
                {[budget?.spent, budget?.reserved, budget?.limit].map((one, i) => (
                  <td className="num" key={i}>
                    {shown(unit, amountOf(one, unit) ?? 0)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}
