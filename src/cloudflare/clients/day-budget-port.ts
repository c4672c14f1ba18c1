// DayBudget over the tenant's object. All of it may be asked twice: a lease is kept under its key, giving back happens once.

import type { DayBudget } from "../../ports/day-budget.ts"
import { asking, type TenantPortEnv } from "./tenant-port.ts"

export function dayBudgetPort(env: TenantPortEnv, tenant: string): DayBudget {
  const ask = asking(env, tenant)
  return {
    limit: () => ask((o) => o.dayBudget.limit()),
    put: (limit) => ask((o) => o.dayBudget.put(limit)),
    lease: (run, key, amount) => ask((o) => o.dayBudget.lease(run, key, amount)),
    giveBack: (run, until, unused) => ask((o) => o.dayBudget.giveBack(run, until, unused)),
  }
}
