// Stores the calls that a map's run gathers, and the batches it has sent [R33, R34]. What a call asks and what it was answered are sealed: a
// request holds what its provider wants back of earlier replies [J20]. docs/STORAGE.md describes the tables.

import type { GatheredCall } from "../../../core/run/batch/gathering.ts"
import type { HandedCall } from "../../../ports/batched-calls.ts"
import { RunTables } from "../journal/run-tables.ts"

const CALL = "batch_call"
const CALL_COLUMNS =
  "(id TEXT PRIMARY KEY, step TEXT NOT NULL, pass INTEGER NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL, run TEXT NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL, bytes INTEGER NOT NULL, due INTEGER NOT NULL, batch TEXT, end TEXT)"
const PART = "batch_part"
const PART_COLUMNS = "(id TEXT NOT NULL, n INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (id, n)) WITHOUT ROWID"
const BATCH = "batch"
const BATCH_COLUMNS =
  "(name TEXT PRIMARY KEY, key TEXT NOT NULL, step TEXT NOT NULL, pass INTEGER NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL, state TEXT NOT NULL, id TEXT NOT NULL, looks INTEGER NOT NULL, next INTEGER NOT NULL, expires INTEGER NOT NULL)"
/** SQLite's limit here is 2 MB per row. */
const PIECE = 1_000_000

/** What became of a call, as the batch's end counts it; `lost` counts as failed. */
export type BatchedEnd = "answered" | "failed" | "expired" | "canceled" | "lost"

export interface AnsweredRow {
  readonly id: string
  readonly run: string
  readonly key: string
  readonly batch: string
}

/** `id`: the provider's name for it; empty while it is being sent. `read`: all of it is here, and the provider has not deleted it. `closing`:
 *  nobody wants it, and the provider has not heard so. */
export interface BatchRow {
  readonly name: string
  readonly key: string
  readonly step: string
  readonly pass: number
  readonly provider: string
  readonly model: string
  readonly state: "sending" | "sent" | "read" | "closing"
  readonly id: string
  readonly looks: number
  readonly next: number
  readonly expires: number
}

/** The bytes of its request, and all of it. */
export interface SealedCall {
  readonly bytes: number
  readonly sealed: Uint8Array
}

type Values = Record<string, SqlStorageValue>

export class BatchRows {
  readonly #sql: SqlStorage
  readonly #storage: DurableObjectStorage
  readonly #tables: RunTables

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
    this.#sql = storage.sql
    this.#tables = new RunTables(storage)
  }

  /** The object is emptied. */
  forget(): void {
    this.#tables.forget()
  }

  get areAny(): boolean {
    return this.#isAny(CALL) || this.#isAny(BATCH)
  }

  has(call: string): boolean {
    return this.#rows<{ id: string }>(`SELECT id FROM ${CALL} WHERE id = ?`, call).length > 0
  }

  take({ id, step, pass, provider, model, run, key }: HandedCall, { bytes, sealed }: SealedCall, at: number): void {
    this.#storage.transactionSync(() => {
      this.#tables.make(CALL, CALL_COLUMNS)
      this.#tables.make(PART, PART_COLUMNS)
      this.#tables.make(BATCH, BATCH_COLUMNS)
      const values = [id, step, pass, provider, model, run, key, at, bytes, 0]
      this.#sql.exec(
        `INSERT INTO ${CALL} (id, step, pass, provider, model, run, key, at, bytes, due) VALUES (${values.map(() => "?").join()})`,
        ...values,
      )
      this.#keep(id, sealed)
    })
  }

  /** In the order in which they came. */
  gathered(): GatheredCall[] {
    return this.#rows<Omit<GatheredCall, "notBefore"> & { due: number } & Values>(
      `SELECT id, step, pass, provider, model, at, bytes, due FROM ${CALL} WHERE batch IS NULL AND end IS NULL ORDER BY rowid`,
    ).map(({ due, ...call }) => ({ ...call, notBefore: due }))
  }

  body(id: string): Uint8Array {
    const parts = this.#rows<{ body: ArrayBuffer }>(`SELECT body FROM ${PART} WHERE id = ? ORDER BY n`, id).map(
      ({ body }) => new Uint8Array(body),
    )
    const whole = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0))
    let at = 0
    for (const part of parts) {
      whole.set(part, at)
      at += part.byteLength
    }
    return whole
  }

  begin(batch: Omit<BatchRow, "state" | "id" | "looks" | "expires">, calls: readonly GatheredCall[]): void {
    const { name, key, step, pass, provider, model, next } = batch
    const values = [name, key, step, pass, provider, model, "sending", "", 0, next, 0]
    this.#sql.exec(`INSERT INTO ${BATCH} VALUES (${values.map(() => "?").join()})`, ...values)
    for (const { id } of calls) this.#sql.exec(`UPDATE ${CALL} SET batch = ? WHERE id = ?`, name, id)
  }

  callsOf(name: string): string[] {
    return this.#rows<{ id: string }>(`SELECT id FROM ${CALL} WHERE batch = ? ORDER BY rowid`, name).map(({ id }) => id)
  }

  isOpenIn(name: string, call: string): boolean {
    return this.#rows<{ id: string }>(`SELECT id FROM ${CALL} WHERE id = ? AND batch = ? AND end IS NULL`, call, name).length > 0
  }

  /** Calls of the batch without an end. */
  openOf(name: string): string[] {
    return this.#rows<{ id: string }>(`SELECT id FROM ${CALL} WHERE batch = ? AND end IS NULL`, name).map(({ id }) => id)
  }

  sent(name: string, id: string, expires: number, next: number): void {
    this.#sql.exec(`UPDATE ${BATCH} SET state = 'sent', id = ?, expires = ?, looks = 0, next = ? WHERE name = ?`, id, expires, next, name)
    this.#sql.exec(`DELETE FROM ${PART} WHERE id IN (SELECT id FROM ${CALL} WHERE batch = ?)`, name)
  }

  /** It was not sent: its calls go into the next one, from then on. */
  unsent(name: string, due: number): void {
    this.#sql.exec(`UPDATE ${CALL} SET batch = NULL, due = ? WHERE batch = ?`, due, name)
    this.drop(name)
  }

  end(call: string, end: BatchedEnd, sealed?: Uint8Array): void {
    this.#sql.exec(`UPDATE ${CALL} SET end = ? WHERE id = ?`, end, call)
    this.#sql.exec(`DELETE FROM ${PART} WHERE id = ?`, call)
    if (sealed) this.#keep(call, sealed)
  }

  counts(name: string): Readonly<Record<string, number>> {
    const rows = this.#rows<{ end: string; n: number }>(`SELECT end, count(*) AS n FROM ${CALL} WHERE batch = ? GROUP BY end`, name)
    return Object.fromEntries(rows.map(({ end, n }) => [end, n]))
  }

  /** All of it is here: from now on its calls bear the provider's name of their batch, and their runs hear of it. */
  read({ name, id }: BatchRow, next: number): void {
    this.#sql.exec(`UPDATE ${BATCH} SET state = 'read', next = ? WHERE name = ?`, next, name)
    this.#sql.exec(`UPDATE ${CALL} SET batch = ? WHERE batch = ?`, id, name)
  }

  closing(name: string, next: number): void {
    this.#sql.exec(`UPDATE ${BATCH} SET state = 'closing', next = ? WHERE name = ?`, next, name)
  }

  later(name: string, looks: number, next: number): void {
    this.#sql.exec(`UPDATE ${BATCH} SET looks = ?, next = ? WHERE name = ?`, looks, next, name)
  }

  drop(name: string): void {
    this.#sql.exec(`DELETE FROM ${BATCH} WHERE name = ?`, name)
  }

  batches(): BatchRow[] {
    return this.#rows<BatchRow & Values>(`SELECT * FROM ${BATCH} ORDER BY rowid`)
  }

  /** Calls of batches that are over, whose end their runs have not heard. */
  answered(most: number): (AnsweredRow & { readonly end: BatchedEnd })[] {
    return this.#rows<AnsweredRow & { end: BatchedEnd } & Values>(
      `SELECT id, run, key, batch, end FROM ${CALL} WHERE end IS NOT NULL AND batch NOT IN (SELECT name FROM ${BATCH}) ORDER BY rowid LIMIT ?`,
      most,
    )
  }

  /** Its run has heard. */
  heard(call: string): void {
    this.#sql.exec(`DELETE FROM ${CALL} WHERE id = ?`, call)
    this.#sql.exec(`DELETE FROM ${PART} WHERE id = ?`, call)
  }

  /** The passes of maps that have calls here. */
  passes(): { readonly step: string; readonly pass: number }[] {
    return this.#rows<{ step: string; pass: number }>(`SELECT DISTINCT step, pass FROM ${CALL}`)
  }

  /** Nobody wants them any more. */
  forgetCalls(step: string, pass: number): void {
    this.#sql.exec(`DELETE FROM ${PART} WHERE id IN (SELECT id FROM ${CALL} WHERE step = ? AND pass = ?)`, step, pass)
    this.#sql.exec(`DELETE FROM ${CALL} WHERE step = ? AND pass = ?`, step, pass)
  }

  get #has(): boolean {
    return this.#tables.has(CALL)
  }

  #keep(id: string, sealed: Uint8Array): void {
    for (let [n, at] = [0, 0]; at < sealed.byteLength; n++, at += PIECE)
      this.#sql.exec(`INSERT OR REPLACE INTO ${PART} (id, n, body) VALUES (?, ?, ?)`, id, n, sealed.slice(at, at + PIECE).buffer)
  }

  #isAny(table: string): boolean {
    return this.#rows(`SELECT 1 AS one FROM ${table} LIMIT 1`).length > 0
  }

  #rows<Row extends Values>(query: string, ...values: readonly SqlStorageValue[]): Row[] {
    return this.#has ? this.#sql.exec<Row>(query, ...values).toArray() : []
  }
}
