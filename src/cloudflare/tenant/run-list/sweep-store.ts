// Stores the progress of a sweep that applies a shorter retention to ended runs [H6], and the runs that could not be reached. A new sweep
// has a new name, so late writes of an older one change nothing.

import { backoff } from "../../../core/backoff.ts"
import { clock } from "../../platform/clock.ts"
import type { TenantSql } from "../tenant-sql.ts"

/** A run that could not be told is told again after a minute, two minutes, and so on, up to an hour. */
const FIRST_TRY_MS = 60_000
const SLOWEST_TRY_MS = 3_600_000

/** A sweep. `at`: the last run that was notified. */
export type Sweep = { readonly name: string; readonly at: string }

type Untold = { run: string; tries: number }

export class SweepStore {
  readonly #sql: TenantSql

  constructor(sql: TenantSql) {
    this.#sql = sql
  }

  /** From the first run on, whatever has been told before. */
  begin(): void {
    this.#sql.write((sql) => sql.exec("INSERT OR REPLACE INTO retention_sweep (id, name, at) VALUES (1, ?, '')", clock.id()))
  }

  /** undefined: no sweep is needed. */
  underWay(): Sweep | undefined {
    return this.#sql.read<{ name: string; at: string }>("SELECT name, at FROM retention_sweep")[0]
  }

  /** The runs up to `at` were told, without `failed`; undefined: there are no more. */
  told({ name }: Sweep, at: string | undefined, failed: readonly string[], now: number): void {
    this.#sql.write((sql) => {
      for (const run of failed)
        sql.exec("INSERT OR IGNORE INTO retention_untold (run, due, tries) VALUES (?, ?, 0)", run, now + FIRST_TRY_MS)
      if (at === undefined) sql.exec("DELETE FROM retention_sweep WHERE name = ?", name)
      else sql.exec("UPDATE retention_sweep SET at = ? WHERE name = ?", at, name)
    })
  }

  earliest(): number | undefined {
    return this.#sql.read<{ due: number | null }>("SELECT min(due) AS due FROM retention_untold")[0]?.due ?? undefined
  }

  untold(now: number, limit: number): readonly string[] {
    const rows = this.#sql.read<Untold>("SELECT run, tries FROM retention_untold WHERE due <= ? ORDER BY due LIMIT ?", now, limit)
    return rows.map(({ run }) => run)
  }

  /** Another try for the runs in `failed`; the others have been told. */
  toldAgain(runs: readonly string[], failed: ReadonlySet<string>, now: number): void {
    this.#sql.write((sql) => {
      for (const run of runs) {
        if (!failed.has(run)) sql.exec("DELETE FROM retention_untold WHERE run = ?", run)
        else {
          const [row] = sql.exec<Untold>("SELECT run, tries FROM retention_untold WHERE run = ?", run).toArray()
          const tries = (row?.tries ?? 0) + 1
          const due = now + backoff(FIRST_TRY_MS, tries, SLOWEST_TRY_MS)
          sql.exec("UPDATE retention_untold SET tries = ?, due = ? WHERE run = ?", tries, due, run)
        }
      }
    })
  }

  mend(now: number): void {
    this.#sql.bringNear("retention_untold", "due", now, now + SLOWEST_TRY_MS)
  }

  /** The run is deleted. */
  forget(run: string): void {
    if (this.#sql.read("SELECT 1 FROM retention_untold WHERE run = ?", run).length > 0)
      this.#sql.write((sql) => sql.exec("DELETE FROM retention_untold WHERE run = ?", run))
  }
}
