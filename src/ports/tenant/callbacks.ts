// Defines outgoing callbacks [W6]: the receivers of a tenant's run events, and the delivery status of each message.

import type { MessageStatus } from "../../api/callbacks.ts"
import type { Callback, CallbackDelivery } from "../../api/doc/callbacks.doc.ts"
import type { Row } from "../../api/rows.ts"

export type { MessageStatus }

/** A receiver of events from all of the tenant's runs. */
export interface CallbackRow extends Row<typeof Callback> {
  /** The address that links in messages begin with. */
  readonly address?: string
}

export type NewCallback = Omit<CallbackRow, "id" | "enabled" | "created">

/** One event for one receiver. */
export type MessageRow = Row<typeof CallbackDelivery>

/** [P17] The receiver of a run's questions and end as A2A updates. */
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

/** Tells whether a scope's values can sign. `no_key`: none of them is base64, with or without `whsec_`. */
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
