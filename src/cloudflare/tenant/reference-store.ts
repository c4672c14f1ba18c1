// Stores the rows of references [C20–C25, T40] in the tenant's object. Values are blobs.

import type { ReferenceKind } from "../../core/references/reference-kind.ts"
import type { ReferenceRows } from "../../engine/run/references.ts"
import type { ReferenceRow } from "../../ports/references.ts"
import type { SettingStore } from "./settings/setting-store.ts"
import type { TenantSql } from "./tenant-sql.ts"

type Row = { kind: string; id: string; hash: string; glimpse: string; tainted: number; expires: number | null }

/** The number of expired rows that each write deletes, so that the table stays close to the references that can still be resolved. */
const SWEPT = 20

export class ReferenceStore implements ReferenceRows {
  readonly #sql: TenantSql
  readonly #settings: SettingStore
  readonly #left: (hashes: readonly string[]) => void

  /** `left` hears of the values that no reference names any more. */
  constructor(sql: TenantSql, settings: SettingStore, left: (hashes: readonly string[]) => void = () => undefined) {
    this.#sql = sql
    this.#settings = settings
    this.#left = left
  }

  kind(name: string): ReferenceKind | undefined {
    return this.#settings.item("references", name)
  }

  /** The kind is deleted. */
  forgetKind(name: string): void {
    this.#sql.write((sql) => this.#left(hashesOf(sql.exec<{ hash: string }>("DELETE FROM reference WHERE kind = ? RETURNING hash", name))))
  }

  find(kind: string, id: string): ReferenceRow | undefined {
    const [row] = this.#sql.read<Row>("SELECT kind, id, hash, glimpse, tainted, expires FROM reference WHERE kind = ? AND id = ?", kind, id)
    if (!row) return undefined
    const { glimpse, tainted, expires, ...rest } = row
    return { ...rest, glimpse: JSON.parse(glimpse), tainted: tainted === 1, ...(expires === null ? {} : { expires }) }
  }

  put({ kind, id, hash, glimpse, tainted, expires }: ReferenceRow, now: number): void {
    this.#sql.write((sql) => {
      sql.exec(
        "INSERT OR REPLACE INTO reference (kind, id, hash, glimpse, tainted, created, expires) VALUES (?, ?, ?, ?, ?, ?, ?)",
        kind,
        id,
        hash,
        JSON.stringify(glimpse),
        tainted ? 1 : 0,
        now,
        expires ?? null,
      )
      const expired = sql.exec<{ hash: string }>(
        "DELETE FROM reference WHERE (kind, id) IN (SELECT kind, id FROM reference WHERE expires <= ? ORDER BY expires LIMIT ?) RETURNING hash",
        now,
        SWEPT,
      )
      this.#left(hashesOf(expired))
    })
  }
}

const hashesOf = (rows: { toArray(): { hash: string }[] }): string[] => rows.toArray().map(({ hash }) => hash)
