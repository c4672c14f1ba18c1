// The ledgers of a run's budget: which ones apply to an effect, and how they reserve, settle and spend [B1]. Only budget-fold.ts writes them.

import { isNothing, minus, only, plus, unitsOf, type Amount } from "../../money/amount.ts"
import type { Run } from "../state.ts"
import type { Ledger, Scope } from "./budget-state.ts"
import { isChildKey } from "../key.ts"

/** Is there anything to keep to? Without a limit no budget event is written: a row costs. */
export function isLimited({ budget }: Run): boolean {
  if (budget.run !== undefined || budget.lease !== undefined) return true
  for (const _step in budget.steps) return true
  return false
}

/** The ledgers that a step's effect is judged by, the run's first. A child run has a slice of the day of its own [B4]: what is carved
 *  for it is not of its parent's. */
export function ledgersOf(run: Run, step: string, key?: string): readonly { readonly scope: Scope; readonly ledger: Ledger }[] {
  const { budget } = run
  const own = Object.hasOwn(budget.steps, step) ? budget.steps[step] : undefined
  return [
    ...(budget.run ? [{ scope: "run" as const, ledger: budget.run }] : []),
    ...(own ? [{ scope: "step" as const, ledger: own }] : []),
    ...(budget.lease && (key === undefined || !isChildKey(key)) ? [{ scope: "tenant" as const, ledger: budget.lease }] : []),
  ]
}

/** A ledger as people and events see it: the units that it limits, and no others. */
export function shown(ledger: Ledger): { readonly limit: Amount; readonly spent: Amount; readonly reserved: Amount } {
  const units = unitsOf(ledger.limit)
  return { limit: ledger.limit, spent: only(ledger.spent, units), reserved: only(ledger.reserved, units) }
}

export function hold(ledger: Ledger, amount: Amount): void {
  ledger.reserved = plus(ledger.reserved, amount)
}

export function spend(ledger: Ledger, amount: Amount): void {
  if (!isNothing(amount)) ledger.spent = plus(ledger.spent, amount)
}

/** What was held back is free again, what it cost in truth is spent. */
export function settle(ledger: Ledger, held: Amount, cost: Amount): void {
  ledger.reserved = minus(ledger.reserved, held)
  spend(ledger, cost)
}
