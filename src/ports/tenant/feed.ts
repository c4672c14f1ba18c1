// Defines the events of a tenant, for pages that show them live [H15]: kept in memory for a while, never stored.

import type { Json } from "../../core/json.ts"

/** The types of events, one for each kind of row in the console's lists. */
export type FeedType =
  | "run.began"
  | "run.changed"
  | "run.ended"
  | "run.deleted"
  | "bulk.changed"
  | "run.scored"
  | "feedback.given"
  | "question.asked"
  | "question.answered"
  | "revision.written"
  | "draft.written"
  | "draft.removed"

export interface FeedEvent {
  /** Where a reader goes on. */
  readonly id: string
  readonly type: FeedType
  /** ISO 8601 UTC. */
  readonly at: string
  readonly data: Readonly<Record<string, Json>>
}

export interface FeedLook {
  /** Names the stream for which it looks, so that there are not too many. */
  readonly reader: string
  /** The id of the last event that the reader has; absent: it begins now. */
  readonly after?: string
  /** Milliseconds to wait for an event. */
  readonly wait: number
}

/** `at`: where the next read continues. `gap`: events after `after` are lost, so the reader must reload its lists. */
export type FeedPage = { readonly at: string; readonly events: readonly FeedEvent[]; readonly gap: boolean } | "full"

export interface FeedPort {
  look(look: FeedLook): Promise<FeedPage>
  /** The reader is gone. */
  leave(reader: string): Promise<void>
}
