// What the catalog holds of a file: which definition it is, under which path, and the hash of its body. Names, never bodies.

import type { Kind, Tier } from "../ports/catalog.ts"

/** One of the tenant's own files: the only mutable thing of a catalog is which hash stands beside which name [F71]. */
export interface StoredFile {
  readonly kind: Kind
  /** Flow id, agent name, or `skill/file`. One row for each (kind, id). */
  readonly id: string
  readonly path: string
  readonly hash: string
  /** Bytes. */
  readonly size: number
}

export interface Entry extends StoredFile {
  readonly tier: Tier
}

export type Change =
  | ({ readonly type: "put" } & StoredFile)
  | { readonly type: "remove"; readonly kind: Kind; readonly id: string; readonly path: string }

/** The keeper of the rows. Synchronous: what is read and committed in one turn of the event loop cannot be torn. */
export interface CatalogStore {
  /** 0 before the first write. */
  revision(): number
  files(): readonly StoredFile[]
  /** All changes and the next revision number in one transaction; answers that revision. */
  commit(changes: readonly Change[]): number
}

export const keyOf = (kind: Kind, id: string): string => `${kind} ${id}`

/** `docs/api/errors.md` is the file `api/errors.md` of the skill `docs`. */
export function splitSkillId(id: string): { readonly skill: string; readonly file: string } {
  const slash = id.indexOf("/")
  return slash < 0 ? { skill: id, file: "" } : { skill: id.slice(0, slash), file: id.slice(slash + 1) }
}

export const SKILL_INDEX = "SKILL.md"
