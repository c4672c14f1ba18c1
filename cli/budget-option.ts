// The option that bounds what a run may use: `--budget 0.50` is dollars, `--budget tokens=20000` another unit.

import { UNITS, type Amount } from "../src/core/money/amount.ts"
import type { GivenOptions, Option } from "./command.ts"
import { usage } from "./program.ts"

export const BUDGET: Option = {
  flags: "--budget <amount>",
  says: `what the run may use: dollars, or UNIT=NUMBER (${UNITS.join(", ")})`,
  many: true,
}

export function budgetOf(given: GivenOptions): Amount | undefined {
  const pairs = given.list("budget").map((text) => {
    const [unit, amount] = text.includes("=") ? [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)] : ["usd", text]
    const known = UNITS.find((one) => one === unit)
    if (known === undefined || !/^\d+(?:\.\d+)?$/.test(amount))
      throw usage(`--budget ${text}: write dollars such as 0.50, or UNIT=NUMBER with a unit of ${UNITS.join(", ")}`)
    return [known, Number(amount)] as const
  })
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs)
}
