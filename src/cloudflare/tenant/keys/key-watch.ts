// Sockets that a key opened, by the runs they follow [H1]. A hibernating run does not ask whether the key still holds, so the tenant's object
// remembers where its keys are in use and tells those runs of a revocation, until each has been told.

import { atOnce } from "../../../engine/at-once.ts"
import type { DueWork } from "../tenant-alarm.ts"
import type { TenantSql } from "../tenant-sql.ts"

/** Runs told in one go. */
const AT_ONCE = 200

export class KeyWatch implements DueWork {
  readonly name = "key watch"
  readonly #sql: TenantSql
  readonly #tell: (run: string, key: string) => Promise<void>

  constructor(sql: TenantSql, tell: (run: string, key: string) => Promise<void>) {
    this.#sql = sql
    this.#tell = tell
  }

  watch(key: string, run: string): void {
    if (this.#sql.read("SELECT 1 FROM watched_key WHERE key = ? AND run = ?", key, run).length > 0) return
    this.#sql.write((sql) => sql.exec("INSERT INTO watched_key (key, run, revoked) VALUES (?, ?, NULL)", key, run))
  }

  /** true: there are runs to tell. */
  revoke(key: string, now: number): boolean {
    if (this.#sql.read("SELECT 1 FROM watched_key WHERE key = ? LIMIT 1", key).length === 0) return false
    this.#sql.write((sql) => sql.exec("UPDATE watched_key SET revoked = ? WHERE key = ?", now, key))
    return true
  }

  /** The run is gone. */
  forget(run: string): void {
    if (this.#sql.read("SELECT 1 FROM watched_key WHERE run = ? LIMIT 1", run).length > 0)
      this.#sql.write((sql) => sql.exec("DELETE FROM watched_key WHERE run = ?", run))
  }

  readonly due = (): number | undefined =>
    this.#sql.read<{ at: number | null }>("SELECT min(revoked) AS at FROM watched_key WHERE revoked IS NOT NULL")[0]?.at ?? undefined

  readonly work = async (): Promise<void> => {
    const rows = this.#sql.read<{ key: string; run: string }>("SELECT key, run FROM watched_key WHERE revoked IS NOT NULL LIMIT ?", AT_ONCE)
    await atOnce(rows, ({ run, key }) => this.#tell(run, key))
    this.#sql.write((sql) => {
      for (const { key, run } of rows) sql.exec("DELETE FROM watched_key WHERE key = ? AND run = ?", key, run)
    })
  }
}
