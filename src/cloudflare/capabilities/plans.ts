// Serves the plans of one run: the tenant's object has the rows, and this file calls the dispatchers.

import { plansOf } from "../../engine/run/plans.ts"
import type { Plans } from "../../ports/tenant/authoring/plans.ts"
import { portOf } from "../platform/port-of.ts"
import { referencesPort } from "../clients/references.ts"
import { openVault } from "../clients/secrets.ts"
import { clock } from "../platform/clock.ts"
import type { Env } from "../platform/env.ts"
import { dispatchPlan, readyToDispatch, type DispatchDeps } from "./plan-dispatch.ts"

/** `run`: the root run, which no other run started. */
export function plansPort(env: Env, tenant: string, run: string): Plans {
  const vault = openVault(env, tenant, clock.now)
  const deps: DispatchDeps = { env, now: clock.now, secrets: async () => (await vault()).secrets }
  return plansOf({
    tenant,
    run,
    rows: portOf(env, tenant, "plans"),
    references: referencesPort(env, tenant),
    ready: (to) => readyToDispatch(deps, to),
    dispatch: (to, what, signal) => dispatchPlan(deps, to, what, signal),
  })
}
