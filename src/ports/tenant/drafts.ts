// Drafts of the catalog [F80]: a folder that only the starts which name it use. The catalog, its revisions, hooks and schedules stay as they are
// until somebody applies the folder.

import type { Diagnostic } from "../../core/diagnostic.ts"
import type { ApplyMode, ApplyWish, Outcome } from "./apply.ts"
import type { Writer } from "./gate.ts"

/** A start names it as `flow@NAME`. The first letter tells it from a revision. */
export const DRAFT_NAME = /^[a-z][a-z0-9-]{0,39}$/
/** Drafts of one tenant. */
export const MAX_DRAFTS = 20
/** A draft that nobody writes for so long is gone, in milliseconds. */
export const DRAFT_KEPT_MS = 12 * 3_600_000

export interface DraftRow {
  readonly name: string
  readonly mode: ApplyMode
  readonly files: number
  /** Who wrote it last; null: unknown. */
  readonly by: string | null
  /** Milliseconds. */
  readonly created: number
  readonly at: number
  readonly expires: number
}

type Diagnostics = Readonly<Record<string, readonly Diagnostic[]>>
export type DraftWritten =
  /** `revision`: the catalog that it was checked against. */
  | (Outcome & { readonly ok: true; readonly draft: DraftRow; readonly revision: number; readonly diagnostics: Diagnostics })
  /** The draft stays as it was. */
  | { readonly ok: false; readonly code: "invalid"; readonly diagnostics: Diagnostics }
  | { readonly ok: false; readonly code: "too_many"; readonly names: readonly string[] }

export interface DraftsPort {
  drafts(): Promise<readonly DraftRow[]>
  draft(name: string): Promise<DraftRow | undefined>
  /** Replaces the draft of this name as a whole. */
  putDraft(name: string, wish: ApplyWish, by?: Writer): Promise<DraftWritten>
  /** false: there was none. */
  removeDraft(name: string): Promise<boolean>
}
