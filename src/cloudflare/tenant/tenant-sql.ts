// Reads and writes the rows of a tenant's object. All methods are synchronous, so the reads and writes of one turn of the event loop are
// one commit. docs/STORAGE.md describes the tables.
//
// The first write creates the tables, so an object that is only read makes no commit. After a deletion only the founding of the next tenant of that
// name may create them: a message that comes late changes nothing [N3].

import { defined } from "../../core/defined.ts"
import { isKind } from "../../core/flow/catalog-kinds.ts"
import type {
  Act,
  Body,
  CatalogStore,
  Change,
  PathChange,
  CatalogRevision,
  StoredFile,
  StoredKind,
} from "../../engine/catalog/catalog-entry.ts"
import type { RevisionAction } from "../../ports/tenant/catalog.ts"
import { changesGround, LATER, SCHEMA, type LaterTable } from "./tenant-tables.ts"

/** Access to rows inside a transaction. */
export type TenantRows = Pick<SqlStorage, "exec">

export interface TenantSqlOptions {
  /** Is told of each revision. */
  readonly revised?: (revision: number, act: Act) => void
  /** false: the tenant was deleted. Only `begin` creates tables then, and before that nothing can be written. */
  readonly mayBegin?: () => boolean
}

/** Limit: projects of a tenant whose last apply is remembered → the one applied longest ago is forgotten, and has no drift. */
const KEPT_PROJECTS = 100

export class TenantSql implements CatalogStore {
  readonly #storage: DurableObjectStorage
  #isThere: boolean | undefined
  readonly #later = new Map<LaterTable, boolean>()
  #version = 0
  #revision: { readonly version: number; readonly number: number } | undefined

  readonly #revised: (revision: number, act: Act) => void
  readonly #mayBegin: () => boolean

  constructor(storage: DurableObjectStorage, { revised = () => undefined, mayBegin = () => true }: TenantSqlOptions = {}) {
    this.#storage = storage
    this.#revised = revised
    this.#mayBegin = mayBegin
  }

  /** Changes with each write to a table that starts are judged by: what was read before may be out of date. */
  get version(): number {
    return this.#version
  }

  revision(): number {
    if (this.#revision?.version !== this.#version) {
      const [row] = this.read<{ value: number }>("SELECT value FROM meta WHERE key = 'revision'")
      this.#revision = { version: this.#version, number: row?.value ?? 0 }
    }
    return this.#revision.number
  }

  files(): readonly StoredFile[] {
    return this.read<FileRecord>("SELECT kind, id, path, hash, size FROM file").map((row) => ({ ...row, kind: kindOf(row.kind) }))
  }

  /** Where the file of this name is. */
  pathOf(kind: StoredKind, id: string): string | undefined {
    return this.read<{ path: string }>("SELECT path FROM file WHERE kind = ? AND id = ?", kind, id)[0]?.path
  }

  commit(changes: readonly Change[], act: Act, also?: () => void): number {
    const at = Date.now()
    const written = this.write((sql) => {
      const revision = this.revision() + 1
      const done = new Map<string, PathChange>()
      for (const change of changes) {
        const { kind, id, path } = change
        const [row] = sql.exec<FileRecord>("SELECT kind, id, path, hash, size FROM file WHERE kind = ? AND id = ?", kind, id).toArray()
        const before = done.has(path) ? done.get(path)?.before : row && { hash: row.hash, size: row.size }
        const after = change.type === "put" ? { hash: change.hash, size: change.size } : undefined
        done.set(path, { kind, id, path, ...(before ? { before } : {}), ...defined({ after }) })
        if (!after) sql.exec("DELETE FROM file WHERE kind = ? AND id = ?", kind, id)
        else if (row?.hash !== after.hash || row.path !== path)
          sql.exec(
            "INSERT OR REPLACE INTO file (kind, id, path, hash, size, at) VALUES (?, ?, ?, ?, ?, ?)",
            kind,
            id,
            path,
            after.hash,
            after.size,
            at,
          )
      }
      const real = [...done.values()].filter((c) => c.before?.hash !== c.after?.hash)
      for (const change of real) insertChange(sql, revision, change)
      sql.exec(
        "INSERT INTO revision (number, at, by, action, target, changed) VALUES (?, ?, ?, ?, ?, ?)",
        revision,
        at,
        act.by ?? null,
        act.action,
        act.target ?? null,
        real.length,
      )
      if (act.forced === true) sql.exec("INSERT INTO revision_forced (number) VALUES (?)", revision)
      sql.exec("INSERT OR REPLACE INTO meta (key, value) VALUES ('revision', ?)", revision)
      if (act.project !== undefined) keepApplied(sql, act.project, revision, at)
      also?.()
      return revision
    })
    this.#revised(written, act)
    return written
  }

  lastApply(project: string): number | undefined {
    return this.read<{ revision: number }>("SELECT revision FROM applied WHERE project = ?", project)[0]?.revision
  }

  keepApply(project: string, revision: number): void {
    if (this.lastApply(project) !== revision) this.write((sql) => keepApplied(sql, project, revision, Date.now()))
  }

  revisions(below: number, limit: number): readonly CatalogRevision[] {
    const rows = this.read<RevisionRecord>(
      `SELECT revision.*, revision_forced.number AS forced FROM revision LEFT JOIN revision_forced USING (number)
       WHERE revision.number < ? ORDER BY revision.number DESC LIMIT ?`,
      below,
      limit,
    )
    return rows.map(({ number, at, by, action, target, forced, changed }) => ({
      revision: number,
      at,
      action: actionOf(action),
      changed,
      ...(by === null ? {} : { by }),
      ...(target === null ? {} : { target }),
      ...(forced === null ? {} : { forced: true as const }),
    }))
  }

  changes(after: number, upTo: number, limit = -1): readonly (PathChange & { readonly revision: number })[] {
    const rows = this.read<ChangeRecord>(
      "SELECT * FROM change WHERE revision > ? AND revision <= ? ORDER BY revision, path LIMIT ?",
      after,
      upTo,
      limit,
    )
    return rows.map((row) => {
      const before = bodyOf(row.before, row.before_size)
      const is = bodyOf(row.after, row.after_size)
      const { revision, id, path } = row
      return { revision, kind: kindOf(row.kind), id, path, ...defined({ before, after: is }) }
    })
  }

  /** Returns no rows until the first write. */
  read<T extends Record<string, SqlStorageValue>>(query: string, ...bindings: readonly SqlStorageValue[]): T[] {
    return this.#exists() ? this.#storage.sql.exec<T>(query, ...bindings).toArray() : []
  }

  /** Everything that `work` writes is one transaction: if it throws, nothing is written. Inside another `write` it is a part of that one. */
  write<T>(work: (sql: TenantRows) => T): T {
    const isThere = this.#exists()
    if (!isThere && !this.#mayBegin()) throw noTenant()
    let changed = false
    const exec: SqlStorage["exec"] = (query, ...values) => {
      changed ||= changesGround(query)
      return this.#storage.sql.exec(query, ...values)
    }
    try {
      return this.#transaction(isThere, () => work({ exec }))
    } finally {
      if (changed) this.#version++
    }
  }

  /** Times of rows that lie after `latest` become `now`: they were written before the clock was set back. */
  bringNear(table: string, column: string, now: number, latest: number): void {
    if (this.read(`SELECT 1 FROM ${table} WHERE ${column} > ? LIMIT 1`, latest).length > 0)
      this.write((sql) => sql.exec(`UPDATE ${table} SET ${column} = ? WHERE ${column} > ?`, now, latest))
  }

  /** Whether the table has had a row; asked once after the object wakes. Without one, nothing can be read of it. */
  has(table: LaterTable): boolean {
    const known = this.#later.get(table)
    if (known !== undefined) return known
    const is = this.read("SELECT 1 FROM sqlite_master WHERE name = ?", table).length > 0
    this.#later.set(table, is)
    return is
  }

  /** Before the first row, in the same `write`. Nothing that starts are judged by changes with it. */
  make(table: LaterTable): void {
    if (this.has(table)) return
    for (const statement of LATER[table]) this.#storage.sql.exec(`CREATE ${statement}`)
    this.#later.set(table, true)
  }

  /** The tenant is founded. */
  begin(): void {
    this.#transaction(this.#exists(), () => undefined)
  }

  /** `isThere`: the tables are there. They are known to be from inside the transaction on, so that a write inside it makes none. */
  #transaction<T>(isThere: boolean, work: () => T): T {
    try {
      return this.#storage.transactionSync(() => {
        if (!isThere) for (const statement of Object.values(SCHEMA)) this.#storage.sql.exec(`CREATE ${statement}`)
        this.#isThere = true
        return work()
      })
    } catch (e) {
      this.#isThere = isThere
      this.#later.clear()
      throw e
    }
  }

  /** Call this after `deleteAll`. */
  forget(): void {
    this.#isThere = undefined
    this.#later.clear()
    this.#version++
  }

  /** Asks once after the object wakes. */
  #exists(): boolean {
    this.#isThere ??= this.#storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'meta'").toArray().length > 0
    return this.#isThere
  }
}

function noTenant(): Error {
  const error = new Error("the tenant was deleted: nothing was written")
  error.name = "NoTenantError"
  return error
}

type FileRecord = { kind: string; id: string; path: string; hash: string; size: number }
type RevisionRecord = {
  number: number
  at: number
  by: string | null
  action: string
  target: number | null
  forced: number | null
  changed: number
}
type ChangeRecord = {
  revision: number
  path: string
  kind: string
  id: string
  before: string | null
  before_size: number | null
  after: string | null
  after_size: number | null
}

/** The newest projects are kept. */
function keepApplied(sql: TenantRows, project: string, revision: number, at: number): void {
  sql.exec("INSERT OR REPLACE INTO applied (project, revision, at) VALUES (?, ?, ?)", project, revision, at)
  sql.exec("DELETE FROM applied WHERE project NOT IN (SELECT project FROM applied ORDER BY at DESC, project LIMIT ?)", KEPT_PROJECTS)
}

const bodyOf = (hash: string | null, size: number | null): Body | undefined => (hash === null ? undefined : { hash, size: size ?? 0 })

function insertChange(sql: TenantRows, revision: number, { path, kind, id, before, after }: PathChange): void {
  sql.exec(
    "INSERT INTO change (revision, path, kind, id, before, before_size, after, after_size) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    revision,
    path,
    kind,
    id,
    before?.hash ?? null,
    before?.size ?? null,
    after?.hash ?? null,
    after?.size ?? null,
  )
}

function kindOf(text: string): StoredKind {
  if (!isKind(text) && text !== "package") throw new Error(`the catalog has a row of the unknown kind "${text}"`)
  return text
}

const ACTIONS: readonly RevisionAction[] = ["write", "remove", "replace", "merge", "rollback", "register", "unregister"]

function actionOf(text: string): RevisionAction {
  const action = ACTIONS.find((a) => a === text)
  if (action === undefined) throw new Error(`the catalog has a revision made by the unknown action "${text}"`)
  return action
}
