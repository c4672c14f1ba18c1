// What the API takes and answers, as types. Those of runs are core's own; the others are held against the document by a test.
//
// Over 300 lines: shapes and nothing else, in the order of the API.

import type { Amount, Price } from "../core/money/amount.ts"
import type { Diagnostic } from "../core/diagnostic.ts"
import type { Json, JsonObject } from "../core/json.ts"
import type { PlanState } from "../core/plans/plan-state.ts"
import type { RunError, RunStatus, Trigger } from "../core/run/event.ts"
import type { InteractionView, RunView } from "../core/run/views/view.ts"

export interface Page<T> {
  readonly data: readonly T[]
  readonly next_cursor: string | null
}

export interface Start {
  readonly task?: string
  readonly inputs?: JsonObject
  readonly autonomous?: boolean
  /** With the built-in model: no provider is asked. */
  readonly rehearse?: boolean
  readonly tags?: string[]
  readonly budget?: Amount
  readonly session?: string
}

export interface Started {
  readonly id: string
  readonly flow: string
  readonly status: RunStatus
  readonly rehearsed?: boolean
  readonly urls: { readonly self: string; readonly events: string; readonly cancel: string }
}

export interface RunRow {
  readonly id: string
  readonly flow: string
  readonly status: RunStatus
  readonly created: string
  readonly ended: string | null
  readonly trigger: Trigger
  readonly tags: readonly string[]
  readonly usage: RunView["usage"]
  readonly pending: number
  readonly error?: RunError
  readonly rehearsed: boolean
}

export interface RunFilter {
  readonly flow?: string
  readonly status?: RunStatus | readonly RunStatus[]
  readonly tag?: string
  readonly trigger?: Trigger["kind"]
  /** Of one page. */
  readonly limit?: number
  readonly created_after?: string
  readonly created_before?: string
}

export interface FileRow {
  readonly path: string
  readonly size: number
  readonly hash: string
  readonly modified: string
}

export interface RunToken {
  readonly token?: string
  readonly run: string
  readonly expires: string
}

/** Asked outside any run. */
export interface Question {
  readonly id: string
  readonly run: null
  readonly kind: "ask_user"
  readonly status: "pending" | "answered" | "withdrawn"
  readonly payload: JsonObject
  readonly schema: JsonObject
  readonly created: string
  readonly answer?: JsonObject
  readonly by?: string
}
export type Asked = (InteractionView & { readonly flow: string }) | Question

/** Exactly one of answer, custom, auto, cancelled, decision. */
export interface Answer {
  readonly answer?: Json
  readonly notes?: string
  readonly custom?: string
  readonly auto?: true
  readonly cancelled?: true
  readonly decision?: "approve" | "reject" | "edit"
  readonly args?: JsonObject
  readonly feedback?: string
  readonly hash?: string
}

export type DefinitionKind = "flow" | "agent" | "skill" | "rehearsal" | "code"

export interface CatalogFile {
  readonly kind: DefinitionKind
  readonly id: string
  readonly path: string
  readonly tier: "local" | "package" | "built-in"
  readonly package?: string
  readonly hash: string
  readonly size: number
  readonly description?: string
  readonly diagnostics: readonly Diagnostic[]
}
export interface CatalogList extends Page<CatalogFile> {
  readonly revision: number
}
export interface Bundle {
  readonly agents?: Record<string, string>
  readonly flows?: Record<string, string>
  readonly skills?: Record<string, string>
  readonly code?: Record<string, string>
}
export interface Replaced {
  readonly revision: number
  readonly diagnostics: Readonly<Record<string, readonly Diagnostic[]>>
}
export interface Written {
  readonly written: boolean
  readonly path: string
  readonly diagnostics: readonly Diagnostic[]
  readonly error?: string
}
export interface Verdict {
  readonly valid: boolean
  readonly diagnostics: readonly Diagnostic[]
}

export interface Hook {
  readonly flow: string
  readonly kind: "github" | "stripe" | "slack" | "standard" | "hmac" | "token"
  /** A scope of the vault. */
  readonly secret: string
  readonly header?: string
  readonly mapping?: { readonly task?: string; readonly inputs?: JsonObject }
  readonly filter?: string
  readonly dedupe?: string
  readonly autonomous?: boolean
  readonly budget?: Amount
  readonly enabled?: boolean
}
export interface HookRow extends Hook {
  readonly id: string
  readonly url: string
  readonly created: string
}
export interface Delivery {
  readonly id: string
  readonly at: string
  readonly external_id: string | null
  readonly verdict: string
  readonly reason: string | null
  readonly run: string | null
  readonly duplicates: number
  readonly redelivery_of: string | null
}

export type NoticeType = "run.succeeded" | "run.failed" | "run.canceled" | "run.waiting"
export interface Callback {
  readonly url: string
  readonly events?: NoticeType[]
  readonly secret: string
}
export interface CallbackRow extends Callback {
  readonly id: string
  readonly enabled: boolean
  readonly created: string
}
export interface CallbackDelivery {
  readonly id: string
  readonly run: string
  readonly callback: string | null
  readonly url: string
  readonly type: string
  readonly status: "pending" | "delivered" | "dead"
  readonly attempts: number
  readonly last_status: number | null
  readonly last_error: string | null
  readonly created: string
}

export interface Schedule {
  readonly flow: string
  readonly cron: string
  readonly zone?: string
  readonly task?: string
  readonly inputs?: JsonObject
  readonly overlap?: "skip" | "queue" | "parallel"
  readonly enabled?: boolean
}
export interface ScheduleRow extends Schedule {
  readonly id: string
  readonly created: string
  readonly next: string | null
  readonly last: { readonly at: string; readonly run: string | null; readonly error?: string } | null
}

export type Scope = "runs:write" | "runs:read" | "catalog:write" | "catalog:read" | "tools:call" | "interactions:answer" | "admin"
export interface NewKey {
  readonly name?: string
  readonly scopes: Scope[]
  readonly expires?: string
}
export interface KeyRow {
  readonly id: string
  readonly prefix: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly created: string
  readonly expires: string | null
  readonly last_used: string | null
}
/** `key` is shown once: a replayed answer is without it. */
export type MadeKey = KeyRow & { readonly key?: string }

export interface SecretRow {
  readonly scope: string
  readonly values: number
  readonly updated: string
}

export interface Provider {
  readonly kind: "anthropic" | "openai" | "openai-compatible" | "workers-ai" | "scripted"
  readonly baseUrl?: string
  readonly apiKey?: string
  readonly turns?: Record<string, Json[]>
}
export interface ProviderRow {
  readonly name: string
  readonly kind: Provider["kind"]
  readonly baseUrl?: string
  /** Whether there is one. */
  readonly apiKey?: boolean
  readonly turns?: JsonObject
}
export type Prices = Record<string, Price>
export type Roles = Record<string, string>

export interface ToolRow {
  readonly name: string
  readonly description?: string
  readonly parameters?: JsonObject
  readonly available: boolean
  readonly reason?: string
}

export interface Quotas {
  readonly concurrent_runs: number
  readonly starts_per_minute: number
  readonly catalog_bytes: number
  readonly storage_bytes: number
  /** Milliseconds. */
  readonly retention_max: number
}
export interface NewTenant {
  readonly id: string
  readonly name?: string
  readonly jurisdiction?: "eu" | "us"
}
export interface Tenant {
  readonly id: string
  readonly name: string
  readonly jurisdiction: "eu" | "us" | null
  readonly created: string
  readonly quotas: Quotas
  /** Bytes stored; not in the list. */
  readonly storage?: Readonly<Record<"total" | "runs" | "files" | "memory" | "workspaces", number>>
}
export interface TenantDeleted {
  readonly id: string
  /** There is so much that the rest is taken away meanwhile. */
  readonly status?: "deleting"
  readonly deleted: Readonly<
    Record<"runs" | "flows" | "agents" | "skills" | "hooks" | "schedules" | "callbacks" | "secrets" | "keys", number>
  >
}

export interface ObjectRow {
  readonly key: string
  readonly size: number
}
export type ObjectWritten = ObjectRow & { readonly untrusted: boolean }

export interface PackageRow {
  readonly name: string
  readonly version: string
  readonly hash: string
  readonly agents: number
  readonly flows: number
  readonly skills: number
  readonly diagnostics: readonly Diagnostic[]
}
export type PackageWhole = Pick<PackageRow, "name" | "version" | "hash" | "diagnostics"> & Bundle
export interface PackageWritten {
  readonly name: string
  readonly version: string
  readonly hash: string
  readonly revision: number
  readonly diagnostics: Readonly<Record<string, readonly Diagnostic[]>>
}

/** A task, or a flow and what is to change in it. */
export type ArchitectWish = { readonly task: string } | { readonly flow: string; readonly change: string }
export interface ArchitectBegun {
  readonly id: string
  readonly status: "working"
  readonly iteration: number
  readonly run: string
  readonly urls: Readonly<Record<"self" | "accept" | "revise" | "run" | "events", string>>
}
export interface ArchitectRow {
  readonly id: string
  readonly status: "working" | "ready" | "failed" | "accepted" | "discarded"
  readonly task: string
  readonly flow?: string
  readonly iteration: number
  readonly run: string
  readonly files: number
  readonly created: string
  readonly updated: string
}
export type ArchitectSession = Omit<ArchitectRow, "files"> & {
  readonly summary?: string
  readonly error?: { readonly message: string }
  readonly revision?: number
  /** Its files have no error. */
  readonly valid: boolean
  readonly files: readonly {
    readonly path: string
    readonly change: "added" | "changed"
    readonly hash: string
    readonly diagnostics: readonly Diagnostic[]
    readonly moved?: { readonly base: string | null; readonly current: string | null }
  }[]
  /** Path → hunks of a unified diff. */
  readonly diff: Readonly<Record<string, string>>
}
export interface ArchitectAccepted {
  readonly id: string
  readonly status: "accepted"
  readonly revision: number
  readonly paths: readonly string[]
}

export interface ReferenceKind {
  /** JSON Schema of the values. */
  readonly schema: JsonObject
  readonly ttl_ms?: number
  readonly glimpse?: { readonly fields?: string[]; readonly max_items?: number }
}
export type KindRow = ReferenceKind & { readonly name: string }
export interface Reference {
  readonly kind: string
  readonly id: string
  readonly glimpse: JsonObject
  readonly untrusted?: true
}
export type Resolved = Reference & { readonly value?: Json }

export interface PlanKind {
  /** JSON Schema of a plan's body. */
  readonly schema: JsonObject
  readonly display_aliases?: Record<string, string>
  /** Who carries out its actions: a signed webhook, or a service binding of the instance. */
  readonly dispatcher: { readonly url: string; readonly secret: string } | { readonly binding: string }
}
export type PlanKindRow = PlanKind & { readonly name: string }
export interface RunPlan {
  readonly planId: string
  readonly plan: string
  readonly state: PlanState
  readonly display?: string
  readonly body: JsonObject
  readonly result?: { readonly entitiesAffected: number; readonly summary?: string; readonly details?: Json } | null
  readonly error?: string
}
