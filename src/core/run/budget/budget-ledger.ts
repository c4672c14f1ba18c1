// Reserves, settles and spends in the ledgers of a run's budget [B1] that apply to an effect. Only budget-fold.ts writes them.

import { isNothing, minus, only, plus, unitsOf, type Amount } from "../../money/amount.ts"
import type { Run } from "../state.ts"
import type { Ledger, BudgetScope } from "./budget-state.ts"
import { isChildKey } from "../key.ts"

/** Tells whether any limit applies. Without a limit, no budget event is written, because each event costs a row. */
export function isLimited({ budget }: Run): boolean {
  if (budget.run !== undefined || budget.lease !== undefined) return true
  for (const _step in budget.steps) return true
  return false
}

/** The ledgers that apply to an effect of a step, the run's ledger first. A child run has its own slice of the day [B4]: its part is
 *  not taken from its parent's slice. */
export function ledgersOf(run: Run, step: string, key?: string): readonly { readonly scope: BudgetScope; readonly ledger: Ledger }[] {
  const { budget } = run
  const own = Object.hasOwn(budget.steps, step) ? budget.steps[step] : undefined
  return [
    ...(budget.run ? [{ scope: "run" as const, ledger: budget.run }] : []),
    ...(own ? [{ scope: "step" as const, ledger: own }] : []),
    ...(budget.lease && (key === undefined || !isChildKey(key)) ? [{ scope: "tenant" as const, ledger: budget.lease }] : []),
  ]
}

/** A ledger as people and events see it: only the units that it limits. */
export function shown(ledger: Ledger): { readonly limit: Amount; readonly spent: Amount; readonly reserved: Amount } {
  const units = unitsOf(ledger.limit)
  return { limit: ledger.limit, spent: only(ledger.spent, units), reserved: only(ledger.reserved, units) }
}

export function reserve(ledger: Ledger, amount: Amount): void {
  ledger.reserved = plus(ledger.reserved, amount)
}

export function spend(ledger: Ledger, amount: Amount): void {
  if (!isNothing(amount)) ledger.spent = plus(ledger.spent, amount)
}

/** Frees the reservation and spends the true cost. */
export function settle(ledger: Ledger, held: Amount, cost: Amount): void {
  ledger.reserved = minus(ledger.reserved, held)
  spend(ledger, cost)
}
