// A tenant's webhooks in [W1–W3], as its HTTP routes see them, and the one hook that an open request may knock at.

import type { JsonObject } from "../core/json.ts"
import type { Trace } from "../core/trace.ts"
import type { HookSettings } from "../core/webhook/hook.ts"

/** A tenant's hooks are listed at once. */
export const MOST_HOOKS = 500
/** Of deliveries that proved nothing, or whose body could not be read, so many are remembered per hook [W2]. */
export const KEPT_REFUSALS = 100
/** Of all others. */
export const KEPT_DELIVERIES = 1_000
export const DELIVERY_DAYS = 30

/** 16 random bytes and the tenant's name, in base64url: nobody guesses one, and it leads to its tenant without asking anybody. */
export const HOOK_ID = /^[A-Za-z0-9_-]{22,100}$/

export interface HookRow extends HookSettings {
  readonly id: string
  /** Milliseconds. */
  readonly created: number
}

export type Verdict = "accepted" | "filtered" | "duplicate" | "ping" | "rejected" | "malformed" | "failed"

export interface DeliveryRow {
  readonly id: string
  /** Milliseconds. */
  readonly at: number
  /** The sender's own id of it. */
  readonly external_id: string | null
  readonly verdict: Exclude<Verdict, "duplicate">
  readonly reason: string | null
  readonly run: string | null
  /** How often it came again. */
  readonly duplicates: number
  readonly redelivery_of: string | null
}

export interface HooksPort {
  /** Whether there is such a flow, and such a scope in the vault, is asked before. */
  create(settings: HookSettings, act?: string): Promise<HookRow | "too_many">
  /** Newest first. */
  list(): Promise<readonly HookRow[]>
  find(id: string): Promise<HookRow | undefined>
  replace(id: string, settings: HookSettings): Promise<HookRow | undefined>
  remove(id: string): Promise<boolean>
  /** Newest first; undefined: no such hook. */
  deliveries(
    hook: string,
    query: { readonly limit: number; readonly cursor?: string },
  ): Promise<{ readonly data: readonly DeliveryRow[]; readonly next_cursor: string | null } | { readonly badCursor: true } | undefined>
  delivery(hook: string, id: string): Promise<DeliveryRow | undefined>
  /** A new run of what that delivery gave; `refused`: it gave nothing that is kept. */
  redeliver(hook: string, delivery: string, act?: string): Promise<Taken | "not_found" | "refused">
}

/** A delivery that proved its sender. */
export interface Delivered {
  readonly external: string | null
  /** [W3] One of these was seen in the last 24 hours: a duplicate. */
  readonly keys: readonly string[]
  readonly what:
    | {
        readonly verdict: "accepted"
        readonly task: string
        readonly inputs: JsonObject
        readonly payload: JsonObject
        /** [W7] Callbacks of runs that led to it; absent: none. */
        readonly depth?: number
        /** [H8] What its sender says that it is a part of. */
        readonly trace?: Trace
      }
    | { readonly verdict: "filtered" | "ping" }
    /** It was understood, but nothing can come of it; or it is too deep in a loop [W7]. */
    | { readonly verdict: "failed" | "rejected"; readonly reason: string }
}

export interface Taken {
  readonly delivery: string
  readonly run: string | null
  readonly verdict: Verdict
}

/** One hook, for whoever knows its id: all that an open request can reach. */
export interface HookDoor {
  readonly hook: HookRow
  /** All values of its scope; none: the scope is gone. */
  readonly secrets: readonly string[]
  refuse(verdict: "rejected" | "malformed", reason: string): Promise<void>
  /** Durable when it resolves [W3]; undefined: the hook was deleted meanwhile. */
  deliver(delivered: Delivered): Promise<Taken | undefined>
}
