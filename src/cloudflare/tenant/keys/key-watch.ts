// Tracks the runs that have sockets opened by a key [H1]. A hibernating run does not check whether the key is still valid, so the tenant's
// object records where each key is in use, and after a revocation it notifies those runs until each call has succeeded. `revoked` is when
// to do so.

import { failedOf } from "../../../engine/at-once.ts"
import type { DueWork } from "../tenant-alarm.ts"
import type { TenantSql } from "../tenant-sql.ts"

/** The number of runs notified at once. */
const AT_ONCE = 200
/** A run that could not be told delays no other, and is told again after so long. */
const AGAIN_MS = 10_000

export class KeyWatch implements DueWork {
  readonly name = "key watch"
  readonly #sql: TenantSql
  readonly #notify: (run: string, key: string) => Promise<void>

  readonly #now: () => number

  constructor(sql: TenantSql, notify: (run: string, key: string) => Promise<void>, now: () => number) {
    this.#sql = sql
    this.#now = now
    this.#notify = notify
  }

  watch(key: string, run: string): void {
    if (this.#sql.read("SELECT 1 FROM watched_key WHERE key = ? AND run = ?", key, run).length > 0) return
    this.#sql.write((sql) => sql.exec("INSERT INTO watched_key (key, run, revoked) VALUES (?, ?, NULL)", key, run))
  }

  /** true: there are runs to notify. */
  revoke(key: string, now: number): boolean {
    if (this.#sql.read("SELECT 1 FROM watched_key WHERE key = ? LIMIT 1", key).length === 0) return false
    this.#sql.write((sql) => sql.exec("UPDATE watched_key SET revoked = ? WHERE key = ?", now, key))
    return true
  }

  /** The run is deleted. */
  forget(run: string): void {
    if (this.#sql.read("SELECT 1 FROM watched_key WHERE run = ? LIMIT 1", run).length > 0)
      this.#sql.write((sql) => sql.exec("DELETE FROM watched_key WHERE run = ?", run))
  }

  readonly due = (): number | undefined =>
    this.#sql.read<{ at: number | null }>("SELECT min(revoked) AS at FROM watched_key WHERE revoked IS NOT NULL")[0]?.at ?? undefined

  readonly mend = (now: number): void => this.#sql.bringNear("watched_key", "revoked", now, now + AGAIN_MS)

  readonly work = async (now: number): Promise<void> => {
    const due = "SELECT key, run FROM watched_key WHERE revoked <= ? ORDER BY revoked LIMIT ?"
    const rows = this.#sql.read<{ key: string; run: string }>(due, now, AT_ONCE)
    const failed = await failedOf(rows, ({ run, key }) => this.#notify(run, key))
    const later = this.#now() + AGAIN_MS
    const left = new Set(failed.map(({ item }) => item))
    this.#sql.write((sql) => {
      for (const row of rows)
        if (left.has(row)) sql.exec("UPDATE watched_key SET revoked = ? WHERE key = ? AND run = ?", later, row.key, row.run)
        else sql.exec("DELETE FROM watched_key WHERE key = ? AND run = ?", row.key, row.run)
    })
  }
}
