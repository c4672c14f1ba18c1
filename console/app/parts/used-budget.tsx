// What a used-up budget [B2] says: for each unit, how much of its limit is spent and held back, and what the next call may cost.

import { fields, text } from "../../../web/chat/ui-message.ts"
import { money } from "./figures.ts"
import css from "./used-budget.module.css"

export type Amounts = Readonly<Record<string, unknown>>

export const UNITS: Readonly<Record<string, string>> = { usd: "USD", tokens: "tokens", tool_calls: "tool calls", steps: "steps" }
const WHOSE: Readonly<Record<string, string>> = {
  run: "Run budget",
  step: "Step budget",
  tenant: "The budget of the day, of everything here",
}

export const amount = (unit: string, value: unknown): string =>
  typeof value !== "number" ? "–" : unit === "usd" ? money(value) : value.toLocaleString()
export const numberOf = (value: unknown): number => (typeof value === "number" ? value : 0)

/** `payload`: that of an interaction of kind `budget`. */
export function UsedBudget({ payload }: { readonly payload: Amounts }) {
  const [limit, spent, reserved, needed] = ["limit", "spent", "reserved", "needed"].map((name): Amounts => fields(payload[name]))
  return Object.keys(limit ?? {}).map((unit) => {
    const [used, held, most] = [numberOf(spent?.[unit]), numberOf(reserved?.[unit]), numberOf(limit?.[unit])]
    return (
      <div className="field" key={unit}>
        <span className="lab">
          {WHOSE[text(payload["scope"]) ?? ""] ?? "Budget"}, {UNITS[unit] ?? unit}
        </span>
        <progress className={css.usedBudget} max={most} value={Math.min(most, used + held)} aria-label={`${UNITS[unit] ?? unit} used`} />
        <span className="hint">
          {amount(unit, used)} of {amount(unit, most)} spent{held > 0 ? `, ${amount(unit, held)} held back for calls under way` : ""}; the
          next call may cost up to {amount(unit, needed?.[unit])}
        </span>
      </div>
    )
  })
}
