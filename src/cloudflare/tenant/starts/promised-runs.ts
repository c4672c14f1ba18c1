// Stores runs that took a place and have not reported yet [H6]. Each is one row, written in the turn that takes the place, so neither is
// lost in an eviction. A run that ends before anyone looks is in the list once, with one row in each of its indexes. Whoever reads the list
// first moves the rows there.
//
// The run's report writes its row of the list, which makes the one here out of date: it is not deleted, and a later start writes over it. So a
// start and its report cost one row here, not two.

import type { ListedRun } from "../../../ports/tenant/run-list.ts"
import type { RunIndex } from "../run-list/run-index.ts"
import type { TenantSql } from "../tenant-sql.ts"
import { wipeRows } from "../wiped-rows.ts"

interface Promised {
  readonly id: string
  readonly created: number
}

/** Rows that are kept to be written over; an object that wakes up reads them all. */
const MAX_SPENT = 32 // limit: rows of promised runs that are kept to be written over → the row of a run that reports is deleted

interface Slots {
  /** Run → its row. */
  readonly open: Map<string, { readonly slot: number; readonly created: number }>
  /** Rows to write over: slot → the run that has reported. */
  readonly spent: Map<number, string>
  next: number
}

export class PromisedRuns {
  readonly #sql: TenantSql
  readonly #index: RunIndex
  /** What the table holds, so that a report of any other run costs no statement. */
  #slots: Slots | undefined

  readonly #began: (row: ListedRun) => void

  /** `began` is told of each new row. */
  constructor(sql: TenantSql, index: RunIndex, began: (row: ListedRun) => void = () => undefined) {
    this.#sql = sql
    this.#index = index
    this.#began = began
  }

  /** A run that has reported before, and whose start is repeated, keeps its row in the list. */
  add(row: ListedRun): void {
    const slots = this.#known()
    if (slots.open.has(row.id)) return
    const [slot] = slots.spent.keys()
    const written = this.#sql.write((sql) =>
      sql
        .exec(
          `INSERT OR REPLACE INTO promise (slot, id, created, row) SELECT ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM run WHERE id = ?)
           RETURNING slot`,
          slot ?? slots.next,
          row.id,
          row.created,
          JSON.stringify(row),
          row.id,
        )
        .toArray(),
    )
    if (written.length === 0) return
    if (slot !== undefined) slots.spent.delete(slot)
    slots.open.set(row.id, { slot: slot ?? slots.next++, created: row.created })
    this.#began(row)
  }

  has(id: string): boolean {
    return this.#known().open.has(id)
  }

  /** The run has a row in the list now. */
  reported(id: string): void {
    const { open, spent } = this.#known()
    const at = open.get(id)
    if (!at) return
    if (spent.size >= MAX_SPENT) return this.remove(id)
    open.delete(id)
    spent.set(at.slot, id)
  }

  /** The start comes to nothing, or the run leaves the list. */
  remove(id: string): void {
    const { open, spent } = this.#known()
    const slot = open.get(id)?.slot ?? [...spent].find(([, run]) => run === id)?.[0]
    if (slot === undefined) return
    this.#sql.write((sql) => wipeRows(sql, { table: "promise", column: "row", where: "slot = ?" }, slot))
    open.delete(id)
    spent.delete(slot)
  }

  /** Oldest first. */
  all(): readonly Promised[] {
    return [...this.#known().open].map(([id, { created }]) => ({ id, created })).toSorted((a, b) => a.created - b.created)
  }

  /** Moves the rows to the list. */
  unfold(): void {
    const { open } = this.#known()
    if (open.size === 0) return
    const rows = this.#sql.read<{ id: string; row: string }>("SELECT id, row FROM promise")
    this.#sql.write((sql) => {
      for (const { id, row } of rows) if (open.has(id)) this.#index.note(JSON.parse(row))
      sql.exec("DELETE FROM promise")
    })
    this.#slots = { open: new Map(), spent: new Map(), next: 1 }
  }

  /** The tenant is deleted. */
  forget(): void {
    this.#slots = undefined
  }

  #known(): Slots {
    if (this.#slots) return this.#slots
    const slots: Slots = { open: new Map(), spent: new Map(), next: 1 }
    const rows = this.#sql.read<{ slot: number; id: string; created: number; spent: number }>(
      "SELECT slot, id, created, EXISTS (SELECT 1 FROM run WHERE run.id = promise.id) AS spent FROM promise",
    )
    for (const { slot, id, created, spent } of rows) {
      if (spent === 1) slots.spent.set(slot, id)
      else slots.open.set(id, { slot, created })
      slots.next = Math.max(slots.next, slot + 1)
    }
    return (this.#slots = slots)
  }
}
