// Stores bulks and their runs [R42–R45]. A run is taken in one commit, and what became of it is another; between the two it is `begun`, and after
// a crash it is taken again.

import type { BulkItemRow, BulkOrder, BulkRow, BulksPort } from "../../../ports/tenant/bulks.ts"
import { cursorPosition, cursorText } from "../../../engine/cursor.ts"
import { cursorOf, positionOf } from "../../platform/list-cursor.ts"
import type { TenantSql } from "../tenant-sql.ts"

const MAX_PAGE = 200 // limit: rows of a page of bulks, or of a bulk's runs → 422 at `?limit`
const KEPT_MS = 7 * 86_400_000 // limit: milliseconds that a bulk is kept → it is deleted, when it is over
const KEPT = 100 // limit: bulks of a tenant → the oldest that are over are deleted

export interface BulkItem {
  readonly bulk: string
  readonly n: number
  readonly run: string
  /** Tries before this one. */
  readonly tries: number
  /** When it was tried first. */
  readonly since: number
}

/** What became of a run. */
export interface BulkEnd {
  readonly outcome: Exclude<BulkItemRow["outcome"], "waiting">
  readonly made?: string
  readonly reason?: string
}

type BulkRecord = {
  id: string
  created: number
  action: BulkRow["action"]
  by: string
  status: BulkRow["status"]
  count: number
  done: number
  skipped: number
  failed: number
}
const SHOWN = "id, created, action, by, status, count, done, skipped, failed"

type ListPage = Parameters<BulksPort["list"]>[0]

interface Delay {
  readonly due: number
  readonly reason: string
  /** No answer came. */
  readonly mayBeDone: boolean
}

export class BulkStore {
  readonly #sql: TenantSql
  readonly #tenant: string
  /** Known to have no rows: most tenants never have a bulk, and the alarm asks at each turn. */
  #isEmpty = false

  constructor(sql: TenantSql, tenant: string) {
    this.#sql = sql
    this.#tenant = tenant
  }

  add(id: string, { action, by, ...how }: BulkOrder, runs: readonly string[], now: number): BulkRow {
    this.#isEmpty = false
    const status = runs.length === 0 ? "done" : "running"
    this.#sql.write((sql) => {
      sql.exec(
        "INSERT INTO bulk (id, created, action, by, how, status, count, done, skipped, failed) VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, 0)",
        id,
        now,
        action,
        by,
        JSON.stringify(how),
        status,
        runs.length,
      )
      sql.exec(
        `INSERT INTO bulk_item (bulk, n, run, outcome, due, begun, tries)
         SELECT ?, key, value, 'waiting', ?, 0, 0 FROM json_each(?)`,
        id,
        now,
        JSON.stringify(runs),
      )
    })
    this.prune(now)
    return this.#found(id)
  }

  find(id: string): BulkRow | undefined {
    return this.#sql.read<BulkRecord>(`SELECT ${SHOWN} FROM bulk WHERE id = ?`, id)[0]
  }

  order(id: string): BulkOrder | undefined {
    const [row] = this.#sql.read<{ action: BulkRow["action"]; by: string; how: string }>(
      "SELECT action, by, how FROM bulk WHERE id = ?",
      id,
    )
    return row && { action: row.action, by: row.by, ...JSON.parse(row.how) }
  }

  underWay(): number {
    return this.#sql.read<{ n: number }>("SELECT count(*) AS n FROM bulk WHERE status = 'running'")[0]?.n ?? 0
  }

  list({ limit, cursor }: ListPage): Awaited<ReturnType<BulksPort["list"]>> {
    const owner = `${this.#tenant} bulk`
    const after = cursor === undefined ? undefined : positionOf(cursor, owner)
    if (after === null) return { badCursor: true }
    const most = pageOf(limit)
    const rows = this.#sql.read<BulkRecord>(
      `SELECT ${SHOWN} FROM bulk ${after ? "WHERE (created, id) < (?, ?)" : ""} ORDER BY created DESC, id DESC LIMIT ?`,
      ...(after ? [after.created, after.id] : []),
      most + 1,
    )
    const data = rows.slice(0, most)
    const last = data.at(-1)
    return { data, next_cursor: rows.length > most && last ? cursorOf(owner, last) : null }
  }

  items(id: string, { limit, cursor, outcome }: Parameters<BulksPort["items"]>[1]): Awaited<ReturnType<BulksPort["items"]>> {
    if (!this.find(id)) return undefined
    const owner = `${this.#tenant} bulk ${id}`
    const [after = -1, ...more] = cursor === undefined ? [] : (cursorPosition(cursor, owner) ?? [""])
    if (typeof after !== "number" || more.length > 0) return { badCursor: true }
    const most = pageOf(limit)
    const rows = this.#sql.read<{ n: number; run: string; outcome: BulkItemRow["outcome"]; made: string | null; reason: string | null }>(
      `SELECT n, run, outcome, made, reason FROM bulk_item WHERE bulk = ? AND n > ?
       ${outcome === undefined ? "" : "AND outcome IN (SELECT value FROM json_each(?))"} ORDER BY n LIMIT ?`,
      id,
      after,
      ...(outcome === undefined ? [] : [JSON.stringify(outcome)]),
      most + 1,
    )
    const page = rows.slice(0, most)
    const last = page.at(-1)
    return {
      data: page.map(({ run, outcome: became, made, reason }) => ({
        run,
        outcome: became,
        ...(made === null ? {} : { new: made }),
        ...(reason === null ? {} : { reason }),
      })),
      next_cursor: rows.length > most && last ? cursorText(owner, last.n) : null,
    }
  }

  /** What was begun goes on. */
  stop(id: string): void {
    this.#sql.write((sql) => {
      sql.exec("UPDATE bulk SET status = 'stopped' WHERE id = ? AND status = 'running'", id)
      sql.exec("UPDATE bulk_item SET due = NULL WHERE bulk = ? AND begun = 0", id)
    })
  }

  /** The bulks that owe something, oldest first, and when the first of their runs is due. */
  due(): { readonly id: string; readonly action: BulkRow["action"]; readonly due: number }[] {
    if (this.#nothing()) return []
    return this.#sql.read<{ id: string; action: BulkRow["action"]; due: number }>(
      `SELECT id, action, due FROM (SELECT id, created, action, (SELECT min(due) FROM bulk_item WHERE bulk = bulk.id AND due IS NOT NULL) AS due
       FROM bulk) WHERE due IS NOT NULL ORDER BY created, id`,
    )
  }

  /** When the first bulk that is over is deleted. */
  expires(): number | undefined {
    if (this.#nothing()) return undefined
    const [row] = this.#sql.read<{ at: number | null }>(`SELECT min(created) AS at FROM bulk WHERE ${IS_OVER}`)
    return typeof row?.at === "number" ? row.at + KEPT_MS : undefined
  }

  /** Takes the runs of this bulk that are due. `until`: when to look whether they were lost. */
  take(id: string, limit: number, now: number, until: number): readonly BulkItem[] {
    const rows = this.#sql.read<{ n: number; run: string; tries: number; since: number | null }>(
      "SELECT n, run, tries, since FROM bulk_item WHERE bulk = ? AND due <= ? ORDER BY due, n LIMIT ?",
      id,
      now,
      limit,
    )
    if (rows.length > 0)
      this.#sql.write((sql) =>
        sql.exec(
          `UPDATE bulk_item SET begun = 1, tries = tries + 1, due = ?, since = coalesce(since, ?)
           WHERE bulk = ? AND n IN (SELECT value FROM json_each(?))`,
          until,
          now,
          id,
          JSON.stringify(rows.map(({ n }) => n)),
        ),
      )
    return rows.map(({ n, run, tries, since }) => ({ bulk: id, n, run, tries, since: since ?? now }))
  }

  /** A second word about a run changes nothing. */
  end({ bulk, n }: BulkItem, { outcome, made, reason }: BulkEnd): void {
    this.#sql.write((sql) => {
      const ended = sql.exec(
        `UPDATE bulk_item SET outcome = ?, made = ?, reason = ?, due = NULL, begun = 0
         WHERE bulk = ? AND n = ? AND outcome = 'waiting' RETURNING n`,
        outcome,
        made ?? null,
        reason ?? null,
        bulk,
        n,
      )
      if (ended.toArray().length === 0) return
      sql.exec(`UPDATE bulk SET ${outcome} = ${outcome} + 1 WHERE id = ?`, bulk)
      sql.exec("UPDATE bulk SET status = 'done' WHERE id = ? AND status = 'running' AND done + skipped + failed >= count", bulk)
    })
  }

  /** Not now. Of a bulk that was stopped, never, unless it may have been done already: that is asked until it is known. */
  putOff({ bulk, n }: BulkItem, { due, reason, mayBeDone }: Delay): void {
    this.#sql.write((sql) =>
      sql.exec(
        `UPDATE bulk_item SET begun = ?1, reason = ?2, due = (SELECT CASE WHEN ?1 OR status = 'running' THEN ?3 END FROM bulk WHERE id = bulk)
         WHERE bulk = ?4 AND n = ?5 AND outcome = 'waiting'`,
        mayBeDone ? 1 : 0,
        reason,
        due,
        bulk,
        n,
      ),
    )
  }

  prune(now: number): void {
    const gone = this.#sql.read<{ id: string }>(
      `SELECT id FROM bulk WHERE ${IS_OVER} AND (created <= ? OR id NOT IN (SELECT id FROM bulk ORDER BY created DESC, id DESC LIMIT ${KEPT}))`,
      now - KEPT_MS,
    )
    if (gone.length === 0) return
    const ids = JSON.stringify(gone.map(({ id }) => id))
    this.#sql.write((sql) => {
      sql.exec("DELETE FROM bulk_item WHERE bulk IN (SELECT value FROM json_each(?))", ids)
      sql.exec("DELETE FROM bulk WHERE id IN (SELECT value FROM json_each(?))", ids)
    })
  }

  /** `latest`: of a run that is tried again. */
  mend(now: number, latest: number): void {
    if (!this.#nothing()) this.#sql.bringNear("bulk_item", "due", now, latest)
  }

  #nothing(): boolean {
    this.#isEmpty ||= this.#sql.read("SELECT 1 FROM bulk LIMIT 1").length === 0
    return this.#isEmpty
  }

  #found(id: string): BulkRow {
    const row = this.find(id)
    if (!row) throw new Error("a bulk that was just written cannot be found")
    return row
  }
}

/** Nothing of it is begun. */
const IS_OVER = "status <> 'running' AND NOT EXISTS (SELECT 1 FROM bulk_item WHERE bulk = bulk.id AND due IS NOT NULL)"

const pageOf = (limit: number): number => Math.max(1, Math.min(MAX_PAGE, Math.trunc(limit)))
