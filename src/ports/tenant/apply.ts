// Applying a folder to the catalog [F78]: what one apply changes, what it breaks, and what others have changed since the last one.

import type { Diagnostic } from "../../core/diagnostic.ts"
import type { CatalogPort, ProjectBundle, RevisionAction, StaleRevision } from "./catalog.ts"
import type { DraftRow } from "./drafts.ts"
import type { GateReport, Writer } from "./gate.ts"

/** `replace`: the folders that are sent replace those of the catalog. `merge`: files are written, and only what is named is deleted. */
export type ApplyMode = "merge" | "replace"

export interface ApplyWish {
  readonly mode: ApplyMode
  readonly bundle: ProjectBundle
  /** Paths to delete. */
  readonly delete?: readonly string[]
  /** Whose last apply drift is counted from; absent: the project without a name. */
  readonly project?: string
  /** [W6] The address that links in messages begin with, if the request says it. */
  readonly address?: string
}

/** Something that could start, and cannot after the apply. */
export interface Break {
  readonly kind: "hook" | "schedule" | "agent" | "flow"
  readonly id: string
  readonly name?: string
  /** The flow that it starts; of a flow, the flow itself; of an agent, the flow of this agent alone. */
  readonly flow: string
  readonly why: string
}

/** Paths, sorted. */
export interface Outcome {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
  readonly breaks: readonly Break[]
}

type Diagnostics = Readonly<Record<string, readonly Diagnostic[]>>
interface Refused {
  readonly ok: false
  readonly diagnostics: Diagnostics
}

/** An apply that changes nothing is no revision: `revision` is the current one. */
export type Applied = (Outcome & { readonly ok: true; readonly revision: number; readonly diagnostics: Diagnostics }) | Refused

/** A file that is not as the project's last apply left it. */
export interface DriftRow {
  readonly path: string
  readonly status: "added" | "changed" | "removed"
  /** The newest revision that changed it, and what is known of it; `at` in milliseconds. */
  readonly revision: number
  readonly at: number
  readonly by: string | null
  readonly action: RevisionAction
  /** The apply would change the file again. */
  readonly overwritten: boolean
}

export interface Drift {
  /** The catalog's revision after the project's last apply; null: it was never applied, so there is no drift. */
  readonly since: number | null
  readonly changes: readonly DriftRow[]
  /** Not all changes are listed. */
  readonly more: boolean
}

export interface GateVerdict {
  readonly passed: boolean
  /** Gated flows that the apply reaches. */
  readonly reached: readonly string[]
  readonly report: GateReport
  /** Recorded runs that could not be tried, and so protect nothing; absent: there are none. */
  readonly passed_over?: readonly PassedOver[]
}

export interface PassedOver {
  readonly flow: string
  readonly run: string
  readonly message: string
}

export type Planned<Gate = { readonly gate: GateVerdict }> =
  | (Outcome & { readonly ok: true; readonly revision: number; readonly diagnostics: Diagnostics; readonly drift: Drift } & Gate)
  | Refused

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

/** The catalog with applies of whole folders, and with drafts of them. */
export interface ApplyingCatalog extends CatalogPort, DraftsPort {
  /** All or nothing, as one revision. `ifRevision`: the revision that the caller saw. */
  apply(wish: ApplyWish, ifRevision?: number): Promise<Applied | StaleRevision>
  /** What `apply` would do, without doing it. */
  plan(wish: ApplyWish, ifRevision?: number): Promise<Planned | StaleRevision>
}
