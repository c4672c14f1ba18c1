// Leases slices of a tenant's daily budget to runs [B4, B6], so that a model call does not wait for the tenant's object.

import type { Amount } from "../core/money/amount.ts"
import type { BudgetSetting } from "../core/money/budget-setting.ts"
import type { Lease } from "../core/run/signal.ts"

export interface DayBudget {
  /** What the tenant may spend in a UTC day, and in one run; `{}`: no limit. */
  setting(): Promise<BudgetSetting>
  /** Replaces the whole setting. Existing leases stay, and so do the budgets of runs that began. */
  put(setting: BudgetSetting): Promise<void>
  /** What is gone of the day that goes on now. */
  today(): Promise<BudgetToday>
  /** Grants `amount` plus a fair share of the rest, or nothing. The same key gets the same lease again. */
  lease(run: string, key: string, amount: Amount): Promise<Lease>
  /** The run has ended, and has spent so much of the day that ends at `until`: whatever else it was granted comes back, also what it has not heard
   *  of, and later requests of it are granted nothing. Idempotent. */
  close(run: string, until: number, spent: Amount): Promise<void>
  /** The run has not begun, and nobody starts it any more: what it was granted comes back, and a request of it that is still on its way is
   *  granted nothing. Idempotent. */
  neverBegins(run: string): Promise<void>
}

/** Today's amounts in the limited units. Other units are not leased, so they are not known here. */
export interface BudgetToday {
  /** Milliseconds: the beginning of the day in UTC. */
  readonly day: number
  readonly limit: Amount
  /** Used by runs that have ended. */
  readonly spent: Amount
  /** Leased to runs that go on: they may have used a part of it. */
  readonly held: Amount
}
