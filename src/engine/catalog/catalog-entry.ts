// What the catalog holds of a file: which definition it is, under which path, and the hash of its body. Names, never bodies.

import type { Kind, RevisionAction, Tier } from "../../ports/catalog.ts"

/** A registered package is one row: its body is the list of its files [F70]. */
export type StoredKind = Kind | "package"

export interface Body {
  readonly hash: string
  /** Bytes. */
  readonly size: number
}

/** One of the tenant's own files: the only mutable thing of a catalog is which hash stands beside which name [F71]. */
export interface StoredFile extends Body {
  readonly kind: StoredKind
  /** Flow id, agent name, `skill/file`, or a package's name. One row for each (kind, id). */
  readonly id: string
  /** A path has one kind and id, and these have one path at a time. */
  readonly path: string
}

export interface Entry extends Body {
  readonly kind: Kind
  readonly id: string
  /** Of a package's file: `packages/NAME/agents/x.md`. */
  readonly path: string
  readonly tier: Tier
  /** The package's name, in the tier `package`. */
  readonly package?: string
}

export type Change =
  | ({ readonly type: "put" } & StoredFile)
  | { readonly type: "remove"; readonly kind: StoredKind; readonly id: string; readonly path: string }

/** Who made a revision, and by what. */
export interface Act {
  readonly action: RevisionAction
  /** Absent: not told. */
  readonly by?: string
  /** Of a rollback: the revision whose content came back. */
  readonly target?: number
}

/** What one revision did to one path. */
export interface PathChange {
  readonly kind: StoredKind
  readonly id: string
  readonly path: string
  readonly before?: Body
  readonly after?: Body
}

export interface Revision extends Act {
  readonly revision: number
  /** Milliseconds. */
  readonly at: number
  /** How many paths it changed. */
  readonly changed: number
}

/** The keeper of the rows. Synchronous: what is read and committed in one turn of the event loop cannot be torn. */
export interface CatalogStore {
  /** 0 before the first write. */
  revision(): number
  files(): readonly StoredFile[]
  /** All changes and the next revision in one transaction; answers that revision's number. Its cost is that of the changes alone. */
  commit(changes: readonly Change[], act: Act): number
  /** Newest first, beginning below `below`. */
  revisions(below: number, limit: number): readonly Revision[]
  /** What the revisions from `after` (not itself) to `upTo` did, oldest first, by path within one. At most `limit` rows. */
  changes(after: number, upTo: number, limit?: number): readonly (PathChange & { readonly revision: number })[]
}

export const keyOf = (kind: StoredKind, id: string): string => `${kind} ${id}`

/** `docs/api/errors.md` is the file `api/errors.md` of the skill `docs`. */
export function splitSkillId(id: string): { readonly skill: string; readonly file: string } {
  const slash = id.indexOf("/")
  return slash < 0 ? { skill: id, file: "" } : { skill: id.slice(0, slash), file: id.slice(slash + 1) }
}

export const SKILL_INDEX = "SKILL.md"
/** What the skill lets its agents do [T31]; it counts whether SKILL.md lists it or not. */
export const SKILL_MANIFEST = "manifest.json"
