// The journal over a Durable Object's SQLite [J7], [J8], [J15]. docs/STORAGE.md describes the tables.
//
// One row holds the events of one decision, keyed by its last seq, so four events cost one row write and one fsync
// (a commit of twenty events costs as much as a commit of one). A row is split before 1 MB; SQLite's limit here is 2 MB.

import type { RunEvent } from "../../core/run/event.ts"
import type { SnapshotParts } from "../../core/run/snapshot.ts"
import type { RunHead, StepState } from "../../core/run/state.ts"
import type { Commit, Journal, SealedState } from "../../ports/journal.ts"
import type { FileChange, FileEntry } from "../../ports/workspace.ts"

const ROW_CHARS = 500_000
/** Longer texts, such as an expanded prompt or a large snapshot, are stored in pieces: a character takes up to three bytes, a row 2 MB. */
const LONG_CHARS = 650_000

const TABLES = `
  CREATE TABLE IF NOT EXISTS entry (last INTEGER PRIMARY KEY, first INTEGER NOT NULL, events TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS part (name TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS file (path TEXT PRIMARY KEY, hash TEXT NOT NULL, size INTEGER NOT NULL, modified INTEGER NOT NULL, tainted INTEGER NOT NULL DEFAULT 0, private INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
`
/** [J20] In its own table, because most runs have none: a provider that wants nothing back adds no row. */
const STATES = "CREATE TABLE IF NOT EXISTS state (row TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID"
/** Marks of a file [G11]. Older journals may lack these columns. */
const MARKS = ["tainted", "private"] as const

export class SqlJournal implements Journal {
  readonly #storage: DurableObjectStorage
  /** undefined: not read yet. An object that never held a run has no tables. */
  #last: number | undefined
  /** The SQL that created the table of files. */
  #fileTable: string | undefined
  /** Total bytes of the files in the index; undefined: files have changed, compute it again. */
  #size: number | undefined

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  /** Call after the tables are emptied: clears the cached state. */
  forget(): void {
    this.#last = undefined
    this.#fileTable = undefined
    this.#size = undefined
  }

  last(): number {
    this.#last ??= this.#hasTable("entry") ? (this.#one<{ last: number | null }>("SELECT MAX(last) AS last FROM entry")?.last ?? 0) : 0
    return this.#last
  }

  commit({ events, texts, after, files, states, snapshot }: Commit): void {
    const first = events[0]
    const last = events.at(-1)
    if (!first || !last) return
    if (after !== this.last() || first.seq !== after + 1)
      throw new Error(`the journal ends at ${this.last()}, these events follow ${after}`)
    const rows = rowsOf(events, texts)
    const write = (): void => {
      // Tables are created in the turn of the first insert, so that a new object pays for the extra fsyncs once.
      if (after === 0) this.#storage.sql.exec(TABLES)
      for (const row of rows)
        this.#storage.sql.exec(
          "INSERT INTO entry (last, first, events) VALUES (?, ?, ?)",
          row.last,
          row.first,
          this.#fit(`entry/${row.last}`, row.body),
        )
      for (const change of files ?? []) this.#take(change, last.at)
      if (states) this.#store(states)
      if (snapshot) this.#keep(snapshot)
    }
    // Most commits are one row, and a single statement is atomic without a transaction.
    const isOneRow = after > 0 && rows.length === 1 && (rows[0]?.body.length ?? 0) <= LONG_CHARS && !files && !states && !snapshot
    try {
      if (isOneRow) write()
      else this.#storage.transactionSync(write)
    } catch (e) {
      // The rollback also removes an added column.
      this.#fileTable = undefined
      throw e
    }
    this.#last = last.seq
    // New tables are empty.
    if (files) this.#size = undefined
    else if (after === 0) this.#size = 0
  }

  /** `chars`: stops after the row that reaches this many characters, for readers that hold the whole page in memory. */
  read(after: number, limit: number, chars = Infinity): RunEvent[] {
    if (this.last() <= after) return []
    const events: RunEvent[] = []
    let size = 0
    for (const row of this.#storage.sql.exec<EntryRow>("SELECT last, events FROM entry WHERE last > ? ORDER BY last", after)) {
      const text = this.#whole(`entry/${row.last}`, row.events)
      for (const e of parse(text)) {
        if (e.seq <= after) continue
        events.push(e)
        if (events.length === limit) return events
      }
      size += text.length
      if (size >= chars) return events
    }
    return events
  }

  pick(seqs: readonly number[]): RunEvent[] {
    if (this.last() === 0) return []
    const events: RunEvent[] = []
    let row: RunEvent[] = []
    for (const seq of seqs) {
      const newest = row.at(-1)
      if (!newest || seq > newest.seq || seq < (row[0]?.seq ?? 0)) {
        const found = this.#one<EntryRow>("SELECT last, events FROM entry WHERE last >= ? ORDER BY last LIMIT 1", seq)
        row = found ? parse(this.#whole(`entry/${found.last}`, found.events)) : []
      }
      const event = row.find((e) => e.seq === seq)
      if (event) events.push(event)
    }
    return events
  }

  state(row: string): string | undefined {
    if (!this.#hasTable("state")) return undefined
    const found = this.#one<{ body: string }>("SELECT body FROM state WHERE row = ?", row)
    return found && this.#whole(`state/${row}`, found.body)
  }

  snapshot(): SnapshotParts | undefined {
    if (this.last() === 0) return undefined
    let head: RunHead | undefined
    const steps: Record<string, StepState> = {}
    for (const { name, body } of this.#storage.sql.exec<{ name: string; body: string }>("SELECT name, body FROM part")) {
      const whole = this.#whole(`part/${name}`, body)
      if (name === "head") head = JSON.parse(whole) as RunHead
      else steps[name.slice("step/".length)] = JSON.parse(whole) as StepState
    }
    return head ? { head, steps } : undefined
  }

  stat(path: string): FileEntry | undefined {
    if (this.last() === 0) return undefined
    const row = this.#one<FileRow>(`SELECT ${this.#fileColumns()} FROM file WHERE path = ?`, path)
    return row && entryOf(row)
  }

  list(prefix: string): FileEntry[] {
    if (this.last() === 0) return []
    const folder = prefix === "" ? "" : `${prefix}/`
    const from = `SELECT ${this.#fileColumns()} FROM file`
    // A range scan, not LIKE: the platform limits LIKE patterns to 50 bytes.
    const rows =
      prefix === ""
        ? this.#storage.sql.exec<FileRow>(`${from} ORDER BY path`)
        : this.#storage.sql.exec<FileRow>(`${from} WHERE path = ? OR (path >= ? AND path < ?) ORDER BY path`, prefix, folder, `${prefix}0`)
    return rows.toArray().map(entryOf)
  }

  /** Bytes of all files in the index. */
  size(): number {
    if (this.last() === 0) return 0
    this.#size ??= this.#one<{ size: number }>("SELECT coalesce(sum(size), 0) AS size FROM file")?.size ?? 0
    return this.#size
  }

  #take({ path, hash, size, tainted, private: isPrivate }: FileChange, at: number): void {
    const { sql } = this.#storage
    if (hash === null) {
      sql.exec("DELETE FROM file WHERE path = ?", path)
      return
    }
    // The table of an older run gets a missing column with its next file.
    for (const mark of MARKS)
      if (!this.#hasColumn(mark)) {
        sql.exec(`ALTER TABLE file ADD COLUMN ${mark} INTEGER NOT NULL DEFAULT 0`)
        this.#fileTable = undefined
      }
    sql.exec(
      "INSERT INTO file (path, hash, size, modified, tainted, private) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (path) DO UPDATE SET hash = excluded.hash, size = excluded.size, modified = excluded.modified, tainted = excluded.tainted, private = excluded.private",
      path,
      hash,
      size,
      at,
      tainted === true ? 1 : 0,
      isPrivate === true ? 1 : 0,
    )
  }

  #store(states: readonly SealedState[]): void {
    this.#storage.sql.exec(STATES)
    for (const { row, body } of states)
      this.#storage.sql.exec("INSERT OR REPLACE INTO state (row, body) VALUES (?, ?)", row, this.#fit(`state/${row}`, body))
  }

  #fileColumns(): string {
    return ["path, size, hash, modified", ...MARKS.map((mark) => (this.#hasColumn(mark) ? mark : `0 AS ${mark}`))].join(", ")
  }

  /** Read once per life of the object. The table of a new run has the column. */
  #hasColumn(mark: string): boolean {
    this.#fileTable ??= this.#one<{ sql: string }>("SELECT sql FROM sqlite_master WHERE name = 'file'")?.sql ?? ""
    return this.#fileTable.includes(mark)
  }

  #keep(parts: SnapshotParts): void {
    const put = (name: string, body: unknown): void => {
      this.#storage.sql.exec(
        "INSERT INTO part (name, body) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET body = excluded.body",
        name,
        this.#fit(`part/${name}`, JSON.stringify(body)),
      )
    }
    put("head", parts.head)
    for (const [id, s] of Object.entries(parts.steps)) put(`step/${id}`, s)
  }

  /** The row's content: the text, or "" if the text is stored in pieces. */
  #fit(name: string, text: string): string {
    if (text.length <= LONG_CHARS) return text
    const { sql } = this.#storage
    sql.exec("CREATE TABLE IF NOT EXISTS piece (name TEXT NOT NULL, n INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (name, n))")
    sql.exec("DELETE FROM piece WHERE name = ?", name)
    for (let at = 0, n = 0; at < text.length; n++) {
      // UTF-8 cannot encode half of a surrogate pair.
      const end = at + ROW_CHARS < text.length && isHigh(text.charCodeAt(at + ROW_CHARS - 1)) ? at + ROW_CHARS - 1 : at + ROW_CHARS
      sql.exec("INSERT INTO piece (name, n, body) VALUES (?, ?, ?)", name, n, text.slice(at, end))
      at = end
    }
    return ""
  }

  #whole(name: string, text: string): string {
    if (text !== "") return text
    return [...this.#storage.sql.exec<{ body: string }>("SELECT body FROM piece WHERE name = ? ORDER BY n", name)]
      .map((p) => p.body)
      .join("")
  }

  #hasTable(name: string): boolean {
    return this.#one("SELECT name FROM sqlite_master WHERE type = 'table' AND name = ?", name) !== undefined
  }

  #one<T extends Record<string, SqlStorageValue>>(query: string, ...values: SqlStorageValue[]): T | undefined {
    return this.#storage.sql.exec<T>(query, ...values).toArray()[0]
  }
}

const parse = (body: string): RunEvent[] => JSON.parse(body) as RunEvent[]

type EntryRow = { last: number; events: string }
type FileRow = { path: string; size: number; hash: string; modified: number; tainted: number; private: number }

const entryOf = ({ tainted, private: isPrivate, ...entry }: FileRow): FileEntry => ({
  ...entry,
  ...(tainted === 1 ? { tainted: true } : {}),
  ...(isPrivate === 1 ? { private: true } : {}),
})

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

function rowsOf(events: readonly RunEvent[], texts: readonly string[] = []): { first: number; last: number; body: string }[] {
  const rows: { first: number; last: number; parts: string[]; size: number }[] = []
  for (const [i, e] of events.entries()) {
    const text = texts[i] ?? JSON.stringify(e)
    const open = rows.at(-1)
    if (open && open.size + text.length < ROW_CHARS) {
      open.parts.push(text)
      open.size += text.length
      open.last = e.seq
    } else rows.push({ first: e.seq, last: e.seq, parts: [text], size: text.length })
  }
  return rows.map((r) => ({ first: r.first, last: r.last, body: `[${r.parts.join(",")}]` }))
}
