// Stores the journal in a Durable Object's SQLite [J7], [J8], [J15]. docs/STORAGE.md describes the tables.
//
// One row holds the events of one commit, keyed by its last seq, so four events cost one row write and one fsync
// (a commit of twenty events costs as much as a commit of one). A row is split before 1 MB; SQLite's limit here is 2 MB.

import type { RunEvent } from "../../../core/run/event.ts"
import type { SnapshotParts } from "../../../core/run/snapshot.ts"
import type { Commit, Journal, JournalRow, Prefix, SealedState } from "../../../ports/journal.ts"
import type { FileEntry } from "../../../ports/workspace.ts"
import { NUMBERED } from "../../platform/format.ts"
import { sha256 } from "../../platform/sha256.ts"
import { eventsIn, RowEvents, rowsOf, type EntryRow } from "./entry-rows.ts"
import { SqlFileIndex } from "./file-index-sql.ts"
import { PackedTexts, type Stored } from "./packed-text.ts"
import { SqlParts } from "./part-sql.ts"
import { RunTables } from "./run-tables.ts"

const ENTRY = "entry"
const COLUMNS = `(last INTEGER PRIMARY KEY, first INTEGER NOT NULL, cuts TEXT NOT NULL, events TEXT NOT NULL ${NUMBERED})`
/** [J20] In its own table, because most runs have none: a provider that wants nothing back adds no row. */
const STATE = "state"
const STATE_COLUMNS = "(row TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID"

export class SqlJournal implements Journal {
  readonly #storage: DurableObjectStorage
  readonly #tables: RunTables
  readonly #texts: PackedTexts
  readonly #files: SqlFileIndex
  readonly #parts: SqlParts
  /** undefined: not read yet. An object that never held a run has no tables. */
  #last: number | undefined
  /** undefined: not read yet; null: the run is no fork. */
  #fork: ForkMark | null | undefined

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
    this.#tables = new RunTables(storage)
    this.#texts = new PackedTexts(storage, this.#tables)
    this.#files = new SqlFileIndex(storage, this.#tables)
    this.#parts = new SqlParts(storage, this.#tables, this.#texts)
  }

  /** Call after the tables are emptied: clears the cached state. */
  forget(): void {
    this.#last = undefined
    this.#fork = undefined
    this.#tables.forget()
    this.#files.forget()
  }

  last(): number {
    this.#last ??= this.#tables.has(ENTRY) ? (this.#one<{ last: number | null }>("SELECT MAX(last) AS last FROM entry")?.last ?? 0) : 0
    return this.#last
  }

  commit(entry: Commit): void {
    const { events, cuts, after, files, states, snapshot, prefix } = entry
    const first = events[0]
    const last = events.at(-1)
    if (!first || !last) return
    const before = prefix && this.last() === 0 ? (prefix.rows.at(-1)?.last ?? 0) : this.last()
    if (after !== before || first.seq !== after + 1) throw new Error(`the journal ends at ${this.last()}, these events follow ${after}`)
    const rows = rowsOf(entry)
    const ends = cuts ?? [last.seq]
    const write = (): void => {
      // Created in the turn of the first insert, so that a new object pays for the extra fsyncs once.
      this.#tables.make(ENTRY, COLUMNS)
      if (prefix) this.#begin(prefix, first.seq)
      for (const row of rows) this.#add(row, ends.filter((seq) => seq >= row.first && seq <= row.last).join(","))
      for (const change of files ?? []) this.#files.take(change, last.at)
      if (states) this.#store(states)
      if (snapshot) this.#parts.keep(snapshot)
    }
    // Most commits are one row, and a single statement is atomic without a transaction.
    const isOneRow = after > 0 && rows.length === 1 && !PackedTexts.isInPieces(rows[0]?.body ?? "") && !files && !states && !snapshot
    try {
      if (isOneRow && !prefix) write()
      else this.#storage.transactionSync(write)
    } catch (e) {
      // The rollback also removes a new table.
      this.#tables.forget()
      this.#fork = undefined
      throw e
    }
    this.#last = last.seq
    if (files || prefix) this.#files.forget()
  }

  /** [K8] */
  cuts(): number[] {
    if (this.last() === 0) return []
    const rows = this.#storage.sql.exec<{ cuts: string }>("SELECT cuts FROM entry WHERE cuts <> '' ORDER BY last")
    return Array.from(rows, ({ cuts }) => cuts.split(",").map(Number)).flat()
  }

  /** `chars`: stops after the row that reaches this many characters, for readers that hold the whole page in memory. */
  /** `counted` gets the characters of the rows that were read. */
  read(after: number, limit: number, chars = Infinity, counted: { chars: number } = { chars: 0 }): RunEvent[] {
    if (this.last() <= after) return []
    const events: RunEvent[] = []
    let size = 0
    for (const row of this.#storage.sql.exec<StoredRow>("SELECT last, events FROM entry WHERE last > ? ORDER BY last", after)) {
      const text = this.#textOf(row)
      counted.chars += text.length
      for (const e of eventsIn(text, sha256)) {
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
    let row: RowEvents | undefined
    for (const seq of seqs) {
      if (row === undefined || seq > row.last || seq < row.first) {
        const found = this.#one<StoredRow>("SELECT last, events FROM entry WHERE last >= ? ORDER BY last LIMIT 1", seq)
        row = found && new RowEvents(this.#textOf(found), sha256)
      }
      const event = row?.at(seq)
      if (event) events.push(event)
    }
    return events
  }

  state(row: string): string | undefined {
    if (!this.#tables.has(STATE)) return undefined
    const found = this.#one<{ body: Stored }>("SELECT body FROM state WHERE row = ?", row)
    return found && this.#texts.whole(`state/${row}`, found.body)
  }

  snapshot(): SnapshotParts | undefined {
    return this.last() === 0 ? undefined : this.#parts.snapshot()
  }

  stat(path: string): FileEntry | undefined {
    return this.last() === 0 ? undefined : this.#files.stat(path)
  }

  list(prefix: string): FileEntry[] {
    return this.last() === 0 ? [] : this.#files.list(prefix)
  }

  /** Bytes of all files in the index. */
  size(): number {
    return this.last() === 0 ? 0 : this.#files.size()
  }

  /** [K9] What makes this run a fork; undefined: it is none. Read once per life of the object. */
  fork(): ForkMark | undefined {
    if (this.last() === 0) return undefined
    if (this.#fork === undefined) this.#fork = this.#parts.get<ForkMark>(FORK) ?? null
    return this.#fork ?? undefined
  }

  /** The rows after `after`, the last of which holds event `upTo`; as many as have about this many characters. */
  rows(after: number, upTo: number, chars: number): JournalRow[] {
    const found: JournalRow[] = []
    let size = 0
    const query = "SELECT first, last, cuts, events FROM entry WHERE last > ? AND first <= ? ORDER BY last"
    for (const row of this.#storage.sql.exec<StoredRow & { first: number; cuts: string }>(query, after, upTo)) {
      const body = this.#bodyOf(row)
      found.push({ first: row.first, last: row.last, cuts: row.cuts, body })
      size += body.length
      if (size >= chars) break
    }
    return found
  }

  #begin({ rows, files, states, pinned }: Prefix, own: number): void {
    for (const row of rows) this.#add(row, row.cuts)
    for (const file of files) this.#files.put(file)
    if (states.length > 0) this.#store(states)
    this.#parts.put(FORK, { own, pinned } satisfies ForkMark)
    this.#fork = undefined
  }

  #add({ last, first, body, short }: EntryRow, cuts: string): void {
    const events = this.#texts.fit(`entry/${last}`, body, short)
    this.#storage.sql.exec("INSERT INTO entry (last, first, cuts, events) VALUES (?, ?, ?, ?)", last, first, cuts, events)
  }

  #store(states: readonly SealedState[]): void {
    this.#tables.make(STATE, STATE_COLUMNS)
    // Sealed text does not get shorter.
    for (const { row, body } of states)
      this.#storage.sql.exec("INSERT OR REPLACE INTO state (row, body) VALUES (?, ?)", row, this.#texts.cut(`state/${row}`, body))
  }

  #textOf({ last, events }: StoredRow): string {
    return this.#texts.whole(`entry/${last}`, events)
  }

  /** The JSON of its events, to the byte. */
  #bodyOf(row: StoredRow): string {
    const text = this.#textOf(row)
    return typeof row.events === "string" ? text : JSON.stringify(eventsIn(text, sha256))
  }

  #one<T extends Record<string, SqlStorageValue>>(query: string, ...values: SqlStorageValue[]): T | undefined {
    return this.#storage.sql.exec<T>(query, ...values).toArray()[0]
  }
}

/** `own`: the event that made the run a fork. `pinned`: the events that name its definitions. */
export interface ForkMark {
  readonly own: number
  readonly pinned: readonly number[]
}
const FORK = "fork"
type StoredRow = { last: number; events: Stored }
