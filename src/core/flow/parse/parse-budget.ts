// `budget: { usd: 2.50, tokens: 200000 }` of a flow or a step [B1]. A limit that cannot be understood is an error: it must not be one that
// nobody keeps.

import { UNITS, type Amount } from "../../money/amount.ts"
import { BUDGET_FIELDS, keysOf } from "./field-table.ts"
import { fieldsOf, type Fields } from "./fields.ts"
import { shown, type Report } from "./report.ts"

const MOST_USD = 1_000_000_000

/** undefined when the key is absent or holds no limit. */
export function readBudget(fields: Fields, report: Report): Amount | undefined {
  const map = fields.map("budget")
  if (map === undefined) return undefined
  const inner = fieldsOf(map, report, "FV-BUDGET", `${fields.where}, budget`, fields.keyAt("budget"))
  for (const { key, at } of inner.entries)
    if (!keysOf(BUDGET_FIELDS).includes(key))
      inner.wrong(at, `${shown(key)} is no unit`, report.hint(key, UNITS) ?? `one of ${UNITS.join(", ")}`)
  const limits = UNITS.flatMap((unit) => {
    const limit = unit === "usd" ? inner.number(unit, 0, MOST_USD) : inner.integer(unit, 0)
    return limit === undefined ? [] : [[unit, limit] as const]
  })
  return limits.length === 0 ? undefined : Object.fromEntries(limits)
}
