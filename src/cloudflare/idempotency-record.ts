// The record of one Idempotency-Key [H4], in the object that is named after (tenant, key). The row outlives a run in the same object.
// "In progress" is memory only: after a crash the request is simply a first one again, and its run's id is the same.

import type { IdempotencyPort, StoredAnswer } from "../ports/run.ts"

const KEPT_MS = 24 * 3_600_000

type Begun = Awaited<ReturnType<IdempotencyPort["begin"]>>

const TABLE =
  "CREATE TABLE IF NOT EXISTS answer (id INTEGER PRIMARY KEY CHECK (id = 1), digest TEXT NOT NULL, body TEXT NOT NULL, at INTEGER NOT NULL)"

export class IdempotencyRecord {
  readonly #storage: DurableObjectStorage
  #pending: { digest: string; since: number } | undefined

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  begin(digest: string): Begun {
    const kept = this.#kept()
    if (kept) return kept.digest === digest ? { state: "replay", answer: kept.answer } : { state: "conflict" }
    const pending = this.#pending
    // A Worker that died with the request in its hands must not block the key for ever: starts wait at most 90 s.
    if (pending && Date.now() - pending.since < 120_000) return pending.digest === digest ? { state: "busy" } : { state: "conflict" }
    this.#pending = { digest, since: Date.now() }
    return { state: "new" }
  }

  end(digest: string, answer: StoredAnswer | null): void {
    if (this.#pending?.digest === digest) this.#pending = undefined
    if (answer === null || this.#kept()) return
    this.#storage.transactionSync(() => {
      this.#storage.sql.exec(TABLE)
      this.#storage.sql.exec("INSERT INTO answer (id, digest, body, at) VALUES (1, ?, ?, ?)", digest, JSON.stringify(answer), Date.now())
    })
  }

  /** When it may go: a day after it was written; undefined: there is none. */
  until(): number | undefined {
    if (!this.#hasTable()) return undefined
    const row = this.#storage.sql.exec<{ at: number }>("SELECT at FROM answer WHERE id = 1").toArray()[0]
    return row && row.at + KEPT_MS
  }

  #hasTable(): boolean {
    return this.#storage.sql.exec("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'answer'").toArray().length > 0
  }

  #kept(): { digest: string; answer: StoredAnswer } | undefined {
    if (!this.#hasTable()) return undefined
    const row = this.#storage.sql.exec<{ digest: string; body: string }>("SELECT digest, body FROM answer WHERE id = 1").toArray()[0]
    return row && { digest: row.digest, answer: JSON.parse(row.body) as StoredAnswer }
  }
}
