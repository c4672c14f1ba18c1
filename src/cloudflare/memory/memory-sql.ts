// Stores the rows of a tenant's memory [T23]. The text of an entry is in the FTS5 table only; `entry` has its attributes under the same
// number, and `vector` its embedding. docs/STORAGE.md describes the tables.
//
// All entries of a call appear in one commit. A short call is one commit; a long one writes hidden entries in pieces, because FTS5 takes 400 ms
// for a megabyte [N4], shows them in one, and removes in pieces what they replace. A hidden entry has a version that no namespace reaches; those
// that a crash left are removed before the next write.

import type { Pieces } from "../../core/pieces.ts"
import { err, ok, type Result } from "../../core/result.ts"
import type { MemoryBatch, MemoryMeta, MemoryWritten } from "../../ports/objects.ts"
import type { MemoryEntry } from "../../ports/tool.ts"
import { NUMBERED } from "../platform/format.ts"
import { matchExpression } from "../../core/text/match-expression.ts"

const ENTRY_BYTES = 64 * 1024 // limit: bytes of an entry of the memory → the tool fails
/** An object may hold 10 GB, but a memory of that size would make every search slow. */
const MEMORY_BYTES = 1024 * 1024 * 1024 // limit: bytes of a tenant's memory → the tool fails
/** A reader gets the newest entries that fit; RPC carries 32 MiB at most. */
const READ_BYTES = 1024 * 1024 // limit: bytes of one reading → the newest that fit are answered

const TABLES = `
  CREATE TABLE IF NOT EXISTS entry (n INTEGER PRIMARY KEY AUTOINCREMENT, namespace TEXT NOT NULL, version INTEGER NOT NULL,
    tainted INTEGER NOT NULL, source TEXT, key TEXT, at INTEGER NOT NULL ${NUMBERED});
  CREATE INDEX IF NOT EXISTS entry_by_namespace ON entry (namespace, n);
  CREATE UNIQUE INDEX IF NOT EXISTS entry_by_key ON entry (key) WHERE key IS NOT NULL;
  CREATE INDEX IF NOT EXISTS entry_hidden ON entry (n) WHERE version >= 4503599627370496;
  CREATE TABLE IF NOT EXISTS namespace (name TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS vector (n INTEGER PRIMARY KEY, model TEXT NOT NULL, body BLOB NOT NULL);
  CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(content, tokenize = 'unicode61 remove_diacritics 2');
`
const HIDDEN = 2 ** 52
const SHOWN = `e.version < ${HIDDEN}`
/** Characters that are written, and entries that are removed, at one go; the work of a character. */
const CHARS_AT_ONCE = 16 * 1024
const AT_ONCE = 8
const CHAR_WORK = 35
const COLUMNS = "e.n, e.namespace, e.tainted, e.source, e.at, words.content"

export interface Hit {
  readonly n: number
  /** Higher is nearer. */
  readonly score: number
}

export class MemorySql {
  readonly #storage: DurableObjectStorage
  #isThere: boolean | undefined
  #isReady = false

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  /** Writes nothing if an entry is too large or the memory is full. Whoever drives it drives no other write until it is done. */
  *write({ namespace, contents, replaces, meta }: MemoryBatch, at: number): Pieces<Result<MemoryWritten, string>> {
    const fault = this.#fault(namespace, contents)
    if (fault !== undefined) return err(fault)
    if (!this.#isReady) this.#storage.sql.exec(TABLES)
    this.#isReady = this.#isThere = true
    yield* this.#sweep()
    const keys = contents.map((_, i) => (meta.key === undefined ? undefined : contents.length === 1 ? meta.key : `${meta.key}/${i}`))
    const numbers: number[] = []
    let isNew = replaces
    for (let from = 0, to = 0; from < contents.length; from = to) {
      let chars = 0
      while (to < contents.length && (to === from || chars < CHARS_AT_ONCE)) chars += contents[to++]?.length ?? 0
      const some = this.#storage.transactionSync(() => {
        const added = contents.slice(from, to).map((content, i): number => {
          const there = replaces ? undefined : this.#under(keys[from + i], namespace, content)
          isNew ||= there === undefined
          return there ?? this.#hide({ namespace, content, key: keys[from + i], at }, meta)
        })
        // A short call is one commit.
        if (to === contents.length) this.#show(namespace, replaces, isNew)
        return added
      })
      numbers.push(...some)
      if (to < contents.length) yield chars * CHAR_WORK
    }
    if (contents.length === 0) this.#storage.transactionSync(() => this.#show(namespace, replaces, isNew))
    yield* this.#sweep()
    return ok({ numbers, version: this.#versionOf(namespace) })
  }

  /** What was hidden appears, and what it replaces goes, in the caller's commit. */
  #show(namespace: string, replaces: boolean, isNew: boolean): void {
    if (!isNew) return
    const version = this.#versionOf(namespace) + 1
    const { sql } = this.#storage
    if (replaces) sql.exec(`UPDATE entry AS e SET version = ?, key = NULL WHERE namespace = ? AND ${SHOWN}`, HIDDEN + 1, namespace)
    sql.exec("INSERT OR REPLACE INTO namespace (name, version) VALUES (?, ?)", namespace, version)
    sql.exec("UPDATE entry SET version = ? WHERE version = ?", version, HIDDEN)
  }

  /** Removes what is hidden: what was replaced, and what a crash left of a call. */
  *#sweep(): Pieces<void> {
    for (;;) {
      const rows = [
        ...this.#rows<{ n: number; chars: number }>(
          `SELECT e.n, length(words.content) AS chars FROM entry e JOIN words ON words.rowid = e.n WHERE e.version >= ${HIDDEN} LIMIT ?`,
          AT_ONCE,
        ),
      ]
      if (rows.length === 0) return
      this.#storage.transactionSync(() => {
        for (const { n } of rows)
          for (const statement of ["DELETE FROM words WHERE rowid = ?", "DELETE FROM vector WHERE n = ?", "DELETE FROM entry WHERE n = ?"])
            this.#storage.sql.exec(statement, n)
      })
      yield rows.reduce((sum, { chars }) => sum + chars, 0) * CHAR_WORK
    }
  }

  /** The newest entries, in the order in which they were written. */
  read(namespace: string, limit: number): MemoryEntry[] {
    const newest: MemoryEntry[] = []
    let size = 0
    const rows = this.#rows<EntryRow>(
      `SELECT ${COLUMNS} FROM entry e JOIN words ON words.rowid = e.n WHERE e.namespace = ? AND ${SHOWN} ORDER BY e.n DESC LIMIT ?`,
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
        `SELECT e.n, -bm25(words) AS score FROM words JOIN entry e ON e.n = words.rowid WHERE words MATCH ? AND ${SHOWN} ${within} ORDER BY score DESC, e.n DESC LIMIT ?`,
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
      `SELECT v.n, v.body FROM vector v JOIN entry e ON e.n = v.n WHERE v.model = ? AND ${SHOWN} ${within} ORDER BY v.n DESC LIMIT ?`,
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
        `SELECT e.n, words.content FROM entry e JOIN words ON words.rowid = e.n LEFT JOIN vector v ON v.n = e.n AND v.model = ? WHERE v.n IS NULL AND ${SHOWN} ORDER BY e.n DESC LIMIT ?`,
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
      const [row] = this.#rows<EntryRow>(`SELECT ${COLUMNS} FROM entry e JOIN words ON words.rowid = e.n WHERE e.n = ? AND ${SHOWN}`, n)
      return row ? [entryOf(row)] : []
    })
  }

  #fault(namespace: string, contents: readonly string[]): string | undefined {
    if (!isNamespace(namespace)) return "a namespace is 1 to 200 characters without control characters"
    for (const content of contents) {
      const size = new TextEncoder().encode(content).length
      if (size > ENTRY_BYTES) return `an entry of memory has ${size} bytes; the limit is ${ENTRY_BYTES}: write it in parts`
    }
    if (this.#storage.sql.databaseSize > MEMORY_BYTES) return "the tenant's memory is full (1 GiB): replace or shorten a namespace first"
    return undefined
  }

  #versionOf(namespace: string): number {
    return this.#one<{ version: number }>("SELECT version FROM namespace WHERE name = ?", namespace)?.version ?? 0
  }

  #hide({ namespace, content, key, at }: Fresh, { tainted, source }: MemoryMeta): number {
    const row = this.#one<{ n: number }>(
      "INSERT INTO entry (namespace, version, tainted, source, key, at) VALUES (?, ?, ?, ?, ?, ?) RETURNING n",
      namespace,
      HIDDEN,
      tainted ? 1 : 0,
      source ?? null,
      this.#isTaken(key) ? null : (key ?? null),
      at,
    )
    if (row === undefined) throw new Error("an entry was written but has no number")
    this.#storage.sql.exec("INSERT INTO words (rowid, content) VALUES (?, ?)", row.n, content)
    return row.n
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

interface Fresh {
  readonly namespace: string
  readonly content: string
  readonly key: string | undefined
  readonly at: number
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
