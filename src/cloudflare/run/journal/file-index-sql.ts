// Stores the index of a run's workspace [T20] in its object's SQLite: path → hash, size and marks. Bodies are blobs.

import { defined } from "../../../core/defined.ts"
import type { FileChange, FileEntry } from "../../../ports/workspace.ts"
import type { RunTables } from "./run-tables.ts"

const FILE = "file"
const COLUMNS =
  "(path TEXT PRIMARY KEY, hash TEXT NOT NULL, size INTEGER NOT NULL, modified INTEGER NOT NULL, tainted INTEGER NOT NULL, private INTEGER NOT NULL) WITHOUT ROWID"
const FOUND = "SELECT path, size, hash, modified, tainted, private FROM file"

type FileRow = { path: string; size: number; hash: string; modified: number; tainted: number; private: number }

export class SqlFileIndex {
  readonly #storage: DurableObjectStorage
  readonly #tables: RunTables
  /** Total bytes of the files in the index; undefined: files have changed, compute it again. */
  #size: number | undefined

  constructor(storage: DurableObjectStorage, tables: RunTables) {
    this.#storage = storage
    this.#tables = tables
  }

  stat(path: string): FileEntry | undefined {
    if (!this.#tables.has(FILE)) return undefined
    const row = this.#storage.sql.exec<FileRow>(`${FOUND} WHERE path = ?`, path).toArray()[0]
    return row && entryOf(row)
  }

  list(prefix: string): FileEntry[] {
    if (!this.#tables.has(FILE)) return []
    const folder = prefix === "" ? "" : `${prefix}/`
    const { sql } = this.#storage
    // A range scan, not LIKE: the platform limits LIKE patterns to 50 bytes.
    const rows =
      prefix === ""
        ? sql.exec<FileRow>(`${FOUND} ORDER BY path`)
        : sql.exec<FileRow>(`${FOUND} WHERE path = ? OR (path >= ? AND path < ?) ORDER BY path`, prefix, folder, `${prefix}0`)
    return rows.toArray().map(entryOf)
  }

  /** Bytes of all files in the index. */
  size(): number {
    if (!this.#tables.has(FILE)) return 0
    this.#size ??= this.#storage.sql.exec<{ size: number }>("SELECT coalesce(sum(size), 0) AS size FROM file").one().size
    return this.#size
  }

  /** After a change, and when the object is emptied. */
  forget(): void {
    this.#size = undefined
  }

  take({ path, hash, size, tainted, private: isPrivate }: FileChange, at: number): void {
    if (hash !== null) return this.put({ path, hash, size, modified: at, ...defined({ tainted, private: isPrivate }) })
    if (this.#tables.has(FILE)) this.#storage.sql.exec("DELETE FROM file WHERE path = ?", path)
  }

  put({ path, hash, size, modified, tainted, private: isPrivate }: FileEntry): void {
    this.#tables.make(FILE, COLUMNS)
    this.#storage.sql.exec(
      "INSERT INTO file (path, hash, size, modified, tainted, private) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (path) DO UPDATE SET hash = excluded.hash, size = excluded.size, modified = excluded.modified, tainted = excluded.tainted, private = excluded.private",
      path,
      hash,
      size,
      modified,
      tainted === true ? 1 : 0,
      isPrivate === true ? 1 : 0,
    )
  }
}

const entryOf = ({ tainted, private: isPrivate, ...entry }: FileRow): FileEntry => ({
  ...entry,
  ...(tainted === 1 ? { tainted: true } : {}),
  ...(isPrivate === 1 ? { private: true } : {}),
})
