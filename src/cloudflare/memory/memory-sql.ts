// The rows of one tenant's memory [T23]. The text of an entry is in the FTS5 table only; `entry` has its attributes under the same number, and
// `vector` its embedding. Everything is synchronous, so that all writes of a call are one commit. docs/STORAGE.md describes the tables.

import { err, ok, type Result } from "../../core/result.ts"
import type { MemoryMeta, MemoryWritten } from "../../ports/objects.ts"
import type { MemoryEntry } from "../../ports/tool.ts"
import { matchExpression } from "../../core/text/match-expression.ts"

const ENTRY_BYTES = 64 * 1024
/** An object may hold 10 GB, but a memory of that size would make every search slow. */
const MEMORY_BYTES = 1024 * 1024 * 1024
/** A reader gets the newest entries that fit; RPC carries 32 MiB at most. */
const READ_BYTES = 1024 * 1024

const TABLES = `
  CREATE TABLE IF NOT EXISTS entry (n INTEGER PRIMARY KEY AUTOINCREMENT, namespace TEXT NOT NULL, version INTEGER NOT NULL,
    tainted INTEGER NOT NULL, source TEXT, key TEXT, at INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS entry_by_namespace ON entry (namespace, n);
  CREATE UNIQUE INDEX IF NOT EXISTS entry_by_key ON entry (key) WHERE key IS NOT NULL;
  CREATE TABLE IF NOT EXISTS namespace (name TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS vector (n INTEGER PRIMARY KEY, model TEXT NOT NULL, body BLOB NOT NULL);
  CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(content, tokenize = 'unicode61 remove_diacritics 2');
`
const COLUMNS = "e.n, e.namespace, e.tainted, e.source, e.at, words.content"

export interface Hit {
  readonly n: number
  /** Higher is nearer. */
  readonly score: number
}

export class MemorySql {
  readonly #storage: DurableObjectStorage
  #isThere: boolean | undefined

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  /** Writes nothing if an entry is too large or the memory is full. */
  append(namespace: string, contents: readonly string[], meta: MemoryMeta, at: number): Result<MemoryWritten, string> {
    return this.#write(namespace, contents, () => this.#insert(namespace, contents, meta, at))
  }

  /** Replaces everything in the namespace. */
  replace(namespace: string, contents: readonly string[], meta: MemoryMeta, at: number): Result<MemoryWritten, string> {
    return this.#write(namespace, contents, () => {
      for (const table of ["words", "vector"]) {
        const column = table === "words" ? "rowid" : "n"
        this.#storage.sql.exec(`DELETE FROM ${table} WHERE ${column} IN (SELECT n FROM entry WHERE namespace = ?)`, namespace)
      }
      this.#storage.sql.exec("DELETE FROM entry WHERE namespace = ?", namespace)
      return this.#insert(namespace, contents, meta, at)
    })
  }

  /** The newest entries, in the order in which they were written. */
  read(namespace: string, limit: number): MemoryEntry[] {
    const newest: MemoryEntry[] = []
    let size = 0
    const rows = this.#rows<EntryRow>(
      `SELECT ${COLUMNS} FROM entry e JOIN words ON words.rowid = e.n WHERE e.namespace = ? ORDER BY e.n DESC LIMIT ?`,
      namespace,
      limit,
    )
    for (const row of rows) {
      size += row.content.length
      if (size > READ_BYTES && newest.length > 0) break
      newest.push(entryOf(row))
    }
    return newest.toReversed()
  }

  /** Best first, by bm25; newer first among equals. */
  match(query: string, namespace: string | undefined, limit: number): Hit[] {
    const wanted = matchExpression(query)
    if (wanted === undefined) return []
    const within = namespace === undefined ? "" : "AND e.namespace = ?"
    return [
      ...this.#rows<Hit>(
        `SELECT e.n, -bm25(words) AS score FROM words JOIN entry e ON e.n = words.rowid WHERE words MATCH ? ${within} ORDER BY score DESC, e.n DESC LIMIT ?`,
        wanted,
        ...(namespace === undefined ? [] : [namespace]),
        limit,
      ),
    ]
  }

  /** Vectors of the newest entries, newest first: read one at a time, because all of them at once would be 20 MB. */
  *vectors(model: string, namespace: string | undefined, limit: number): Iterable<{ readonly n: number; readonly vector: Float32Array }> {
    const within = namespace === undefined ? "" : "AND e.namespace = ?"
    const rows = this.#rows<{ n: number; body: ArrayBuffer }>(
      `SELECT v.n, v.body FROM vector v JOIN entry e ON e.n = v.n WHERE v.model = ? ${within} ORDER BY v.n DESC LIMIT ?`,
      model,
      ...(namespace === undefined ? [] : [namespace]),
      limit,
    )
    for (const { n, body } of rows) yield { n, vector: new Float32Array(body) }
  }

  /** The newest entries that have no vector of this model yet. */
  withoutVector(model: string, limit: number): { readonly n: number; readonly content: string }[] {
    return [
      ...this.#rows<{ n: number; content: string }>(
        "SELECT e.n, words.content FROM entry e JOIN words ON words.rowid = e.n LEFT JOIN vector v ON v.n = e.n AND v.model = ? WHERE v.n IS NULL ORDER BY e.n DESC LIMIT ?",
        model,
        limit,
      ),
    ]
  }

  /** An entry that was deleted in the meantime gets none. */
  keepVectors(model: string, vectors: readonly { readonly n: number; readonly vector: Float32Array }[]): void {
    this.#storage.transactionSync(() => {
      for (const { n, vector } of vectors)
        this.#storage.sql.exec(
          "INSERT OR REPLACE INTO vector (n, model, body) SELECT n, ?, ? FROM entry WHERE n = ?",
          model,
          vector.slice().buffer,
          n,
        )
    })
  }

  /** In the given order, without entries that are gone. */
  entries(numbers: readonly number[]): MemoryEntry[] {
    return numbers.flatMap((n) => {
      const [row] = this.#rows<EntryRow>(`SELECT ${COLUMNS} FROM entry e JOIN words ON words.rowid = e.n WHERE e.n = ?`, n)
      return row ? [entryOf(row)] : []
    })
  }

  #write(namespace: string, contents: readonly string[], work: () => MemoryWritten): Result<MemoryWritten, string> {
    if (!isNamespace(namespace)) return err("a namespace is 1 to 200 characters without control characters")
    for (const content of contents) {
      const size = new TextEncoder().encode(content).length
      if (size > ENTRY_BYTES) return err(`an entry of memory has ${size} bytes; the limit is ${ENTRY_BYTES}: write it in parts`)
    }
    if (this.#storage.sql.databaseSize > MEMORY_BYTES)
      return err("the tenant's memory is full (1 GiB): replace or shorten a namespace first")
    return this.#storage.transactionSync(() => {
      if (!this.#exists()) this.#storage.sql.exec(TABLES)
      this.#isThere = true
      return ok(work())
    })
  }

  #insert(namespace: string, contents: readonly string[], { tainted, source, key }: MemoryMeta, at: number): MemoryWritten {
    const keys = contents.map((_, i) => (key === undefined ? undefined : contents.length === 1 ? key : `${key}/${i}`))
    const known = contents.map((content, i) => this.#under(keys[i], namespace, content))
    const before = this.#one<{ version: number }>("SELECT version FROM namespace WHERE name = ?", namespace)?.version ?? 0
    if (known.length > 0 && known.every((n) => n !== undefined)) return { numbers: known, version: before }
    const version = before + 1
    this.#storage.sql.exec("INSERT OR REPLACE INTO namespace (name, version) VALUES (?, ?)", namespace, version)
    const numbers = contents.map((content, i) => {
      const there = known[i]
      if (there !== undefined) return there
      const row = this.#one<{ n: number }>(
        "INSERT INTO entry (namespace, version, tainted, source, key, at) VALUES (?, ?, ?, ?, ?, ?) RETURNING n",
        namespace,
        version,
        tainted ? 1 : 0,
        source ?? null,
        this.#isTaken(keys[i]) ? null : (keys[i] ?? null),
        at,
      )
      if (row === undefined) throw new Error("an entry was written but has no number")
      this.#storage.sql.exec("INSERT INTO words (rowid, content) VALUES (?, ?)", row.n, content)
      return row.n
    })
    return { numbers, version }
  }

  /** A model may give two calls the same id: they are two calls if their texts differ. */
  #under(key: string | undefined, namespace: string, content: string): number | undefined {
    if (key === undefined) return undefined
    const query = "SELECT e.n FROM entry e JOIN words ON words.rowid = e.n WHERE e.key = ? AND e.namespace = ? AND words.content = ?"
    return this.#one<{ n: number }>(query, key, namespace, content)?.n
  }

  #isTaken(key: string | undefined): boolean {
    return key !== undefined && this.#one("SELECT n FROM entry WHERE key = ?", key) !== undefined
  }

  #one<T extends Record<string, SqlStorageValue>>(query: string, ...bindings: readonly SqlStorageValue[]): T | undefined {
    return this.#storage.sql.exec<T>(query, ...bindings).toArray()[0]
  }

  /** No rows if nothing was ever written. */
  #rows<T extends object>(query: string, ...bindings: readonly SqlStorageValue[]): Iterable<T> {
    return this.#exists() ? (this.#storage.sql.exec(query, ...bindings) as unknown as Iterable<T>) : []
  }

  #exists(): boolean {
    this.#isThere ??= this.#one("SELECT name FROM sqlite_master WHERE name = 'words'") !== undefined
    return this.#isThere
  }
}

type EntryRow = { n: number; namespace: string; tainted: number; source: string | null; at: number; content: string }

const entryOf = ({ n, namespace, content, tainted, source, at }: EntryRow): MemoryEntry => ({
  id: idOf(n),
  namespace,
  content,
  tainted: tainted === 1,
  ...(source === null ? {} : { source }),
  at,
})

export const idOf = (n: number): string => `mem_${n}`

const isNamespace = (name: string): boolean => /^\P{Cc}{1,200}$/u.test(name)
