// Defines applies of a folder to the catalog [F78]: the changes, the breakage, and the changes of others since the last apply.

import type { Applied as AppliedShown, Drift as DriftShown, Gate } from "../../../api/doc/catalog.doc.ts"
import type { Row, Shown } from "../../../api/rows.ts"
import type { Diagnostic } from "../../../core/diagnostic.ts"
import type { CatalogPort, ProjectBundle, StaleRevision } from "../catalog.ts"
import type { DraftRow } from "./drafts.ts"
import type { GateReport, Writer } from "./gate.ts"

/** `replace`: the folders that are sent replace those of the catalog. `merge`: files are written, and only named files are deleted. */
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

/** Something that could start before the apply and cannot afterward. */
export type Break = ApplyOutcome["breaks"][number]

/** The sorted paths of the changes. */
export type ApplyOutcome = Pick<Shown<typeof AppliedShown>, "added" | "changed" | "removed" | "breaks">

type Diagnostics = Readonly<Record<string, readonly Diagnostic[]>>
interface Refused {
  readonly ok: false
  readonly diagnostics: Diagnostics
}

/** The result of an apply. An apply without changes makes no revision: `revision` is then the current one. */
export type Applied = (ApplyOutcome & { readonly ok: true; readonly revision: number; readonly diagnostics: Diagnostics }) | Refused

export type Drift = Row<typeof DriftShown>
export type DriftRow = Drift["changes"][number]

export interface GateVerdict extends Omit<Shown<typeof Gate>, "report"> {
  readonly report: GateReport
}

export type PassedOver = NonNullable<GateVerdict["passed_over"]>[number]

export type Planned<Gate = { readonly gate: GateVerdict }> =
  | (ApplyOutcome & { readonly ok: true; readonly revision: number; readonly diagnostics: Diagnostics; readonly drift: Drift } & Gate)
  | Refused

export type DraftWritten =
  /** `revision`: the catalog that it was checked against. */
  | (ApplyOutcome & { readonly ok: true; readonly draft: DraftRow; readonly revision: number; readonly diagnostics: Diagnostics })
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
