// The kinds of references and the rows of their values [C20–C25, T40], in the tenant's object. Values are blobs.

import type { ReferenceKind } from "../../core/references/reference-kind.ts"
import type { ReferenceRows } from "../../engine/run/references.ts"
import { MOST_KINDS, type ReferenceRow } from "../../ports/references.ts"
import type { TenantSql } from "./tenant-sql.ts"

type Row = { kind: string; id: string; hash: string; glimpse: string; tainted: number; expires: number | null }

/** The number of expired rows that each write deletes, so that the table stays close to the references that can still be resolved. */
const SWEPT = 20

export class ReferenceStore implements ReferenceRows {
  readonly #sql: TenantSql

  constructor(sql: TenantSql) {
    this.#sql = sql
  }

  kinds(): readonly ReferenceKind[] {
    return this.#sql.read<{ body: string }>("SELECT body FROM reference_kind ORDER BY name").map(({ body }) => kindOf(body))
  }

  kind(name: string): ReferenceKind | undefined {
    return this.#sql.read<{ body: string }>("SELECT body FROM reference_kind WHERE name = ?", name).map(({ body }) => kindOf(body))[0]
  }

  putKind(kind: ReferenceKind, at: number): "created" | "replaced" | "full" {
    const exists = this.kind(kind.name) !== undefined
    if (!exists && this.kinds().length >= MOST_KINDS) return "full"
    this.#sql.write((sql) => {
      sql.exec("INSERT OR REPLACE INTO reference_kind (name, body, at) VALUES (?, ?, ?)", kind.name, JSON.stringify(kind), at)
    })
    return exists ? "replaced" : "created"
  }

  removeKind(name: string): boolean {
    if (this.kind(name) === undefined) return false
    this.#sql.write((sql) => {
      sql.exec("DELETE FROM reference WHERE kind = ?", name)
      sql.exec("DELETE FROM reference_kind WHERE name = ?", name)
    })
    return true
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
      sql.exec(
        "DELETE FROM reference WHERE (kind, id) IN (SELECT kind, id FROM reference WHERE expires <= ? ORDER BY expires LIMIT ?)",
        now,
        SWEPT,
      )
    })
  }
}

/** Needs no check: it was checked before it was written. */
const kindOf = (body: string): ReferenceKind => JSON.parse(body)
