// Tracks the owners of content bodies in R2, and bodies that may have lost their last owner [F71]. A run reports its bodies (`body_owner`);
// sessions, references, named workspaces and the catalog own the bodies in their rows. A body that loses an owner has a row in `body_left`
// until the sweep has looked for other owners. The sweep works from rows alone, so an eviction loses nothing.

import { YOUNG_MS } from "../../blobs/blobs-r2.ts"
import type { TenantSql } from "../tenant-sql.ts"

/** The time for which a body stays after its last owner is gone. Anyone who got its hash has reported as an owner by then. */
export const GRACE_MS = 4 * YOUNG_MS

/** Columns of the tenant's own rows that name bodies; of these tables, the first ones hold a hash alone, the others a text that may have some. */
const HASHES: Readonly<Record<string, readonly string[]>> = {
  file: ["hash"],
  change: ["before", "after"],
  tool: ["hash"],
  staged: ["base", "hash"],
  workspace_file: ["hash"],
  session_chunk: ["hash"],
  reference: ["hash"],
}
const TEXTS: readonly string[] = ["draft", "backtest", "repair"]
const HASH = /\b[0-9a-f]{64}\b/g

export interface LeftBody {
  readonly hash: string
  /** When an owner left it last (ms). */
  readonly at: number
  readonly due: number
}

export class BodyStore {
  readonly #sql: TenantSql
  readonly #now: () => number
  readonly #want: (at: number) => void
  /** false: KV never has any of them. */
  readonly #isCopied: boolean
  /** Bodies that are being deleted at this moment. */
  readonly #going = new Map<string, Promise<unknown>>()

  constructor(sql: TenantSql, now: () => number, { want, isCopied }: { readonly want: (at: number) => void; readonly isCopied: boolean }) {
    this.#sql = sql
    this.#now = now
    this.#want = want
    this.#isCopied = isCopied
  }

  own(owner: string, hashes: readonly string[]): void {
    if (hashes.length === 0) return
    this.#sql.write((sql) =>
      sql.exec("INSERT OR IGNORE INTO body_owner (hash, owner) SELECT value, ? FROM json_each(?)", owner, JSON.stringify(hashes)),
    )
  }

  /** The owner is gone. `hashes` absent: what it had reported. */
  gone(owner: string, hashes: readonly string[] = this.#of(owner)): void {
    if (hashes.length === 0) return
    this.#sql.write((sql) => {
      sql.exec("DELETE FROM body_owner WHERE owner = ? AND hash IN (SELECT value FROM json_each(?))", owner, JSON.stringify(hashes))
      this.left(hashes)
    })
  }

  /** Rows that named these bodies are gone. Somebody else may own them. */
  left(hashes: readonly string[]): void {
    if (hashes.length === 0) return
    const now = this.#now()
    const due = this.#isCopied ? now : now + GRACE_MS
    this.#sql.write((sql) =>
      sql.exec(
        `INSERT INTO body_left (hash, at, due, copied) SELECT value, ?1, ?2, ?3 FROM json_each(?4) WHERE true
         ON CONFLICT (hash) DO UPDATE SET at = excluded.at, due = excluded.due, copied = excluded.copied`,
        now,
        due,
        this.#isCopied ? 1 : 0,
        JSON.stringify(hashes),
      ),
    )
    this.#want(due)
  }

  /** Somebody is about to use the body anew, and reports it. Resolves when nobody deletes it any more. */
  async retain(hash: string): Promise<void> {
    const due = this.#now() + GRACE_MS
    if (this.#sql.read("SELECT 1 FROM body_left WHERE hash = ? AND copied = 0 AND due < ?", hash, due).length > 0)
      this.#sql.write((sql) => sql.exec("UPDATE body_left SET due = ? WHERE hash = ?", due, hash))
    await this.#going.get(hash)
  }

  earliest(): number | undefined {
    return this.#sql.read<{ due: number | null }>("SELECT min(due) AS due FROM body_left")[0]?.due ?? undefined
  }

  /** `copied`: of those whose copies in KV are not deleted yet. */
  due(now: number, copied: boolean, limit: number): LeftBody[] {
    return this.#sql.read<{ hash: string; at: number; due: number }>(
      "SELECT hash, at, due FROM body_left WHERE due <= ? AND copied = ? ORDER BY due LIMIT ?",
      now,
      copied ? 1 : 0,
      limit,
    )
  }

  /** Looks again at `due`. Their copies are deleted. */
  postpone(hashes: readonly string[], due: number): void {
    this.#sql.write((sql) =>
      sql.exec("UPDATE body_left SET due = ?, copied = 0 WHERE hash IN (SELECT value FROM json_each(?))", due, JSON.stringify(hashes)),
    )
  }

  /** Nothing is left to do for these. */
  done(hashes: readonly string[]): void {
    if (hashes.length > 0)
      this.#sql.write((sql) => sql.exec("DELETE FROM body_left WHERE hash IN (SELECT value FROM json_each(?))", JSON.stringify(hashes)))
  }

  /** Which of these somebody owns. */
  owned(hashes: readonly string[]): ReadonlySet<string> {
    const asked = JSON.stringify(hashes)
    const named = Object.entries(HASHES).flatMap(([table, columns]) => columns.map((column) => `SELECT ${column} AS hash FROM "${table}"`))
    const rows = ["SELECT hash FROM body_owner", ...named].flatMap((from) =>
      this.#sql.read<{ hash: string }>(`SELECT DISTINCT hash FROM (${from}) WHERE hash IN (SELECT value FROM json_each(?))`, asked),
    )
    const wanted = new Set(hashes)
    const texts = TEXTS.flatMap((table) => this.#sql.read<{ body: string }>(`SELECT body FROM "${table}"`))
    // [V32] What its trials begin with is fixed when it is asked; a trial that has begun owns its bodies itself.
    if (this.#sql.has("experiment")) texts.push(...this.#sql.read<{ body: string }>("SELECT body FROM experiment WHERE status = 'running'"))
    const inTexts = texts.flatMap(({ body }) => body.match(HASH) ?? []).filter((hash) => wanted.has(hash))
    return new Set([...rows.map(({ hash }) => hash), ...inTexts])
  }

  /** Which of these nobody owns, and the sweep does not know. */
  unknown(hashes: readonly string[]): string[] {
    const query = "SELECT hash FROM body_left WHERE hash IN (SELECT value FROM json_each(?))"
    const known = new Set(this.#sql.read<{ hash: string }>(query, JSON.stringify(hashes)).map(({ hash }) => hash))
    const owned = this.owned(hashes)
    return hashes.filter((hash) => !known.has(hash) && !owned.has(hash))
  }

  /** Manifests of packages, which name the files of theirs. */
  manifests(): string[] {
    const rows = this.#sql.read<{ hash: string }>(
      `SELECT hash FROM file WHERE kind = 'package' UNION SELECT before FROM change WHERE kind = 'package' AND before IS NOT NULL
       UNION SELECT after FROM change WHERE kind = 'package' AND after IS NOT NULL`,
    )
    return rows.map(({ hash }) => hash)
  }

  /** Does `work`, which deletes this body; who wants to use the body waits for it. */
  async going<T>(hash: string, work: () => Promise<T>): Promise<T> {
    const done = work()
    const quiet = done.catch(() => undefined)
    this.#going.set(hash, quiet)
    try {
      return await done
    } finally {
      if (this.#going.get(hash) === quiet) this.#going.delete(hash)
    }
  }

  /** Whether the body may go now: nobody has held it since. */
  isDue(hash: string, now: number): boolean {
    return this.#sql.read("SELECT 1 FROM body_left WHERE hash = ? AND due <= ?", hash, now).length > 0
  }

  mend(now: number): void {
    this.#sql.bringNear("body_left", "due", now, now + GRACE_MS)
  }

  #of(owner: string): string[] {
    return this.#sql.read<{ hash: string }>("SELECT hash FROM body_owner WHERE owner = ?", owner).map(({ hash }) => hash)
  }
}
