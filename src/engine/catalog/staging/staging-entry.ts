// Defines the rows of architect sessions: one per session, and one per file that it staged or was shown.

import type { ArchitectSessionRow, SessionRow } from "../../../ports/tenant/authoring/architect.ts"
import type { Repair } from "../../../ports/tenant/authoring/repairs.ts"
import type { CatalogKind } from "../../../ports/tenant/catalog.ts"

export interface StagedRow {
  readonly path: string
  readonly kind: CatalogKind
  /** As in the catalog. */
  readonly id: string
  /** The catalog's hash when the session was shown this file, or first wrote it; null: no such file. */
  readonly base: string | null
  /** null: shown to the architect but not written, or written unchanged. */
  readonly hash: string | null
  /** Bytes. */
  readonly size: number
  /** null once accepted: the body is then in the tenant's blobs. */
  readonly text: string | null
  readonly at: number
}

export interface Position {
  readonly created: number
  readonly id: string
}

/** Synchronous, like CatalogStore. */
export interface StagingStore {
  session(id: string): ArchitectSessionRow | undefined
  files(session: string): readonly StagedRow[]
  /** Newest first, starting below `below`. */
  sessions(below: Position | undefined, limit: number): readonly SessionRow[]
  /** Number of open sessions. */
  open(): number
  /** Writes the session's row and the rows of `files` in one transaction; its other files stay. */
  save(session: ArchitectSessionRow, files?: readonly StagedRow[]): void
  /** Deletes the files that the session staged or was shown. */
  clear(session: string): void
  repair(session: string): Repair | undefined
  saveRepair(session: string, repair: Repair): void
  /** Deletes sessions whose last change is before `at`, with their files and repairs. */
  expire(at: number): void
}
