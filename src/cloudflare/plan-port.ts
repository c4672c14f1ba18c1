// A tenant's plans, asked of its object; what carries them out is reached from here. Of a run's plans, and of their kinds.

import type { Json, JsonObject } from "../core/json.ts"
import type { PlanSpec } from "../core/plans/plan-spec.ts"
import type { PlanState } from "../core/plans/plan-state.ts"
import { plansOf } from "../engine/plans.ts"
import type { Plans, PlanSpecs, PlanView } from "../ports/plans.ts"
import { clock } from "./clock.ts"
import type { Env } from "./env.ts"
import { dispatchPlan, readyToDispatch, type DispatchDeps } from "./plan-dispatch.ts"
import { referencesPort } from "./reference-port.ts"
import { openVault } from "./secret-port.ts"
import { asking, type TenantPortEnv } from "./tenant-port.ts"

/** The object's methods. */
export interface PlanRpc {
  planSpecs(): Promise<readonly PlanSpec[]>
  planSpec(name: string): Promise<PlanSpec | undefined>
  putPlanSpec(spec: PlanSpec): Promise<"created" | "replaced" | "full">
  removePlanSpec(name: string): Promise<boolean>
  plansOfRun(run: string): Promise<readonly PlanView[]>
  findPlan(run: string, planId: string): Promise<PlanView | undefined>
  insertPlan(run: string, plan: { readonly planId: string; readonly plan: string; readonly body: JsonObject }): Promise<"ok" | "other">
  movePlan(
    run: string,
    planId: string,
    to: PlanState,
    end?: { readonly result?: Json; readonly error?: string },
  ): Promise<"ok" | PlanState | "unknown">
}

export function planSpecsPort(env: TenantPortEnv, tenant: string): PlanSpecs {
  const ask = asking<PlanRpc>(env, tenant)
  return {
    all: () => ask((o) => o.planSpecs()),
    put: (spec) => ask((o) => o.putPlanSpec(spec)),
    remove: (name) => ask((o) => o.removePlanSpec(name)),
    ofRun: (run) => ask((o) => o.plansOfRun(run)),
  }
}

/** `run`: the one that no other one started. */
export function plansPort(env: Env, tenant: string, run: string): Plans {
  const ask = asking<PlanRpc>(env, tenant)
  const vault = openVault(env, tenant, clock.now)
  const deps: DispatchDeps = { env, now: clock.now, secrets: async () => (await vault()).secrets }
  return plansOf({
    tenant,
    run,
    rows: {
      spec: (name) => ask((o) => o.planSpec(name)),
      specs: () => ask((o) => o.planSpecs()),
      find: (of, planId) => ask((o) => o.findPlan(of, planId)),
      insert: (of, plan) => ask((o) => o.insertPlan(of, plan)),
      // Asked twice, the second would find it moved and say no: what is begun here is asked once.
      move: (of, planId, to, end) => env.TENANT.get(env.TENANT.idFromName(tenant)).movePlan(of, planId, to, end),
    },
    references: referencesPort(env, tenant),
    ready: (to) => readyToDispatch(deps, to),
    dispatch: (to, what, signal) => dispatchPlan(deps, to, what, signal),
  })
}
