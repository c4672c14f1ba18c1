// Stores the ids behind the names of hooks, schedules and callbacks that files make [F79]. A name that comes back, by a rollback or a later
// apply, gets its id again, and with it the address that its senders know.

import type { ConfigKind } from "../../core/flow/catalog-kinds.ts"
import type { TenantSql } from "./tenant-sql.ts"

/** Limit: names of hooks, and of schedules, without a file whose ids are remembered → the oldest is forgotten, and gets a new address. */
const KEPT_NAMES = 1_000

export class NameStore {
  readonly #sql: TenantSql
  readonly #now: () => number

  constructor(sql: TenantSql, now: () => number) {
    this.#sql = sql
    this.#now = now
  }

  known(kind: ConfigKind, name: string): string | undefined {
    return this.#sql.read<{ id: string }>("SELECT id FROM named_item WHERE kind = ? AND name = ?", kind, name)[0]?.id
  }

  idOf(kind: ConfigKind, name: string, fresh: () => string): string {
    const id = this.known(kind, name) ?? fresh()
    this.#sql.write((sql) => {
      sql.exec("INSERT OR REPLACE INTO named_item (kind, name, id, at) VALUES (?, ?, ?, ?)", kind, name, id, this.#now())
      sql.exec(
        `DELETE FROM named_item WHERE kind = ?1 AND name IN (
           SELECT name FROM named_item WHERE kind = ?1 AND NOT EXISTS (SELECT 1 FROM file WHERE file.kind = ?1 AND file.id = name)
           ORDER BY at DESC LIMIT -1 OFFSET ?2)`,
        kind,
        KEPT_NAMES,
      )
    })
    return id
  }
}
