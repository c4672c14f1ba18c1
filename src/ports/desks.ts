// Defines desks: objects of a tenant that answer its starts, so that a busy tenant does not wait for its single object. A desk has a lease:
// for a few seconds it may use what it has read of the tenant and admit a number of runs. The tenant's object recalls the leases before it
// answers a write. A desk stores nothing: if its lease is lost, it counts as used until it expires.

import type { Rules } from "../core/tool/policy/policy.ts"
import type { CarriedVault, Opened } from "./secrets.ts"
import type { CatalogPort, Limits, PinOptions, PinResult } from "./tenant/catalog.ts"
import type { Noted, ListedRun } from "./tenant/run-list.ts"
import type { KnownKey } from "./tenant/tenants.ts"

/** The duration of a lease. The desk counts from its request, the tenant's object from its answer, so the desk stops first. */
export const LEASE_MS = 3_000 // limit: milliseconds of a desk's lease → the desk asks for another

/** The calls of the Worker, the runs and the tenant's object to a desk. `ask`: only the tenant's object can answer. */
export interface Desk {
  pin(target: Parameters<CatalogPort["pin"]>[0], options: PinOptions, needsVault: boolean): Promise<DeskPin | "ask">
  verify(digest: string): Promise<KnownKey | "none" | "ask">
  /** The opened vault, for the executor only. */
  vault(): Promise<Opened | "ask">
  rules(): Promise<Rules | "ask">
  /** Resolves when the tenant's list has the report. */
  note(row: ListedRun): Promise<Noted>
  /** Takes back the place of a run that will not start. false: the tenant's object knows of it. */
  giveBack(run: string): Promise<boolean>
  /** Brings the tenant's list up to date. */
  flush(): Promise<void>
  /** No lease up to this number counts any more. */
  recall(upTo: number): Promise<DeskStarts>
}

export interface DeskPin {
  readonly pinned: PinResult
  readonly vault?: CarriedVault
}

/** Runs that a desk admitted and the tenant's object has not confirmed yet. */
export interface DeskStarts {
  /** Chosen when the desk wakes. */
  readonly epoch: string
  readonly started: readonly { readonly run: string; readonly at: number; readonly tenancy?: number }[]
  /** Rows of those that have not reported. */
  readonly promises: readonly ListedRun[]
}

export interface DeskReport extends DeskStarts {
  readonly desk: number
  /** The number of the lease that it has; 0: none. */
  readonly lease: number
  /** Places of that lease that no run has. */
  readonly free: number
  readonly notes: readonly ListedRun[]
  /** Asks for the next lease; false: it returns the one it has. */
  readonly wants: boolean
}

export interface DeskLease {
  /** Counts up. */
  readonly number: number
  /** Another one means that what was read of the tenant before may be out of date. */
  readonly ground: string
  /** Places in all, those that were free included. */
  readonly places: number
  /** What others may still take. */
  readonly limits: Limits
  /** How many desks the tenant's starts are spread over. */
  readonly desks: number
}

export interface DeskAnswer {
  /** For each report; null: it could not be stored. */
  readonly noted: readonly (Noted | null)[]
  readonly recalled: number
  readonly lease?: DeskLease
}

/** The calls of a desk to the tenant's object. */
export interface DesksRoom {
  report(report: DeskReport): Promise<DeskAnswer>
}
