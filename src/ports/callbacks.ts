// Callbacks out [W6]: who hears of a tenant's runs, and what became of each message.

import type { MessageStatus } from "../api/callbacks.ts"
import type { NoticeType } from "../core/run/notice.ts"

export type { MessageStatus }

/** A receiver of all of the tenant's runs. */
export interface CallbackRow {
  readonly id: string
  readonly url: string
  readonly events: readonly NoticeType[]
  /** The scope of the vault whose values sign [T32]. */
  readonly secret: string
  /** false: the receiver said 410, and is sent nothing any more. */
  readonly enabled: boolean
  /** Milliseconds. */
  readonly created: number
}

/** One event for one receiver. */
export interface MessageRow {
  /** The `webhook-id` of every try. */
  readonly id: string
  readonly run: string
  /** null: the receiver that the run's start named. */
  readonly callback: string | null
  readonly url: string
  readonly type: string
  readonly status: MessageStatus
  readonly attempts: number
  readonly last_status: number | null
  readonly last_error: string | null
  /** Milliseconds. */
  readonly created: number
}

export const MOST_CALLBACKS = 100

/** Can the values of a scope sign? `no_key`: none of them is base64, with or without `whsec_`. */
export type Signing = "ok" | "no_scope" | "no_key"

export interface CallbacksPort {
  signing(scope: string): Promise<Signing>
  /** `full`: the tenant has MOST_CALLBACKS. */
  create(callback: Pick<CallbackRow, "url" | "events" | "secret">, act?: string): Promise<CallbackRow | "full">
  /** Newest first. */
  list(): Promise<readonly CallbackRow[]>
  find(id: string): Promise<CallbackRow | undefined>
  /** Its messages go with it. false: there was none. */
  remove(id: string): Promise<boolean>
  /** Newest first. */
  messages(query: {
    readonly run?: string
    readonly status?: readonly MessageStatus[]
    readonly limit: number
    readonly cursor?: string
  }): Promise<{ readonly data: readonly MessageRow[]; readonly next_cursor: string | null } | { readonly badCursor: true }>
  message(id: string): Promise<MessageRow | undefined>
  /** Sends a dead message again, with all its tries; one that is pending is sent now. */
  redrive(id: string): Promise<"ok" | "not_found" | "delivered">
}
