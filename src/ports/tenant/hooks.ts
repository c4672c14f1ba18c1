// Defines a tenant's incoming webhooks [W1–W3] for HTTP routes, and the single hook that an unauthenticated request can reach.

import type { Delivery, Taken } from "../../api/doc/hooks.doc.ts"
import type { Row } from "../../api/rows.ts"
import type { JsonObject } from "../../core/json.ts"
import type { GivenFiles } from "../../core/run/given-file.ts"
import type { Trace } from "../../core/trace.ts"
import type { HookSettings } from "../../core/webhook/hook.ts"

/** Limit: hooks of a tenant; one response lists them all. */
export const MOST_HOOKS = 500 // limit: hooks of a tenant → 409 `too_many_hooks`
/** Limit: unverified or unreadable deliveries kept per hook [W2]. */
export const KEPT_REFUSALS = 100 // limit: refused deliveries kept of a hook → the oldest is forgotten
/** Limit: filtered deliveries per hook whose payload is kept, and characters of the payload. */
export const KEPT_FILTERED = 50 // limit: filtered deliveries of a hook that can be redelivered → 409 `not_redeliverable`
export const FILTERED_CHARS = 64 * 1024 // limit: characters of a filtered delivery that can be redelivered → 409 `not_redeliverable`
/** Limit: other deliveries kept of a hook → the oldest is forgotten. */
export const KEPT_DELIVERIES = 1_000
export const DELIVERY_DAYS = 30 // limit: days that a delivery is kept → it is forgotten

/** A hook's id: 16 random bytes and the tenant's name, in base64url. It cannot be guessed, and gives the tenant without a lookup. */
export const HOOK_ID = /^[A-Za-z0-9_-]{22,100}$/

export interface HookRow extends HookSettings {
  /** [F79] Of a hook that a file makes. */
  readonly name?: string
  readonly id: string
  /** Milliseconds. */
  readonly created: number
}

export type DeliveryVerdict = DeliveryResult["verdict"]
export interface DeliveryRow extends Row<typeof Delivery> {
  readonly verdict: Exclude<DeliveryVerdict, "duplicate">
}

export interface HooksPort {
  /** The caller has already checked that the flow and the vault scope exist. */
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
  /** Starts a new run with that delivery's input. A filtered delivery is judged by the hook's present filter and mapping. `refused`: no input of
   *  that delivery is stored. */
  redeliver(hook: string, delivery: string, act?: string): Promise<DeliveryResult | "not_found" | "refused">
}

/** A delivery whose sender is verified. */
export interface Delivered {
  readonly external: string | null
  /** [W3] If any of these keys was seen in the last 24 hours, the delivery is a duplicate. */
  readonly keys: readonly string[]
  readonly what:
    | {
        readonly verdict: "accepted"
        readonly task: string
        readonly inputs: JsonObject
        /** [F55] */
        readonly files?: GivenFiles
        /** [P1] */
        readonly thread?: string
        /** [F40] */
        readonly missing?: readonly string[]
        /** [N2] The address under which it was delivered, below a dispatcher. */
        readonly address?: string
        readonly payload: JsonObject
        /** [W7] How many callbacks of runs led to this delivery; absent: none. */
        readonly depth?: number
        /** [H8] The sender's trace. */
        readonly trace?: Trace
      }
    | { readonly verdict: "ping" }
    /** The payload, as it came, is kept for a while, so that it can be redelivered once the filter is mended. */
    | { readonly verdict: "filtered"; readonly reason?: string; readonly payload?: JsonObject }
    /** `failed`: valid, but it cannot start a run. `rejected`: too deep in a callback loop [W7]. */
    | { readonly verdict: "failed" | "rejected"; readonly reason: string }
}

export type DeliveryResult = Row<typeof Taken>

/** A single hook, for any caller with its id. An unauthenticated request can reach nothing else. */
export interface HookDoor {
  readonly hook: HookRow
  /** All values of its scope; empty: the scope was deleted. */
  readonly secrets: readonly string[]
  refuse(verdict: "rejected" | "malformed", reason: string): Promise<void>
  /** Durable when it resolves [W3]; undefined: the hook was deleted in the meantime. */
  deliver(delivered: Delivered): Promise<DeliveryResult | undefined>
}
