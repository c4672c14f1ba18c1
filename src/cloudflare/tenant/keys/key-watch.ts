// Which runs have sockets that a key opened [H1]. A hibernating run does not check whether the key is still valid, so the tenant's object
// records where each key is in use, and after a revocation it notifies those runs until each call has succeeded.

import { atOnce } from "../../../engine/at-once.ts"
import type { DueWork } from "../tenant-alarm.ts"
import type { TenantSql } from "../tenant-sql.ts"

/** The number of runs notified at once. */
const AT_ONCE = 200

export class KeyWatch implements DueWork {
  readonly name = "key watch"
  readonly #sql: TenantSql
  readonly #notify: (run: string, key: string) => Promise<void>

  constructor(sql: TenantSql, notify: (run: string, key: string) => Promise<void>) {
    this.#sql = sql
    this.#notify = notify
  }

  watch(key: string, run: string): void {
    if (this.#sql.read("SELECT 1 FROM watched_key WHERE key = ? AND run = ?", key, run).length > 0) return
    this.#sql.record((sql) => sql.exec("INSERT INTO watched_key (key, run, revoked) VALUES (?, ?, NULL)", key, run))
  }

  /** true: there are runs to notify. */
  revoke(key: string, now: number): boolean {
    if (this.#sql.read("SELECT 1 FROM watched_key WHERE key = ? LIMIT 1", key).length === 0) return false
    this.#sql.record((sql) => sql.exec("UPDATE watched_key SET revoked = ? WHERE key = ?", now, key))
    return true
  }

  /** The run is deleted. */
  forget(run: string): void {
    if (this.#sql.read("SELECT 1 FROM watched_key WHERE run = ? LIMIT 1", run).length > 0)
      this.#sql.record((sql) => sql.exec("DELETE FROM watched_key WHERE run = ?", run))
  }

  readonly due = (): number | undefined =>
    this.#sql.read<{ at: number | null }>("SELECT min(revoked) AS at FROM watched_key WHERE revoked IS NOT NULL")[0]?.at ?? undefined

  readonly work = async (): Promise<void> => {
    const rows = this.#sql.read<{ key: string; run: string }>("SELECT key, run FROM watched_key WHERE revoked IS NOT NULL LIMIT ?", AT_ONCE)
    await atOnce(rows, ({ run, key }) => this.#notify(run, key))
    this.#sql.record((sql) => {
      for (const { key, run } of rows) sql.exec("DELETE FROM watched_key WHERE key = ? AND run = ?", key, run)
    })
  }
}
