// Defines drafts of the catalog [F80]: folders for starts that name them. The catalog, its revisions, hooks and schedules stay unchanged
// until somebody applies the folder.

/** The name of a draft. A start refers to it as `flow@draft:NAME`. */
export const DRAFT_NAME = /^[a-z][a-z0-9-]{0,39}$/
/** Limit: drafts of a tenant's catalog → 409 `too_many_drafts`. */
export const MAX_DRAFTS = 20
/** The time after its last write, in milliseconds, when a draft is deleted. */
export const DRAFT_KEPT_MS = 12 * 3_600_000 // limit: how long a draft stays after its last writing → a start with its name is 404

export interface DraftRow {
  readonly name: string
  readonly mode: "merge" | "replace"
  readonly files: number
  /** Who wrote it last; null: unknown. */
  readonly by: string | null
  /** Told of its files when it was last written; undefined: none. */
  readonly warnings?: number
  /** Milliseconds. */
  readonly created: number
  readonly at: number
  readonly expires: number
}
