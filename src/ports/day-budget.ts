// A tenant's budget of the day [B4]: set by the tenant, leased to runs in slices, so that no call waits on the tenant's object.

import type { Amount } from "../core/money/amount.ts"
import type { Lease } from "../core/run/signal.ts"

export interface DayBudget {
  /** What may be spent in a UTC day; `{}`: nothing is limited. */
  limit(): Promise<Amount>
  /** Replaces the whole of it. What was leased stays leased. */
  put(limit: Amount): Promise<void>
  /** `amount` and as much more as is fair, or nothing. Asked again under the same key, the same is given. */
  lease(run: string, key: string, amount: Amount): Promise<Lease>
  /** The run has ended: what it did not use of the day that ends at `until` is free again. Twice is harmless. */
  giveBack(run: string, until: number, unused: Amount): Promise<void>
}
