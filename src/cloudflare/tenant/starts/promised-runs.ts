// Runs that took a place and have not reported yet [H6]. Each is one row, written in the turn that takes the place, so neither the place nor the
// run is forgotten if this object is. The run's report deletes the row: a run that ends before anyone looks is in the list once, with one
// row in each of its indexes. Whoever reads the list first moves the rows there.

import type { RunRow } from "../../../ports/tenant/run-list.ts"
import type { RunIndex } from "../run-index.ts"
import type { TenantSql } from "../tenant-sql.ts"

interface Promised {
  readonly id: string
  readonly created: number
}

export class PromisedRuns {
  readonly #sql: TenantSql
  readonly #index: RunIndex
  /** The ids in the table, so that a report of any other run costs no statement. */
  #ids: Set<string> | undefined

  readonly #began: (row: RunRow) => void

  /** `began` is told of each new row. */
  constructor(sql: TenantSql, index: RunIndex, began: (row: RunRow) => void = () => undefined) {
    this.#sql = sql
    this.#index = index
    this.#began = began
  }

  /** A run that has reported before, and whose start is repeated, keeps its row in the list. */
  add(row: RunRow): void {
    if (this.#known().has(row.id)) return
    const { rowsWritten } = this.#sql.record((sql) =>
      sql.exec(
        "INSERT OR IGNORE INTO promised_run (id, created, row) SELECT ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM run WHERE id = ?)",
        row.id,
        row.created,
        JSON.stringify(row),
        row.id,
      ),
    )
    this.#known().add(row.id)
    if (rowsWritten > 0) this.#began(row)
  }

  has(id: string): boolean {
    return this.#known().has(id)
  }

  /** The run has reported, or comes to nothing. */
  remove(id: string): void {
    if (this.#known().delete(id)) this.#sql.record((sql) => sql.exec("DELETE FROM promised_run WHERE id = ?", id))
  }

  /** Oldest first. */
  all(): readonly Promised[] {
    return this.#known().size === 0
      ? []
      : this.#sql.read<{ id: string; created: number }>("SELECT id, created FROM promised_run ORDER BY created")
  }

  /** Moves the rows to the list. */
  unfold(): void {
    if (this.#known().size === 0) return
    const rows = this.#sql.read<{ row: string }>("SELECT row FROM promised_run")
    this.#sql.record((sql) => {
      for (const { row } of rows) this.#index.note(JSON.parse(row))
      sql.exec("DELETE FROM promised_run")
    })
    this.#ids = new Set()
  }

  /** The tenant is deleted. */
  forget(): void {
    this.#ids = undefined
  }

  #known(): Set<string> {
    return (this.#ids ??= new Set(this.#sql.read<{ id: string }>("SELECT id FROM promised_run").map(({ id }) => id)))
  }
}
