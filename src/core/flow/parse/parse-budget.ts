// Reads the `budget: { usd: 2.50, tokens: 200000 }` of a flow or a step [B1]. An invalid limit is an error: if it were ignored, it would
// look like a limit in force.

import { UNITS, type Amount } from "../../money/amount.ts"
import { BUDGET_FIELDS, keysOf } from "./field-table.ts"
import { fieldsOf, type Fields } from "./fields.ts"
import { readFields } from "./read-fields.ts"
import { shown, type Report } from "./report.ts"

/** Undefined if the key is absent or contains no limit. */
export function readBudget(fields: Fields, report: Report): Amount | undefined {
  const map = fields.map("budget")
  if (map === undefined) return undefined
  const inner = fieldsOf(map, report, "FV-BUDGET", `${fields.where}, budget`, fields.keyAt("budget"))
  for (const { key, at } of inner.entries)
    if (!keysOf(BUDGET_FIELDS).includes(key))
      inner.wrong(at, `${shown(key)} is not a unit`, report.hint(key, UNITS) ?? `one of ${UNITS.join(", ")}`)
  const limits = readFields(inner, BUDGET_FIELDS)
  return Object.keys(limits).length === 0 ? undefined : limits
}
