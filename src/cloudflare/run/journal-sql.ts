// The journal over a Durable Object's SQLite [J7], [J8], [J15]. docs/STORAGE.md describes the tables.
//
// One row holds the events of one decision, keyed by its last seq, so four events cost one row write and one fsync
// (a commit of twenty events costs as much as a commit of one). A row is split before 1 MB; SQLite's limit here is 2 MB.

import type { RunEvent } from "../../core/run/event.ts"
import type { SnapshotParts } from "../../core/run/snapshot.ts"
import type { RunHead, StepState } from "../../core/run/state.ts"
import type { Commit, Journal, JournalRow, Prefix, SealedState } from "../../ports/journal.ts"
import type { FileChange, FileEntry } from "../../ports/workspace.ts"

const ROW_CHARS = 500_000
/** Longer texts, such as an expanded prompt or a large snapshot, are stored in pieces: a character takes up to three bytes, a row 2 MB. */
const LONG_CHARS = 650_000

const TABLES = `
  CREATE TABLE IF NOT EXISTS entry (last INTEGER PRIMARY KEY, first INTEGER NOT NULL, cuts TEXT, events TEXT NOT NULL);
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
  /** The SQL that created the tables of events and of files. */
  #entryTable: string | undefined
  #fileTable: string | undefined
  /** undefined: not read yet; null: the run is no fork. */
  #fork: ForkMark | null | undefined
  /** Total bytes of the files in the index; undefined: files have changed, compute it again. */
  #size: number | undefined

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  /** Call after the tables are emptied: clears the cached state. */
  forget(): void {
    this.#last = undefined
    this.#entryTable = undefined
    this.#fileTable = undefined
    this.#fork = undefined
    this.#size = undefined
  }

  last(): number {
    this.#last ??= this.#hasTable("entry") ? (this.#one<{ last: number | null }>("SELECT MAX(last) AS last FROM entry")?.last ?? 0) : 0
    return this.#last
  }

  commit({ events, texts, cuts, after, files, states, snapshot, prefix }: Commit): void {
    const first = events[0]
    const last = events.at(-1)
    if (!first || !last) return
    const before = prefix && this.last() === 0 ? (prefix.rows.at(-1)?.last ?? 0) : this.last()
    if (after !== before || first.seq !== after + 1) throw new Error(`the journal ends at ${this.last()}, these events follow ${after}`)
    const rows = rowsOf(events, texts)
    const ends = cuts ?? [last.seq]
    const write = (): void => {
      // Tables are created in the turn of the first insert, so that a new object pays for the extra fsyncs once.
      if (after === 0 || prefix) this.#storage.sql.exec(TABLES)
      if (prefix) this.#begin(prefix, first.seq)
      for (const row of rows) this.#add(row, ends.filter((seq) => seq >= row.first && seq <= row.last).join(","))
      for (const change of files ?? []) this.#take(change, last.at)
      if (states) this.#store(states)
      if (snapshot) this.#keep(snapshot)
    }
    // Most commits are one row, and a single statement is atomic without a transaction.
    const isOneRow =
      after > 0 && rows.length === 1 && (rows[0]?.body.length ?? 0) <= LONG_CHARS && !files && !states && !snapshot && !prefix
    try {
      if (isOneRow) write()
      else this.#storage.transactionSync(write)
    } catch (e) {
      // The rollback also removes a new table and an added column.
      this.#entryTable = undefined
      this.#fileTable = undefined
      this.#fork = undefined
      throw e
    }
    this.#last = last.seq
    // New tables are empty.
    if (files || prefix) this.#size = undefined
    else if (after === 0) this.#size = 0
  }

  /** [K8] A row of an earlier build has no cuts: it ends a decision unless it may have been split from the next row for its size. */
  cuts(): number[] {
    if (this.last() === 0) return []
    const cuts = this.#hasCuts() ? "cuts" : "NULL AS cuts"
    const query = `SELECT last, ${cuts}, length(events) AS size FROM entry ORDER BY last`
    const found: number[] = []
    let before: { readonly last: number; readonly size: number } | undefined
    const isSplit = (a: number, b: number): boolean => a === 0 || b === 0 || a + b >= ROW_CHARS
    for (const row of this.#storage.sql.exec<{ last: number; cuts: string | null; size: number }>(query)) {
      if (before && !isSplit(before.size, row.size)) found.push(before.last)
      before = undefined
      if (row.cuts === null) before = row
      else for (const seq of row.cuts.split(",")) if (seq !== "") found.push(Number(seq))
    }
    if (before) found.push(before.last)
    return found
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
      else if (name !== FORK) steps[name.slice("step/".length)] = JSON.parse(whole) as StepState
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

  /** [K9] What makes this run a fork; undefined: it is none. Read once per life of the object. */
  fork(): ForkMark | undefined {
    if (this.#fork === undefined) {
      const row = this.last() === 0 ? undefined : this.#one<{ body: string }>("SELECT body FROM part WHERE name = ?", FORK)
      if (this.last() === 0) return undefined
      this.#fork = row ? (JSON.parse(row.body) as ForkMark) : null
    }
    return this.#fork ?? undefined
  }

  /** The rows after `after`, the last of which holds event `upTo`; as many as have about this many characters. */
  rows(after: number, upTo: number, chars: number): JournalRow[] {
    const found: JournalRow[] = []
    let size = 0
    const cuts = this.#hasCuts() ? "cuts" : "NULL AS cuts"
    const query = `SELECT first, last, ${cuts}, events FROM entry WHERE last > ? AND first <= ? ORDER BY last`
    for (const row of this.#storage.sql.exec<EntryRow & { first: number; cuts: string | null }>(query, after, upTo)) {
      const body = this.#whole(`entry/${row.last}`, row.events)
      found.push({ first: row.first, last: row.last, cuts: row.cuts, body })
      size += body.length
      if (size >= chars) break
    }
    return found
  }

  #begin({ rows, files, states, pinned }: Prefix, own: number): void {
    for (const row of rows) this.#add(row, row.cuts)
    for (const file of files) this.#put(file)
    if (states.length > 0) this.#store(states)
    this.#storage.sql.exec("INSERT INTO part (name, body) VALUES (?, ?)", FORK, JSON.stringify({ own, pinned } satisfies ForkMark))
    this.#fork = undefined
  }

  #add({ last, first, body }: Pick<JournalRow, "first" | "last" | "body">, cuts: string | null): void {
    const { sql } = this.#storage
    const events = this.#fit(`entry/${last}`, body)
    // A run of an earlier build goes on without cuts.
    if (this.#hasCuts()) sql.exec("INSERT INTO entry (last, first, cuts, events) VALUES (?, ?, ?, ?)", last, first, cuts, events)
    else sql.exec("INSERT INTO entry (last, first, events) VALUES (?, ?, ?)", last, first, events)
  }

  /** Read once per life of the object. */
  #hasCuts(): boolean {
    this.#entryTable ??= this.#one<{ sql: string }>("SELECT sql FROM sqlite_master WHERE name = 'entry'")?.sql ?? ""
    return this.#entryTable.includes("cuts")
  }

  #take({ path, hash, size, tainted, private: isPrivate }: FileChange, at: number): void {
    if (hash === null) this.#storage.sql.exec("DELETE FROM file WHERE path = ?", path)
    else
      this.#put({
        path,
        hash,
        size,
        modified: at,
        ...(tainted === undefined ? {} : { tainted }),
        ...(isPrivate === undefined ? {} : { private: isPrivate }),
      })
  }

  #put({ path, hash, size, modified, tainted, private: isPrivate }: FileEntry): void {
    const { sql } = this.#storage
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
      modified,
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

/** `own`: the event that made the run a fork. `pinned`: the events that name its definitions. */
export interface ForkMark {
  readonly own: number
  readonly pinned: readonly number[]
}
const FORK = "fork"
type EntryRow = { last: number; events: string }
type FileRow = { path: string; size: number; hash: string; modified: number; tainted: number; private: number }

const entryOf = ({ tainted, private: isPrivate, ...entry }: FileRow): FileEntry => ({
  ...entry,
  ...(tainted === 1 ? { tainted: true } : {}),
  ...(isPrivate === 1 ? { private: true } : {}),
})

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

function rowsOf(events: readonly RunEvent[], texts: readonly string[] = []): Omit<JournalRow, "cuts">[] {
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
