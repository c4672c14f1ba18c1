// A tenant's plans, asked of its object; what carries them out is reached from here. Of a run's plans, and of their kinds.

import { plansOf } from "../../engine/run/plans.ts"
import type { Plans, PlanSpecs } from "../../ports/plans.ts"
import { clock } from "../platform/clock.ts"
import type { Env } from "../platform/env.ts"
import { dispatchPlan, readyToDispatch, type DispatchDeps } from "./plan-dispatch.ts"
import { referencesPort } from "../clients/reference-port.ts"
import { openVault } from "../clients/secret-port.ts"
import { asking, askingOnce, type TenantPortEnv } from "../clients/tenant-port.ts"

export function planSpecsPort(env: TenantPortEnv, tenant: string): PlanSpecs {
  const ask = asking(env, tenant)
  return {
    all: () => ask((o) => o.plans.specs()),
    put: (spec) => ask((o) => o.plans.putSpec(spec)),
    remove: (name) => ask((o) => o.plans.removeSpec(name)),
    ofRun: (run) => ask((o) => o.plans.ofRun(run)),
  }
}

/** `run`: the one that no other one started. */
export function plansPort(env: Env, tenant: string, run: string): Plans {
  const ask = asking(env, tenant)
  const vault = openVault(env, tenant, clock.now)
  const deps: DispatchDeps = { env, now: clock.now, secrets: async () => (await vault()).secrets }
  return plansOf({
    tenant,
    run,
    rows: {
      spec: (name) => ask((o) => o.plans.spec(name)),
      specs: () => ask((o) => o.plans.specs()),
      find: (of, planId) => ask((o) => o.plans.find(of, planId)),
      insert: (of, plan) => ask((o) => o.plans.insert(of, plan)),
      // Asked twice, the second would find it moved and say no: what is begun here is asked once.
      move: (of, planId, to, end) => askingOnce(env, tenant)((o) => o.plans.move(of, planId, to, end)),
    },
    references: referencesPort(env, tenant),
    ready: (to) => readyToDispatch(deps, to),
    dispatch: (to, what, signal) => dispatchPlan(deps, to, what, signal),
  })
}
