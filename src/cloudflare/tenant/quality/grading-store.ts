// Stores what waits for a person's grade [V21]. A grade removes an entry, and so does the deletion of its run.

import type { GradingFilter } from "../../../ports/tenant/quality/scores.ts"
import type { TenantSql } from "../tenant-sql.ts"

export const MOST_ENTRIES = 1_000 // limit: entries of a tenant's grading queue → the oldest leaves

export interface Waiting {
  readonly run: string
  readonly flow: string
  readonly scorer: string
  readonly since: number
}

export class GradingStore {
  readonly #sql: TenantSql

  constructor(sql: TenantSql) {
    this.#sql = sql
  }

  /** false: it waits already. */
  add({ run, flow, scorer, since }: Waiting): boolean {
    return this.#sql.write((sql) => {
      this.#sql.make("grading")
      const added = sql.exec(
        "INSERT INTO grading (run, scorer, flow, since) VALUES (?, ?, ?, ?) ON CONFLICT (run, scorer) DO NOTHING RETURNING run",
        run,
        scorer,
        flow,
        since,
      )
      if (added.toArray().length === 0) return false
      sql.exec(
        `DELETE FROM grading WHERE (run, scorer) IN
           (SELECT run, scorer FROM grading ORDER BY since DESC, run DESC LIMIT -1 OFFSET ${MOST_ENTRIES})`,
      )
      return true
    })
  }

  /** Oldest first, those after `after`. */
  list({ scorer, flow, after, limit = MOST_ENTRIES }: GradingFilter): readonly Waiting[] {
    if (!this.#sql.has("grading")) return []
    const { since = -1, run = "", scorer: last = "" } = after ?? {}
    return this.#sql.read<{ run: string; flow: string; scorer: string; since: number }>(
      `SELECT run, flow, scorer, since FROM grading
       WHERE (?1 IS NULL OR scorer = ?1) AND (?2 IS NULL OR flow = ?2) AND (since, run, scorer) > (?3, ?4, ?5)
       ORDER BY since, run, scorer LIMIT ?6`,
      scorer ?? null,
      flow ?? null,
      since,
      run,
      last,
      limit,
    )
  }

  remove(run: string, scorer: string): boolean {
    if (!this.#sql.has("grading")) return false
    return this.#sql.write(
      (sql) => sql.exec("DELETE FROM grading WHERE run = ? AND scorer = ? RETURNING run", run, scorer).toArray().length > 0,
    )
  }

  forget(run: string): void {
    if (this.#sql.has("grading")) this.#sql.write((sql) => sql.exec("DELETE FROM grading WHERE run = ?", run))
  }
}
