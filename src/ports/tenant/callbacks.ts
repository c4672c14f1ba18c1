// Outgoing callbacks [W6]: the receivers of a tenant's run events, and the delivery status of each message.

import type { MessageStatus } from "../../api/callbacks.ts"
import type { NoticeType, StartCallback } from "../../core/run/notice.ts"

export type { MessageStatus }

/** A receiver of events from all of the tenant's runs. */
export interface CallbackRow {
  readonly id: string
  /** [F79] Of the file that makes it. */
  readonly name?: string
  readonly url: string
  readonly events: readonly NoticeType[]
  /** The vault scope whose values sign the messages [T32]; empty: they are not signed. */
  readonly secret: string
  readonly kind?: Exclude<StartCallback["kind"], undefined>
  readonly payload?: Exclude<StartCallback["payload"], undefined>
  readonly format?: Exclude<StartCallback["format"], undefined>
  /** The address that links in messages begin with. */
  readonly address?: string
  /** false: the receiver answered 410, and nothing more is sent to it. */
  readonly enabled: boolean
  /** Milliseconds. */
  readonly created: number
}

export type NewCallback = Omit<CallbackRow, "id" | "enabled" | "created">

/** One event for one receiver. */
export interface MessageRow {
  /** Sent as `webhook-id` with every attempt. */
  readonly id: string
  readonly run: string
  /** null: the receiver came with the start of the run. */
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

/** [P17] Where the questions and the end of one run are sent as A2A's updates. */
export interface PushRow {
  readonly id: string
  readonly url: string
  /** Of the header Authorization. */
  readonly scheme?: string
}
export interface PushConfig extends PushRow {
  readonly token?: string
  readonly credentials?: string
}

/** Limit: push configurations of a task → 400. */
export const MOST_PUSHES = 10

export const MOST_CALLBACKS = 100 // limit: receivers of a tenant → 409 `too_many_callbacks`

/** Whether a scope's values can sign. `no_key`: none of them is base64, with or without `whsec_`. */
export type Signing = "ok" | "no_scope" | "no_key"

export interface CallbacksPort {
  /** One of the same id is replaced. `full`: the run already has MOST_PUSHES. */
  addPush(run: string, config: PushConfig): Promise<"ok" | "full">
  pushes(run: string): Promise<readonly PushRow[]>
  removePush(run: string, id: string): Promise<void>
  signing(scope: string): Promise<Signing>
  /** `full`: the tenant already has MOST_CALLBACKS. */
  create(callback: NewCallback, act?: string): Promise<CallbackRow | "full">
  /** Newest first. */
  list(): Promise<readonly CallbackRow[]>
  find(id: string): Promise<CallbackRow | undefined>
  /** Also deletes its messages. false: there is no such callback. */
  remove(id: string): Promise<boolean>
  /** Newest first. */
  messages(query: {
    readonly run?: string
    readonly status?: readonly MessageStatus[]
    readonly limit: number
    readonly cursor?: string
  }): Promise<{ readonly data: readonly MessageRow[]; readonly next_cursor: string | null } | { readonly badCursor: true }>
  message(id: string): Promise<MessageRow | undefined>
  /** Sends a dead message again, with a full set of attempts. A pending message is sent now. */
  redrive(id: string): Promise<"ok" | "not_found" | "delivered">
}
