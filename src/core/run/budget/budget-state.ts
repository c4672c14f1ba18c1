// Holds what a run may spend, has spent and has reserved [B1]: one ledger for the run, one for each open step with its own limit, and the
// slice of the tenant's day [B4]. Numbers and JSON only: it is part of the run's snapshot.

import type { Amount } from "../../money/amount.ts"

export type BudgetScope = "run" | "step" | "tenant"

export interface Ledger {
  limit: Amount
  spent: Amount
  reserved: Amount
}

/** The most that one call or one child run may cost, reserved from its start until its true cost is known. */
export interface Hold {
  step: string
  amount: Amount
  /** The day whose slice it was taken from, by its end (ms). */
  until?: number
}

/** [B4] This run's slice of its tenant's day. `spent` and `reserved` count this day only; a slice is void when its day is over. */
export interface Lease extends Ledger {
  until: number
  /** How many leases were answered; the next lease's key is made from it. */
  slices: number
  /** Nothing more is granted before this time. */
  retry?: number
}

export interface Budget {
  run?: Ledger
  steps: Record<string, Ledger>
  holds: Record<string, Hold>
  lease?: Lease
  /** The lease as it was when the tenant took its limit away: the end of the run gives back what is left of it. */
  lifted?: Pick<Lease, "until" | "spent">
}

export const newBudget = (): Budget => ({ steps: {}, holds: {} })

export const newLedger = (limit: Amount): Ledger => ({ limit, spent: {}, reserved: {} })
