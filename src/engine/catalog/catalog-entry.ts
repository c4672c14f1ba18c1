// Defines what the catalog stores for a file: its definition, its path, and the hash of its body. Names, never bodies.

import type { ApplyMode } from "../../ports/tenant/authoring/apply.ts"
import type { GateProof } from "../../ports/tenant/authoring/gate.ts"
import type { CatalogKind, RevisionAction, Tier } from "../../ports/tenant/catalog.ts"

/** A registered package is one row: its body is the list of its files [F70]. */
export type StoredKind = CatalogKind | "package"

export interface Body {
  readonly hash: string
  /** Bytes. */
  readonly size: number
}

/** One of the tenant's own files. Only the hash stored for a name is mutable [F71]. */
export interface StoredFile extends Body {
  readonly kind: StoredKind
  /** Flow id, agent name, `skill/file`, or package name. One row per (kind, id). */
  readonly id: string
  /** A path has one kind and id, and each (kind, id) has one path at a time. */
  readonly path: string
}

export interface CatalogEntry extends Body {
  readonly kind: CatalogKind
  readonly id: string
  /** For a package's file: `packages/NAME/agents/x.md`. */
  readonly path: string
  readonly tier: Tier
  /** The package's name; only in the tier `package`. */
  readonly package?: string
}

export type Change =
  | ({ readonly type: "put" } & StoredFile)
  | { readonly type: "remove"; readonly kind: StoredKind; readonly id: string; readonly path: string }

/** The author and action of a revision. */
export interface Act {
  readonly action: RevisionAction
  /** Absent: unknown. */
  readonly by?: string
  /** [K24] Past the gate, or with proof for it. */
  readonly forced?: true
  readonly proof?: GateProof
  /** For a rollback: the revision whose content was restored. */
  readonly target?: number
  /** [F79] The writer may change what configures the tenant. */
  readonly configures?: true
  /** The address that links in messages begin with, if the request says it. */
  readonly address?: string
  /** [F78] Of an apply: whose it is. */
  readonly project?: string
}

/** A revision's change to a path. */
export interface PathChange {
  readonly kind: StoredKind
  readonly id: string
  readonly path: string
  readonly before?: Body
  readonly after?: Body
}

export interface CatalogRevision extends Act {
  readonly revision: number
  /** Milliseconds. */
  readonly at: number
  /** Number of changed paths. */
  readonly changed: number
}

/** Storage of the rows. Synchronous, so reads and commits in one turn of the event loop are consistent. */
export interface CatalogStore {
  /** 0 before the first write. */
  revision(): number
  files(): readonly StoredFile[]
  /** Writes all changes, the next revision, and whatever `also` writes, in one transaction and returns the revision's number. The cost
   *  depends only on the changes. */
  commit(changes: readonly Change[], act: Act, also?: () => void): number
  /** [F78] The revision after the project's last apply. */
  lastApply(project: string): number | undefined
  /** Of an apply that changed nothing; `commit` records any other. */
  keepApply(project: string, revision: number): void
  /** Newest first, starting below `below`. */
  revisions(below: number, limit: number): readonly CatalogRevision[]
  /** Changes of the revisions after `after` up to and including `upTo`, oldest first, by path within a revision. At most `limit` rows. */
  changes(after: number, upTo: number, limit?: number): readonly (PathChange & { readonly revision: number })[]
}

/** A stored draft. Its bodies are blobs, which runs can pin. */
export interface StoredDraft {
  readonly name: string
  readonly mode: ApplyMode
  /** Of `replace`: the folders that the draft has as a whole. */
  readonly folders: readonly string[]
  /** Of `merge`: the paths that the draft deletes. */
  readonly gone: readonly string[]
  readonly files: readonly StoredFile[]
  readonly by: string | null
  /** Told of its files when it was last written; undefined: none. */
  readonly warnings?: number
  readonly created: number
  readonly at: number
}

/** The head of a draft. `count`: the number of its files. */
export type DraftHead = Omit<StoredDraft, "files" | "folders" | "gone"> & { readonly count: number }

/** Storage of drafts, synchronous like the catalog's. */
export interface DraftStore {
  /** Milliseconds. */
  now(): number
  drafts(): readonly DraftHead[]
  draft(name: string): StoredDraft | undefined
  saveDraft(draft: StoredDraft): void
  removeDraft(name: string): void
  /** Removes those that were last written before this time. */
  expireDrafts(before: number): void
}

export const keyOf = (kind: StoredKind, id: string): string => `${kind} ${id}`

/** `guide/api/errors.md` is the file `api/errors.md` of the skill `guide`. */
export function splitSkillId(id: string): { readonly skill: string; readonly file: string } {
  const slash = id.indexOf("/")
  return slash < 0 ? { skill: id, file: "" } : { skill: id.slice(0, slash), file: id.slice(slash + 1) }
}

export const SKILL_INDEX = "SKILL.md"
/** The file with a skill's permissions [T31]; it applies even if SKILL.md does not list it. */
export const SKILL_MANIFEST = "manifest.json"
