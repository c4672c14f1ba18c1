// What a run may spend, has spent and holds back [B1]: one ledger for the run, one for each open step with a limit of its own, and the
// slice of the tenant's day [B4]. Numbers and JSON only: it is part of the run's snapshot. Written by budget-fold.ts alone.

import { isNothing, minus, only, plus, unitsOf, type Amount } from "../../money/amount.ts"
import type { Run } from "../state.ts"
import { isChildKey } from "../key.ts"

export type Scope = "run" | "step" | "tenant"

export interface Ledger {
  limit: Amount
  spent: Amount
  reserved: Amount
}

/** What one call, or one child run, may cost at most: held back from the moment it begins until its true cost is known. */
export interface Hold {
  step: string
  amount: Amount
  /** The day whose slice it was taken from. */
  until?: number
}

/** [B4] This run's part of its tenant's day. `spent` and `reserved` are of this day; a slice is void when its day is over. */
export interface Lease extends Ledger {
  until: number
  /** Times something was granted or refused: names the next wish. */
  slices: number
  /** Nothing more is to be had before this time. */
  retry?: number
}

export interface Budget {
  run?: Ledger
  steps: Record<string, Ledger>
  holds: Record<string, Hold>
  lease?: Lease
}

export const newBudget = (): Budget => ({ steps: {}, holds: {} })

export const newLedger = (limit: Amount): Ledger => ({ limit, spent: {}, reserved: {} })

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
