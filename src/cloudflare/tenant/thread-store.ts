// Who speaks last on a thread [P7]: of two messages that come together, one starts a run and the other meets it. A run reports to the list a little
// after it has started, so a start is claimed here before.

import type { RunIndex } from "./run-index.ts"
import type { TenantSql } from "./tenant-sql.ts"

/** A claim only bridges the time until the run reports; a thread that is older is in the list. */
const KEPT_MS = 3_600_000

type Row = { run: string; at: number }

export class ThreadStore {
  readonly #sql: TenantSql
  readonly #runs: RunIndex

  constructor(sql: TenantSql, runs: RunIndex) {
    this.#sql = sql
    this.#runs = runs
  }

  /** The run that was claimed or started last; null: none. */
  newest(flow: string, thread: string): string | null {
    const [claim] = this.#sql.read<Row>("SELECT run, at FROM thread_claim WHERE flow = ? AND thread = ?", flow, thread)
    const listed = this.#runs.newestOf(flow, thread)
    if (!listed) return claim?.run ?? null
    // A run starts after its claim.
    return claim && claim.at >= listed.created ? claim.run : listed.id
  }

  /** Claims the thread for a run that is about to start, unless another run came since `seen`. The answer is the newest run. */
  claim(flow: string, thread: string, run: string, seen: string | null): string {
    const now = Date.now()
    const newest = this.newest(flow, thread)
    if (newest !== seen) return newest ?? run
    this.#sql.record((sql) => {
      sql.exec("DELETE FROM thread_claim WHERE at < ?", now - KEPT_MS)
      sql.exec("INSERT OR REPLACE INTO thread_claim (flow, thread, run, at) VALUES (?, ?, ?, ?)", flow, thread, run, now)
    })
    return run
  }

  /** The run is deleted. */
  forget(run: string): void {
    if (this.#sql.read("SELECT 1 FROM thread_claim WHERE run = ?", run).length > 0)
      this.#sql.record((sql) => sql.exec("DELETE FROM thread_claim WHERE run = ?", run))
  }

  /** The run did not start. */
  release(flow: string, thread: string, run: string): void {
    this.#sql.record((sql) => sql.exec("DELETE FROM thread_claim WHERE flow = ? AND thread = ? AND run = ?", flow, thread, run))
  }
}
