// Stores the record of an Idempotency-Key [H4], in the object named after (tenant, key). The row outlives a run in the same object.
//
// The record is written before the request does anything, so that the key still belongs to its request after a crash. Only memory knows
// whether that request is still running: after an eviction the next try counts as new, but is marked as a repeat (`again`).

import type { IdempotencyPort, StoredAnswer } from "../../ports/tenant/idempotency.ts"
import { NUMBERED } from "../platform/format.ts"

const KEPT_MS = 24 * 3_600_000 // limit: milliseconds that an answer is stored under its key → the key is new again
/** A Worker that dies with the request must not block the key: starts wait at most 90 s. */
const AT_WORK_MS = 120_000 // limit: milliseconds that an unfinished request holds its key → the request is made again

type Begun = Awaited<ReturnType<IdempotencyPort["begin"]>>

const TABLE = `CREATE TABLE IF NOT EXISTS answer (id INTEGER PRIMARY KEY CHECK (id = 1), digest TEXT NOT NULL, body TEXT NOT NULL, at INTEGER NOT NULL ${NUMBERED})`
/** Stored in place of the answer until there is an answer. */
const NONE = ""

type Row = { digest: string; body: string; at: number }
export type KeptRecord = Readonly<Row>

/** An age below zero is of a clock that has stepped back, and says nothing. */
const isYoung = (age: number): boolean => age >= 0 && age < AT_WORK_MS

export class IdempotencyRecord {
  readonly #storage: DurableObjectStorage
  #pending: { digest: string; since: number } | undefined

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  begin(digest: string): Begun {
    const row = this.#row()
    if (row && row.digest !== digest) return { state: "conflict" }
    if (row && row.body !== NONE) return { state: "replay", answer: JSON.parse(row.body) as StoredAnswer }
    const now = Date.now()
    if (this.#pending && isYoung(now - this.#pending.since)) return { state: "busy" }
    this.#pending = { digest, since: now }
    if (row) return { state: "new", again: true }
    this.#write(digest, NONE, now)
    return { state: "new" }
  }

  end(digest: string, answer: StoredAnswer | null): void {
    if (this.#pending?.digest === digest) this.#pending = undefined
    const row = this.#row()
    if (row && (row.digest !== digest || row.body !== NONE)) return
    if (answer !== null) this.#write(digest, JSON.stringify(answer), Date.now())
    else if (row) this.#storage.sql.exec("DELETE FROM answer")
  }

  /** For `restore`, when the storage is emptied around it. */
  kept(): KeptRecord | undefined {
    return this.#row()
  }

  restore(kept: KeptRecord | undefined): void {
    if (kept) this.#write(kept.digest, kept.body, kept.at)
  }

  /** When the record may be deleted, a day after it was written; undefined: there is no record. */
  until(): number | undefined {
    const row = this.#row()
    return row && row.at + KEPT_MS
  }

  /** The table exists and is empty. */
  isSpent(): boolean {
    return this.#hasTable() && this.#row() === undefined
  }

  #write(digest: string, body: string, at: number): void {
    this.#storage.transactionSync(() => {
      this.#storage.sql.exec(TABLE)
      this.#storage.sql.exec("INSERT OR REPLACE INTO answer (id, digest, body, at) VALUES (1, ?, ?, ?)", digest, body, at)
    })
  }

  #hasTable(): boolean {
    return this.#storage.sql.exec("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'answer'").toArray().length > 0
  }

  #row(): Row | undefined {
    return this.#hasTable() ? this.#storage.sql.exec<Row>("SELECT digest, body, at FROM answer WHERE id = 1").toArray()[0] : undefined
  }
}
