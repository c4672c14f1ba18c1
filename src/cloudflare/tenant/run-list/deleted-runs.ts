// Remembers which runs were deleted, for as long as a message of theirs may be in transit: a report after the deletion would put the run
// into the list again, forever.

import type { TenantSql } from "../tenant-sql.ts"

/** No message takes as long as an hour. */
const KEPT_MS = 3_600_000 // limit: milliseconds that the id of a deleted run is kept → a report of it would list it again

export class DeletedRuns {
  readonly #sql: TenantSql
  readonly #now: () => number

  constructor(sql: TenantSql, now: () => number = Date.now) {
    this.#sql = sql
    this.#now = now
  }

  add(run: string): void {
    const now = this.#now()
    this.#sql.write((sql) => {
      sql.exec("DELETE FROM deleted_run WHERE at < ?", now - KEPT_MS)
      sql.exec("INSERT OR REPLACE INTO deleted_run (run, at) VALUES (?, ?)", run, now)
    })
  }

  has(run: string): boolean {
    return this.#sql.read("SELECT 1 FROM deleted_run WHERE run = ?", run).length > 0
  }
}
