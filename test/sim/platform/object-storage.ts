// The storage of one object over an SQLite database of the process: rows, keys and the alarm. What is written is durable after `flush`; what was
// not is gone after `undo`.

import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import { deserialize, serialize } from "node:v8"

type Row = Record<string, SqlStorageValue>

/** What the storage's owner does about it. */
export interface StorageOwner {
  /** Something was written; `table`: by a statement about it. */
  wrote(table?: string): void
  /** An error: the disk refuses this write. */
  refuses(): Error | undefined
  /** Resolves when everything written so far is durable. */
  durable(): Promise<void>
}

const WRITES = /^\s*(?:\/\*.*?\*\/\s*)?(?:INSERT|UPDATE|DELETE|REPLACE|CREATE|DROP|ALTER|WITH\b.*\b(?:INSERT|UPDATE|DELETE)\b)/is
const SEVERAL = /;\s*\S/
const KEYS = "CREATE TABLE IF NOT EXISTS _cf_KV (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID"

const TABLE = /(?:\bINTO|^\s*UPDATE(?:\s+OR\s+\w+)?|\bDELETE\s+FROM)\s+"?(\w+)/i

interface Prepared {
  readonly statement: StatementSync
  readonly writes: boolean
  /** The table that it writes. */
  readonly table: string | undefined
}

export class ObjectStorage {
  readonly #db = new DatabaseSync(":memory:")
  readonly #prepared = new Map<string, Prepared>()
  #depth = 0
  #hasKeys = false
  /** When the alarm rings (ms since 1970), as written and as durable. */
  #alarm: number | null = null
  #durableAlarm: number | null = null
  /** While the alarm's handler runs, it is not set for whoever looks. */
  #isRinging = false
  owner: StorageOwner | undefined
  /** Commits and statements since the beginning. */
  readonly counts = { commits: 0, statements: 0 }

  constructor() {
    this.#db.exec("BEGIN")
  }

  get durableAlarm(): number | null {
    return this.#durableAlarm
  }

  /** The handler of the alarm begins. */
  ring(): void {
    this.#isRinging = true
  }

  /** The handler has ended. An alarm that was set meanwhile stays; the one that rang stays if the handler failed. */
  rang(isDone: boolean): void {
    if (isDone && this.#isRinging) this.#alarm = null
    this.#isRinging = false
  }

  /** Everything written so far is durable. */
  flush(): void {
    this.#db.exec("COMMIT; BEGIN")
    this.#durableAlarm = this.#alarm
    this.counts.commits++
  }

  /** Everything that was written since the last flush is gone. */
  undo(): void {
    this.#depth = 0
    this.#db.exec("ROLLBACK; BEGIN")
    this.#alarm = this.#durableAlarm
    this.#isRinging = false
    this.#hasKeys = false
  }

  close(): void {
    this.#prepared.clear()
    this.#db.close()
  }

  /** For the world: rows as they are, without an owner. */
  rows<T extends object>(query: string, ...values: SQLInputValue[]): T[] {
    return this.#prepare(query).statement.all(...values) as T[]
  }

  tables(): string[] {
    return this.rows<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").map(
      (it) => it.name,
    )
  }

  readonly sql = new Sql(this)

  /** One statement. */
  exec(query: string, values: readonly unknown[]): Cursor {
    this.counts.statements++
    // Of several statements `prepare` would take the first alone.
    if (values.length === 0 && SEVERAL.test(query)) {
      this.#write()
      this.#db.exec(query)
      return new Cursor([])
    }
    const { statement, writes, table } = this.#prepare(query)
    if (writes) this.#write(table)
    return new Cursor((statement.all(...values.map(inputOf)) as Row[]).map(asPlatform))
  }

  readonly kv = {
    get: (key: string): unknown => {
      if (!this.#knowsKeys()) return undefined
      const [row] = this.rows<{ value: Uint8Array }>("SELECT value FROM _cf_KV WHERE key = ?", key)
      return row && deserialize(row.value)
    },
    put: (key: string, value: unknown): void => {
      this.#write()
      if (!this.#hasKeys) this.#db.exec(KEYS)
      this.#hasKeys = true
      this.#prepare("INSERT OR REPLACE INTO _cf_KV (key, value) VALUES (?, ?)").statement.run(key, serialize(value))
    },
    delete: (key: string): boolean => {
      if (!this.#knowsKeys()) return false
      this.#write()
      return this.#prepare("DELETE FROM _cf_KV WHERE key = ?").statement.run(key).changes > 0
    },
    list: ({ prefix = "", limit = -1 }: { prefix?: string; limit?: number } = {}): Iterable<[string, unknown]> => {
      if (!this.#knowsKeys()) return []
      const query = "SELECT key, value FROM _cf_KV WHERE substr(key, 1, ?) = ? ORDER BY key LIMIT ?"
      const rows = this.rows<{ key: string; value: Uint8Array }>(query, prefix.length, prefix, limit)
      return rows.map(({ key, value }) => [key, deserialize(value)])
    },
  }

  transactionSync<T>(work: () => T): T {
    const point = `p${this.#depth++}`
    const alarm = this.#alarm
    this.#db.exec(`SAVEPOINT ${point}`)
    try {
      return work()
    } catch (e) {
      this.#db.exec(`ROLLBACK TO ${point}`)
      this.#alarm = alarm
      this.#hasKeys = false
      throw e
    } finally {
      this.#db.exec(`RELEASE ${point}`)
      this.#depth--
    }
  }

  /** Its row is there already, and needs no more room. */
  async setAlarm(at: number | Date): Promise<void> {
    this.owner?.wrote()
    this.#alarm = Number(at)
    this.#isRinging = false
  }

  async getAlarm(): Promise<number | null> {
    return this.#isRinging ? null : this.#alarm
  }

  async deleteAlarm(): Promise<void> {
    this.owner?.wrote()
    this.#alarm = null
    this.#isRinging = false
  }

  async deleteAll(): Promise<void> {
    this.#write()
    const all = this.rows<{ name: string; sql: string }>(
      "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    )
    const isVirtual = (it: { sql: string }): boolean => /^CREATE VIRTUAL/i.test(it.sql)
    for (const { name } of all.filter(isVirtual)) this.#db.exec(`DROP TABLE "${name}"`)
    for (const { name } of all.filter((it) => !isVirtual(it))) this.#db.exec(`DROP TABLE IF EXISTS "${name}"`)
    this.#hasKeys = false
    this.#alarm = null
  }

  async sync(): Promise<void> {
    await this.owner?.durable()
  }

  #write(table?: string): void {
    const refused = this.owner?.refuses()
    if (refused) throw refused
    this.owner?.wrote(table)
  }

  #knowsKeys(): boolean {
    return (this.#hasKeys ||= this.rows("SELECT 1 FROM sqlite_master WHERE name = '_cf_KV'").length > 0)
  }

  #prepare(query: string): Prepared {
    let found = this.#prepared.get(query)
    if (!found) {
      const writes = WRITES.test(query)
      found = { statement: this.#db.prepare(query), writes, table: writes ? TABLE.exec(query)?.[1] : undefined }
      this.#prepared.set(query, found)
    }
    return found
  }
}

class Sql {
  readonly #storage: ObjectStorage

  constructor(storage: ObjectStorage) {
    this.#storage = storage
  }

  exec(query: string, ...values: unknown[]): Cursor {
    return this.#storage.exec(query, values)
  }

  get databaseSize(): number {
    const query = "SELECT page_count * page_size AS size FROM pragma_page_count(), pragma_page_size()"
    return this.#storage.rows<{ size: number }>(query)[0]?.size ?? 0
  }
}

class Cursor implements Iterable<Row> {
  readonly #rows: readonly Row[]
  #at = 0

  constructor(rows: readonly Row[]) {
    this.#rows = rows
  }

  toArray(): Row[] {
    const rest = this.#rows.slice(this.#at)
    this.#at = this.#rows.length
    return rest
  }

  one(): Row {
    const [only] = this.#rows
    if (only === undefined || this.#rows.length > 1)
      throw new Error(`Expected exactly one result from SQL query, but got ${this.#rows.length} results.`)
    return only
  }

  next(): IteratorResult<Row> {
    const value = this.#rows[this.#at++]
    return value === undefined ? { done: true, value: undefined } : { done: false, value }
  }

  [Symbol.iterator](): Iterator<Row> {
    return this
  }

  get columnNames(): string[] {
    return Object.keys(this.#rows[0] ?? {})
  }
}

function inputOf(value: unknown): SQLInputValue {
  if (value === undefined) return null
  if (typeof value === "boolean") return value ? 1 : 0
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  return value as SQLInputValue
}

/** The platform's blobs are ArrayBuffers. */
function asPlatform(row: Row): Row {
  for (const name of Object.keys(row)) {
    const value: unknown = row[name]
    if (value instanceof Uint8Array) return blobs(row)
  }
  return { ...row }
}

const blobs = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]: [string, unknown]) => [
      name,
      value instanceof Uint8Array ? value.slice().buffer : (value as SqlStorageValue),
    ]),
  )
