// Defines the sticky sessions of a tenant [J25]: the current user of each, and its conversation. A session is identified by its agent and id.
//
// The tenant's object is the only authority on what a session contains; the conversations themselves are blobs.

import type { Session } from "../../api/doc/run/messages.doc.ts"
import type { Shown } from "../../api/rows.ts"
import type { SessionMessage } from "../../core/run/session/session-messages.ts"

export interface Claim {
  readonly agent: string
  readonly id: string
  /** `run/step/pass`: a repeated claim by the same pass gets the same result. */
  readonly by: string
  /** Absent: a missing session is created. */
  readonly mustExist?: boolean
  /** [G11] Text from outside may have chosen the id: a session that is created is marked from the start. */
  readonly tainted?: boolean
}

export type Claimed =
  | {
      readonly ok: true
      readonly isNew: boolean
      /** Hashes of the earlier conversations, oldest first. */
      readonly chunks: readonly string[]
      readonly bytes: number
      readonly tainted: boolean
      readonly private: boolean
    }
  | { readonly ok: false; readonly code: "unknown" }
  /** `by`: the `run/step/pass` that uses the session. `saves`: its run has ended, and is about to save its part. */
  | { readonly ok: false; readonly code: "busy"; readonly by: string; readonly saves?: true }

export type SessionRow = Shown<typeof Session>

/** One run's saved part of the conversation. `seq` counts from 1. */
export interface SessionPart {
  readonly seq: number
  readonly hash: string
  /** Milliseconds. */
  readonly at: number
}

/** The start of a page of a conversation: a message of a part. */
export interface ConversationPlace {
  readonly part: number
  readonly index: number
  readonly limit: number
}
export interface Conversation {
  readonly session: SessionRow
  /** Oldest first. */
  readonly data: readonly SessionMessage[]
  /** Parts of this page whose body is gone. */
  readonly unreadable: readonly number[]
  /** null: the page reaches the end. */
  readonly next: Omit<ConversationPlace, "limit"> | null
}

export interface StickySessions {
  claim(claim: Claim): Promise<Claimed>
  /** [K32] What the session contains, without claiming it; of a missing one, nothing. */
  look(agent: string, id: string): Promise<Claimed>
  /** Releases the session and adds `said` to it, if given. Does nothing if the caller does not hold the session (any longer). */
  giveBack(
    claim: Claim,
    said?: { readonly chunk: string; readonly bytes: number; readonly tainted: boolean; readonly private: boolean },
  ): Promise<void>
  /** The session and its saved parts after `after`, oldest first; undefined: no such session. */
  parts(
    agent: string,
    id: string,
    after: number,
    limit: number,
  ): Promise<{ readonly session: SessionRow; readonly parts: readonly SessionPart[] } | undefined>
  /** Most recently used first. */
  list(): Promise<readonly SessionRow[]>
  /** Deletes the session even while it is in use; its current conversation is then not stored. false: no such session. */
  remove(agent: string, id: string): Promise<boolean>
}
