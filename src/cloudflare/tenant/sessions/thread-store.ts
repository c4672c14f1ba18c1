// Orders the messages of a thread [P7]: of two messages that arrive together, one starts a run and the other meets it. A run reports to the
// list a little after it has started, so its start is claimed here first. A claim whose run never began expires.

import type { RunIndex } from "../run-list/run-index.ts"
import type { TenantSql } from "../tenant-sql.ts"

/** A claim only bridges the time until the run is in the list; a thread that is older is there. */
const KEPT_MS = 3_600_000
/** A run that is not in the list after so long was never started. */
const LOST_MS = 60_000

type Row = { run: string; after: string; at: number }

export class ThreadStore {
  readonly #sql: TenantSql
  readonly #runs: RunIndex

  constructor(sql: TenantSql, runs: RunIndex) {
    this.#sql = sql
    this.#runs = runs
  }

  /** The run that was claimed or started last; null: none. `own`: a claim of this run does not count. */
  newest(flow: string, thread: string, own?: string): string | null {
    const found = this.#claim(flow, thread)
    const claim = found?.run === own ? undefined : found
    const listed = this.#runs.newestOf(flow, thread)
    if (!claim || !listed) return claim?.run ?? listed?.id ?? null
    // The claim knows which run it follows. Times say nothing here: that of a run is by another machine's clock.
    if (listed.id === claim.after) return claim.run
    return listed.id === claim.run || claim.at < listed.created ? listed.id : claim.run
  }

  /** Claims the thread for a run that is about to start, unless another run came since `seen`. The answer is the newest run. */
  claim(flow: string, thread: string, run: string, seen: string | null): string {
    const now = Date.now()
    const newest = this.newest(flow, thread)
    if (newest !== seen) return newest ?? run
    // A claim that was lost is no run to come after.
    const after = this.#runs.newestOf(flow, thread)?.id ?? ""
    this.#sql.write((sql) => {
      sql.exec("DELETE FROM thread_turn WHERE at < ?", now - KEPT_MS)
      sql.exec("INSERT OR REPLACE INTO thread_turn (flow, thread, run, after, at) VALUES (?, ?, ?, ?, ?)", flow, thread, run, after, now)
    })
    return run
  }

  /** The run is deleted. */
  forget(run: string): void {
    if (this.#sql.read("SELECT 1 FROM thread_turn WHERE run = ?", run).length > 0)
      this.#sql.write((sql) => sql.exec("DELETE FROM thread_turn WHERE run = ?", run))
  }

  /** The run did not start. */
  release(flow: string, thread: string, run: string): void {
    this.#sql.write((sql) => sql.exec("DELETE FROM thread_turn WHERE flow = ? AND thread = ? AND run = ?", flow, thread, run))
  }

  /** The claim, unless its run should be in the list by now and is not. */
  #claim(flow: string, thread: string): Row | undefined {
    const [row] = this.#sql.read<Row>("SELECT run, after, at FROM thread_turn WHERE flow = ? AND thread = ?", flow, thread)
    const age = row ? Date.now() - row.at : 0
    return row && ((age >= 0 && age < LOST_MS) || this.#runs.lastReport(row.run) !== undefined) ? row : undefined
  }
}
