// What is kept of the architect's sessions: a row for each, and one for each file that it staged or was shown.

import type { Session, SessionRow } from "../../ports/architect.ts"
import type { Kind } from "../../ports/catalog.ts"

export interface StagedRow {
  readonly path: string
  readonly kind: Kind
  /** As in the catalog. */
  readonly id: string
  /** Hash of what the catalog held when the session was shown this file, or first wrote it; null: there was none. */
  readonly base: string | null
  /** null: shown to the architect and not written, or written as it was. */
  readonly hash: string | null
  /** Bytes. */
  readonly size: number
  /** null once it was accepted: the body is then among the tenant's blobs. */
  readonly text: string | null
  readonly at: number
}

export interface Position {
  readonly created: number
  readonly id: string
}

/** Synchronous, as CatalogStore is. */
export interface StagingStore {
  session(id: string): Session | undefined
  files(session: string): readonly StagedRow[]
  /** Newest first, beginning below `below`. */
  sessions(below: Position | undefined, limit: number): readonly SessionRow[]
  /** How many sessions are open. */
  open(): number
  /** The session's row, and those of `files`, in one transaction; other files of it stay. */
  save(session: Session, files?: readonly StagedRow[]): void
  /** Forgets what the session staged and was shown. */
  clear(session: string): void
  /** Forgets sessions whose last change is before `at`, with their files. */
  expire(at: number): void
}
