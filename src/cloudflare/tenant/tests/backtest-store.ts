// Stores the rows of backtests [K23]. The oldest is deleted when there are too many, and each after a week.

import type { Backtest } from "../../../ports/tenant/authoring/backtests.ts"
import type { Answers } from "../../../ports/objects.ts"
import type { BacktestsRoom } from "../../../ports/tenant/authoring/backtests.ts"
import type { TenantSql } from "../tenant-sql.ts"

const MAX_BACKTESTS = 100
const KEPT_MS = 7 * 24 * 60 * 60 * 1000

export class BacktestStore implements Answers<BacktestsRoom> {
  readonly #sql: TenantSql
  readonly #now: () => number

  constructor(sql: TenantSql, now: () => number) {
    this.#sql = sql
    this.#now = now
  }

  keep(backtest: Backtest): void {
    this.#sql.write((sql) => {
      sql.exec(
        "INSERT OR REPLACE INTO backtest (id, created, body) VALUES (?, ?, ?)",
        backtest.id,
        backtest.created,
        JSON.stringify(backtest),
      )
      sql.exec("DELETE FROM backtest WHERE created < ?", this.#now() - KEPT_MS)
      sql.exec("DELETE FROM backtest WHERE id NOT IN (SELECT id FROM backtest ORDER BY created DESC, id DESC LIMIT ?)", MAX_BACKTESTS)
    })
  }

  find(id: string): Backtest | undefined {
    const [row] = this.#sql.read<{ body: string }>("SELECT body FROM backtest WHERE id = ?", id)
    return row && (JSON.parse(row.body) as Backtest)
  }
}
