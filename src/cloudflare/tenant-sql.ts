// TenantSql: the rows of one tenant's object. Everything is synchronous, so what one call reads and writes in a turn of the event
// loop is one commit. docs/STORAGE.md describes the tables.
//
// The tables are created in the turn of the first write: an object that was only asked costs no commit at all.

import type { CatalogStore, Change, StoredFile } from "../engine/catalog-entry.ts"
import type { Kind } from "../ports/catalog.ts"

const SCHEMA = [
  "CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID",
  "CREATE TABLE IF NOT EXISTS file (kind TEXT NOT NULL, id TEXT NOT NULL, path TEXT NOT NULL, hash TEXT NOT NULL, size INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID",
  // What each revision changed; hash NULL: the path was removed. The catalog at N is each path's last row up to N.
  "CREATE TABLE IF NOT EXISTS history (revision INTEGER NOT NULL, path TEXT NOT NULL, kind TEXT NOT NULL, hash TEXT, size INTEGER, at INTEGER NOT NULL, PRIMARY KEY (revision, path)) WITHOUT ROWID",
  "CREATE TABLE IF NOT EXISTS provider (name TEXT PRIMARY KEY, settings TEXT NOT NULL, key BLOB, at INTEGER NOT NULL) WITHOUT ROWID",
  "CREATE TABLE IF NOT EXISTS role (name TEXT PRIMARY KEY, model TEXT NOT NULL) WITHOUT ROWID",
  "CREATE TABLE IF NOT EXISTS run (id TEXT PRIMARY KEY, flow TEXT NOT NULL, status TEXT NOT NULL, created INTEGER NOT NULL, ended INTEGER, seq INTEGER NOT NULL, view TEXT NOT NULL) WITHOUT ROWID",
  "CREATE INDEX IF NOT EXISTS run_by_creation ON run (created, id)",
] as const

export class TenantSql implements CatalogStore {
  readonly #storage: DurableObjectStorage
  #isThere: boolean | undefined

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  revision(): number {
    const [row] = this.read<{ value: number }>("SELECT value FROM meta WHERE key = 'revision'")
    return row?.value ?? 0
  }

  files(): readonly StoredFile[] {
    return this.read<{ kind: string; id: string; path: string; hash: string; size: number }>(
      "SELECT kind, id, path, hash, size FROM file",
    ).map((row) => ({
      ...row,
      kind: kindOf(row.kind),
    }))
  }

  commit(changes: readonly Change[]): number {
    const at = Date.now()
    return this.write((sql) => {
      const revision = this.revision() + 1
      for (const change of changes) {
        if (change.type === "put") this.#put(sql, change, revision, at)
        else {
          sql.exec("DELETE FROM file WHERE kind = ? AND id = ?", change.kind, change.id)
          sql.exec(
            "INSERT OR REPLACE INTO history (revision, path, kind, hash, size, at) VALUES (?, ?, ?, NULL, NULL, ?)",
            revision,
            change.path,
            change.kind,
            at,
          )
        }
      }
      sql.exec("INSERT OR REPLACE INTO meta (key, value) VALUES ('revision', ?)", revision)
      return revision
    })
  }

  #put(sql: SqlStorage, { kind, id, path, hash, size }: StoredFile, revision: number, at: number): void {
    const [before] = sql.exec<{ hash: string; path: string }>("SELECT hash, path FROM file WHERE kind = ? AND id = ?", kind, id).toArray()
    if (before?.hash === hash && before.path === path) return
    sql.exec("INSERT OR REPLACE INTO file (kind, id, path, hash, size, at) VALUES (?, ?, ?, ?, ?, ?)", kind, id, path, hash, size, at)
    sql.exec(
      "INSERT OR REPLACE INTO history (revision, path, kind, hash, size, at) VALUES (?, ?, ?, ?, ?, ?)",
      revision,
      path,
      kind,
      hash,
      size,
      at,
    )
  }

  /** No rows as long as nothing was ever written. */
  read<T extends Record<string, SqlStorageValue>>(query: string, ...bindings: readonly SqlStorageValue[]): T[] {
    return this.#exists() ? this.#storage.sql.exec<T>(query, ...bindings).toArray() : []
  }

  /** All that `work` writes is one transaction: it throws, and nothing happened. */
  write<T>(work: (sql: SqlStorage) => T): T {
    const result = this.#storage.transactionSync(() => {
      if (!this.#exists()) for (const statement of SCHEMA) this.#storage.sql.exec(statement)
      return work(this.#storage.sql)
    })
    this.#isThere = true
    return result
  }

  #exists(): boolean {
    this.#isThere ??= this.#storage.sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'meta'").toArray().length > 0
    return this.#isThere
  }
}

const KINDS: readonly Kind[] = ["agent", "flow", "skill", "rehearsal"]

function kindOf(text: string): Kind {
  const kind = KINDS.find((k) => k === text)
  if (kind === undefined) throw new Error(`the catalog has a row of the unknown kind "${text}"`)
  return kind
}
