// Defines the tenants of an instance, their keys and their limits. `AccountPort` is for one tenant, with a key of that tenant;
// `TenantsPort` is for the instance, with the admin key [N5].

import { z } from "zod"
import type { KeyRow as KeyShown, Tenant, TenantDeleted } from "../../api/doc/tenants.doc.ts"
import type { Row } from "../../api/rows.ts"
import type { Scope } from "../../api/route/route.ts"
import type { Jurisdiction } from "../../api/tenants.ts"
import type { IdempotencyPort } from "./idempotency.ts"

export type { Jurisdiction, Scope }

/** A tenant's name in keys and object names: its id, plus its jurisdiction if it has one. */
export const TENANT_NAME = /^[a-z][a-z0-9-]{1,30}(?:_(?:eu|us))?$/

export interface NewKey {
  readonly name: string
  readonly scopes: readonly Scope[]
  /** Milliseconds; absent: never. */
  readonly expires?: number
}

/** A stored key. Its text is shown only once, when it is created [H1]. */
export type KeyRow = Row<typeof KeyShown>

export interface KeysPort {
  /** `too_many`: the tenant already has MOST_KEYS. A repeat of `act` makes the same row with a new text, because no one has seen the first
   *  [H4]. `late`: the call was sent (at `asked`) before another one with this `act` made the row, and somebody may have seen that text. */
  create(key: NewKey, act?: string, asked?: number): Promise<(KeyRow & { readonly key: string }) | "too_many" | "late">
  list(): Promise<readonly KeyRow[]>
  /** The key stops working at once. `starts`: the starts by a key of its name that wait are canceled [R13]. false: no key has this id. */
  revoke(id: string, starts?: "cancel"): Promise<boolean>
}

export const MOST_KEYS = 1_000 // limit: keys of a tenant → 409 `too_many_keys`

/** A valid key, in the form that the Worker caches briefly. */
export interface KnownKey {
  readonly id: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly expires: number | null
  /** When its tenant was created, in milliseconds. */
  readonly since: number
}

const count = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER)

/** The quotas of a tenant [H6]. `retention_max` in milliseconds. */
export const Quotas = z.strictObject({
  /** Runs that have not ended; child runs belong to their parent and are not counted. */
  concurrent_runs: count,
  starts_per_minute: count,
  /** The tenant's local flows, agents, skills and handlers together. Packages count only in the write that adds them. */
  catalog_bytes: count,
  /** Its runs, shared files, memory, named workspaces and cached results together. */
  storage_bytes: count,
  retention_max: count,
})
export type Quotas = Readonly<z.infer<typeof Quotas>>

const DAY_MS = 86_400_000

export const DEFAULT_QUOTAS: Quotas = {
  concurrent_runs: 200,
  starts_per_minute: 1_200,
  catalog_bytes: 64 * 1024 * 1024,
  storage_bytes: 10 * 1024 ** 3,
  retention_max: 365 * DAY_MS,
}
/** The parts that `storage_bytes` counts. */
export const PARTS = ["runs", "files", "memory", "workspaces", "cache", "datasets"] as const
export type StoragePart = (typeof PARTS)[number]
/** The used storage in bytes. */
export type StorageUsed = Readonly<Record<StoragePart | "total", number>>

export const DEFAULT_RETENTION_MS = 30 * DAY_MS

/** A tenant's quotas and its own settings. */
export interface AccountPort {
  readonly keys: KeysPort
  quotas(): Promise<Quotas>
  /** Milliseconds for which an ended run is kept. */
  retention(): Promise<number>
  /** `above`: the instance's maximum, which `ms` exceeds; nothing changed. */
  putRetention(ms: number): Promise<{ readonly ok: true } | { readonly ok: false; readonly above: number }>
  /** Origins whose pages may read answers to this tenant's keys [H7]. */
  origins(): Promise<readonly string[]>
  putOrigins(origins: readonly string[]): Promise<void>
  /** Frees the slot that `pin` reserved for a run that will not start. */
  giveBack(run: string): Promise<void>
}

export type TenantRow = Row<typeof Tenant>

/** The numbers of things deleted with a tenant [N3]. */
export type Deleted = Row<typeof TenantDeleted>["deleted"]

/** The result for a tenant that does not exist. */
export const NOTHING: Deleted = { runs: 0, flows: 0, agents: 0, skills: 0, hooks: 0, schedules: 0, callbacks: 0, secrets: 0, keys: 0 }

export interface TenantsPort {
  create(tenant: {
    readonly id: string
    readonly name: string
    /** Cannot change later. Absent: the instance's jurisdiction, if it has one. */
    readonly jurisdiction?: Jurisdiction
  }): Promise<
    | { readonly ok: true; readonly tenant: TenantRow }
    /** `by`: the jurisdiction of the tenant that has this id. */
    | { readonly ok: false; readonly code: "taken"; readonly by: Jurisdiction | null }
    | { readonly ok: false; readonly code: "no_jurisdiction"; readonly jurisdiction: Jurisdiction; readonly why: string }
  >
  /** Newest first. */
  list(query: {
    readonly limit: number
    readonly cursor?: string
  }): Promise<{ readonly data: readonly TenantRow[]; readonly next_cursor: string | null } | { readonly badCursor: true }>
  find(id: string): Promise<TenantRow | undefined>
  /** `done: false`: the keys are deleted and the tenant no longer answers; the rest is deleted in the background. */
  remove(id: string): Promise<{ readonly done: boolean; readonly deleted: Deleted } | undefined>
  putQuotas(id: string, quotas: Partial<Quotas>): Promise<Quotas | undefined>
  /** undefined: there is no such tenant. */
  keys(id: string): Promise<KeysPort | undefined>
  /** The instance's own Idempotency-Keys [H4]. */
  idempotency(key: string): Promise<IdempotencyPort>
}
