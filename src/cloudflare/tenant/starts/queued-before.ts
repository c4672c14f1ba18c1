// Brings runs into the line that an earlier version had queued in a table of their own [H6]: each one's object reports what it holds. No row is
// added there any more.

import type { DueWork } from "../tenant-alarm.ts"
import type { TenantSql } from "../tenant-sql.ts"

const AT_ONCE = 50

export interface QueuedBeforeDeps {
  /** The run's object reports, and so comes into the line. false: it holds no start, and no run has begun there. */
  readonly tell: (run: string) => Promise<boolean>
  /** Does a delivery or a fire still owe the run its start? */
  readonly isOwed: (run: string) => boolean
}

export class QueuedBefore implements DueWork {
  readonly name = "queue"
  readonly #sql: TenantSql
  readonly #deps: QueuedBeforeDeps
  #isEmpty = false

  constructor(sql: TenantSql, deps: QueuedBeforeDeps) {
    this.#sql = sql
    this.#deps = deps
  }

  readonly due = (): number | undefined => {
    if (this.#isEmpty) return undefined
    const [row] = this.#sql.read<{ due: number }>("SELECT due FROM start_queue ORDER BY due LIMIT 1")
    this.#isEmpty = row === undefined
    return row?.due
  }

  /** In the order of their arrival. One whose start is owed comes by itself. */
  readonly work = async (): Promise<void> => {
    for (const { run } of this.#sql.read<{ run: string }>("SELECT run FROM start_queue ORDER BY at, run LIMIT ?", AT_ONCE)) {
      if (!this.#deps.isOwed(run)) await this.#deps.tell(run)
      this.#sql.write((sql) => sql.exec("DELETE FROM start_queue WHERE run = ?", run))
    }
  }
}
