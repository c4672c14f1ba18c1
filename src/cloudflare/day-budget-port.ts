// DayBudget over the tenant's object. All of it may be asked twice: a lease is kept under its key, giving back happens once.

import type { DayBudget } from "../ports/day-budget.ts"
import { asking, type TenantPortEnv } from "./tenant-port.ts"

interface DayBudgetRpc {
  dayLimit(): ReturnType<DayBudget["limit"]>
  putDayLimit(...args: Parameters<DayBudget["put"]>): Promise<void>
  lease(...args: Parameters<DayBudget["lease"]>): ReturnType<DayBudget["lease"]>
  giveBack(...args: Parameters<DayBudget["giveBack"]>): Promise<void>
}

export function dayBudgetPort(env: TenantPortEnv, tenant: string): DayBudget {
  const ask = asking<DayBudgetRpc>(env, tenant)
  return {
    limit: () => ask((o) => o.dayLimit()),
    put: (limit) => ask((o) => o.putDayLimit(limit)),
    lease: (run, key, amount) => ask((o) => o.lease(run, key, amount)),
    giveBack: (run, until, unused) => ask((o) => o.giveBack(run, until, unused)),
  }
}
