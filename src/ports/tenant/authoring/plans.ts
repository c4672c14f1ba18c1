// Defines plans [C30–C35, T41]: what agents intend to do, as data that a person can read before it happens. A plan belongs to the root run,
// which no other run started, and is visible to all runs below it. A plan's body never changes.

import type { Json, JsonObject } from "../../../core/json.ts"
import type { Dispatched } from "../../../core/plans/plan-body.ts"
import type { PlanSpec } from "../../../core/plans/plan-spec.ts"
import type { PlanState } from "../../../core/plans/plan-state.ts"

/** [G11] The taint of the session that stored the plan: it had read text from outside, or something private. */
export interface PlanMarks {
  readonly tainted?: true
  readonly private?: true
}

export interface PlanView extends PlanMarks {
  readonly planId: string
  /** Name of its kind. */
  readonly plan: string
  readonly state: PlanState
  /** A display name for the state, if the kind has one. */
  readonly display?: string
  readonly body: JsonObject
  /** The dispatcher's answer. */
  readonly result?: Dispatched | null
  /** Why it failed. */
  readonly error?: string
}

export type PlanResult = { readonly ok: true; readonly plan: PlanView } | { readonly ok: false; readonly message: string }

/** The plans of one run and the runs below it. */
export interface Plans {
  /** Storing the same plan again changes nothing but its marks, which add up. A different plan under an existing id is refused. */
  store(plan: { readonly spec: string; readonly planId: string; readonly body: JsonObject } & PlanMarks): Promise<PlanResult>
  get(planId: string): Promise<PlanView | undefined>
  /** Assumes that the guard has already asked for approval. Dispatches the actions only once, even if called again. */
  execute(planId: string, signal: AbortSignal): Promise<PlanResult>
}

/** The rows of plans in the tenant's object. Each call is a single commit. */
export interface PlanRows {
  spec(name: string): Promise<PlanSpec | undefined>
  specs(): Promise<readonly PlanSpec[]>
  find(run: string, planId: string): Promise<PlanView | undefined>
  /** The plans of a run and the runs below it, oldest first. */
  ofRun(run: string): Promise<readonly PlanView[]>
  /** [K14] The plans of one run become those of another too, in their present states. Safe to repeat. */
  copy(from: string, to: string): Promise<void>
  /** `other`: a different plan has this id. */
  insert(
    run: string,
    plan: { readonly planId: string; readonly plan: string; readonly body: JsonObject } & PlanMarks,
  ): Promise<"ok" | "other">
  /** Moves the plan to a new state. If that is not allowed, nothing changes and the result is the current state. */
  move(
    run: string,
    planId: string,
    to: PlanState,
    end?: { readonly result?: Json; readonly error?: string },
  ): Promise<"ok" | PlanState | "unknown">
}
