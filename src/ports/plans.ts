// Plans [C30–C35, T41]: what agents want to have done, as data that a person can read before it happens. A plan belongs to the run that
// no other one started, and is known to all runs below that one. Under its id it never changes.

import type { Json, JsonObject } from "../core/json.ts"
import type { Dispatched } from "../core/plans/plan-body.ts"
import type { PlanSpec } from "../core/plans/plan-spec.ts"
import type { PlanState } from "../core/plans/plan-state.ts"

export interface PlanView {
  readonly planId: string
  /** Name of its kind. */
  readonly plan: string
  readonly state: PlanState
  /** What people call that state, when its kind says so. */
  readonly display?: string
  readonly body: JsonObject
  /** What its dispatcher answered. */
  readonly result?: Dispatched | null
  /** Why it failed. */
  readonly error?: string
}

export type PlanResult = { readonly ok: true; readonly plan: PlanView } | { readonly ok: false; readonly message: string }

/** Of one run and those below it. */
export interface Plans {
  /** The same plan again is the same; another one under a known id is refused. */
  store(plan: { readonly spec: string; readonly planId: string; readonly body: JsonObject }): Promise<PlanResult>
  get(planId: string): Promise<PlanView | undefined>
  /** Nobody is asked here: the guard has done that. Its actions are dispatched once, however often this is called. */
  execute(planId: string, signal: AbortSignal): Promise<PlanResult>
}

/** The kinds of plans, which are the administrator's. */
export interface PlanSpecs {
  all(): Promise<readonly PlanSpec[]>
  /** `full`: there are MOST_SPECS. */
  put(spec: PlanSpec): Promise<"created" | "replaced" | "full">
  remove(name: string): Promise<boolean>
  /** The plans of a run and those below it, oldest first. */
  ofRun(run: string): Promise<readonly PlanView[]>
}

export const MOST_SPECS = 200

/** The rows behind it, in the tenant's object. Each call is one commit. */
export interface PlanRows {
  spec(name: string): Promise<PlanSpec | undefined>
  specs(): Promise<readonly PlanSpec[]>
  find(run: string, planId: string): Promise<PlanView | undefined>
  /** `other`: the id has another plan. */
  insert(run: string, plan: { readonly planId: string; readonly plan: string; readonly body: JsonObject }): Promise<"ok" | "other">
  /** One step of its life; the answer is the state that it was in, and nothing happened, when that step is not one. */
  move(
    run: string,
    planId: string,
    to: PlanState,
    end?: { readonly result?: Json; readonly error?: string },
  ): Promise<"ok" | PlanState | "unknown">
}
