// Stores the tenant's list of runs, as the runs report themselves: newest first by (created, id) [H5].

import type { JsonObject } from "../../../core/json.ts"
import type { BulkSource } from "../../../core/run/bulk-act.ts"
import type { RunListPort, ListedRun } from "../../../ports/tenant/run-list.ts"
import { cursorOf, positionOf } from "../../platform/list-cursor.ts"
import type { Standing } from "../feed/feed-reports.ts"
import { ABOUT_RUN, aboutRun } from "./asking-run.ts"
import { OWN, UNJUDGING, UNTESTED } from "./run-filter.ts"
import { runsOf } from "./run-indexes.ts"
import { RunPages } from "./run-pages.ts"
import type { TenantSql } from "../tenant-sql.ts"
import { sizeOfRow, stepped, wipeView } from "../wiped-rows.ts"

type Query = Parameters<RunListPort["list"]>[0]
type Page = Awaited<ReturnType<RunListPort["list"]>>

const COUNTED = 5_000 // limit: runs that ask of a count of open questions → the answer says that there are more
const MAX_PAGE = 200 // limit: runs with open questions of a page → the next page has the rest

export interface LastReport {
  readonly seq: number
  readonly bytes: number
  readonly ended: boolean
  /** Of the row. */
  readonly size: number
  readonly flow: string
  readonly rehearsed: boolean
  readonly test: boolean
  /** Open questions. */
  readonly pending: number
}

/** Its row was moved here from `promise`: it took a place, and has not reported. A queued run has no journal either. */
const PROMISED = "run.seq = 0 AND run.ended IS NULL AND run.status <> 'queued'"

export class RunIndex {
  readonly #sql: TenantSql
  readonly #tenant: string
  readonly #pages: RunPages

  constructor(sql: TenantSql, tenant: string) {
    this.#sql = sql
    this.#tenant = tenant
    this.#pages = new RunPages(sql, tenant)
  }

  /** `before`: null if the run has no row. A late or repeated report changes nothing: only a higher `view.seq` replaces a row. A row never moves in the list, although the run's own clock
   *  may say another time than its promise: whoever reads page by page would miss it [H5]. */
  note({ id, flow, status, created, ended: at, view: shown }: ListedRun, before: LastReport | null = this.lastReport(id) ?? null): void {
    const seq = typeof shown["seq"] === "number" ? shown["seq"] : 0
    const ended = at ?? null
    const tags = tagsOf(shown)
    const { view, bytes } = stepped(JSON.stringify(shown), { flow, status, ended, seq })
    this.#sql.write((sql) => {
      if (before && before.size !== bytes && seq > before.seq) wipeView(sql, id)
      sql.exec(
        `INSERT INTO run (id, flow, status, created, ended, seq, view) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET flow = excluded.flow, status = excluded.status, ended = excluded.ended, seq = excluded.seq, view = excluded.view
         WHERE excluded.seq > run.seq`,
        id,
        flow,
        status,
        created,
        ended,
        seq,
        view,
      )
      // A run's tags never change after its start.
      for (const tag of tags)
        sql.exec("INSERT OR IGNORE INTO run_tag (tag, created, id) SELECT ?, created, id FROM run WHERE id = ?", tag, id)
    })
  }

  /** The seq and the bytes of the run's last report, and whether it said that the run has ended; undefined: it has not reported. */
  lastReport(id: string): LastReport | undefined {
    const [row] = this.#sql.read<{
      seq: number
      bytes: number | null
      pending: number | null
      rehearsed: number | null
      untested: number
      ended: number | null
      flow: string
      status: string
      view: string
    }>(
      `SELECT seq, json_extract(view, '$.bytes') AS bytes, json_extract(view, '$.pending') AS pending, json_extract(view, '$.rehearsed') AS rehearsed,
       ${UNTESTED} AS untested, ended, flow, status, view FROM run WHERE id = ?`,
      id,
    )
    return (
      row && {
        seq: row.seq,
        bytes: row.bytes ?? 0,
        ended: row.ended !== null,
        size: sizeOfRow(row),
        flow: row.flow,
        rehearsed: row.rehearsed === 1,
        test: row.untested === 0,
        pending: row.pending ?? 0,
      }
    )
  }

  /** Has it reported anything but that it waits for room? */
  hasBegun(id: string): boolean {
    return this.#sql.read("SELECT 1 FROM run WHERE id = ? AND seq > 0", id).length > 0
  }

  flowOf(id: string): string | undefined {
    return this.#sql.read<{ flow: string }>("SELECT flow FROM run WHERE id = ?", id)[0]?.flow
  }

  isOver(id: string): boolean {
    return this.#sql.read("SELECT 1 FROM run WHERE id = ? AND ended IS NOT NULL", id).length > 0
  }

  /** What a bulk judges the run by. `step`: the one that failed it. */
  source(id: string): (BulkSource & { readonly step?: string }) | undefined {
    const [row] = this.#sql.read<{ status: string; ended: number; step: string | null }>(
      "SELECT status, ended IS NOT NULL AS ended, json_extract(view, '$.error.step') AS step FROM run WHERE id = ?",
      id,
    )
    return row && { status: row.status, ended: row.ended === 1, ...(row.step === null ? {} : { step: row.step }) }
  }

  /** How the list has the run. */
  standing(id: string): Standing | undefined {
    const [row] = this.#sql.read<{ status: string; seq: number; pending: number | null }>(
      "SELECT status, seq, json_extract(view, '$.pending') AS pending FROM run WHERE id = ?",
      id,
    )
    return row && { status: row.status, pending: row.pending ?? 0, reported: row.seq > 0 }
  }

  /** Runs that have reported and not ended, without children, which count as part of their parents [H6]. The plus keeps SQLite off `run_own`, the
   *  index of all runs without a parent: an object asks this whenever it wakes, and only `run_live` is as short as what goes on. */
  live(): string[] {
    const rows = this.#sql.read<{ id: string }>(
      `SELECT id FROM run WHERE ended IS NULL AND status <> 'queued' AND +${OWN} AND +${UNJUDGING} AND NOT (${PROMISED})`,
    )
    return rows.map(({ id }) => id)
  }

  /** The newest of them of one flow, those included whose start is only promised. */
  liveOf(flow: string, limit: number): { id: string; thread: string | null }[] {
    return this.#sql.read<{ id: string; thread: string | null }>(
      `SELECT id, json_extract(view, '$.thread') AS thread FROM run WHERE ended IS NULL AND status <> 'queued' AND +${OWN} AND +flow = ? ORDER BY created DESC LIMIT ?`,
      flow,
      limit,
    )
  }

  /** Runs whose start took a place, and that have not reported. */
  promised(): { id: string; created: number }[] {
    return this.#sql.read<{ id: string; created: number }>(`SELECT id, created FROM run WHERE ${PROMISED} ORDER BY created`)
  }

  /** The start of this run came to nothing. A run that has reported stays. */
  unpromise(id: string): void {
    const [row] = this.#sql.read<{ id: string }>(`SELECT id FROM run WHERE id = ? AND ${PROMISED}`, id)
    if (row) this.remove(id)
  }

  /** Ended runs after `id`, in the order of their ids. */
  endedAfter(id: string, limit: number): string[] {
    return this.#sql
      .read<{ id: string }>("SELECT id FROM run WHERE ended IS NOT NULL AND id > ? ORDER BY id LIMIT ?", id, limit)
      .map((row) => row.id)
  }

  /** Runs that began after `since`, oldest first, without children. */
  startedAfter(since: number): { id: string; created: number }[] {
    return this.#sql.read<{ id: string; created: number }>(
      `SELECT id, created FROM run WHERE created > ? AND status <> 'queued' AND ${OWN} AND ${UNJUDGING} ORDER BY created`,
      since,
    )
  }

  /** The run of this thread of this flow that was created last [P1]. */
  newestOf(flow: string, thread: string): { id: string; created: number } | undefined {
    const { sql, values } = runsOf(thread)
    return this.#sql.read<{ id: string; created: number }>(
      `SELECT id, created FROM ${sql} WHERE flow = ? ORDER BY created DESC, id DESC LIMIT 1`,
      ...values,
      flow,
    )[0]
  }

  remove(id: string): void {
    if (this.#sql.read("SELECT 1 FROM run WHERE id = ?", id).length === 0) return
    this.#sql.write((sql) => {
      wipeView(sql, id)
      sql.exec("DELETE FROM run WHERE id = ?", id)
      sql.exec("DELETE FROM run_tag WHERE id = ?", id)
    })
  }

  list(query: Query): Page {
    return this.#pages.list(query)
  }

  /** Runs with open questions, oldest first. */
  asking(query: Pick<Query, "limit" | "cursor" | "flow">): Awaited<ReturnType<RunListPort["asking"]>> {
    const after = query.cursor === undefined ? { created: 0, id: "" } : positionOf(query.cursor, this.#tenant)
    if (after === null) return { badCursor: true }
    const limit = Math.max(1, Math.min(MAX_PAGE, Math.trunc(query.limit)))
    const { flow: flows = [] } = query
    const rows = this.#sql.read<{ id: string; flow: string; created: number; about: string }>(
      `SELECT id, flow, created, ${ABOUT_RUN} AS about FROM run WHERE json_extract(view, '$.pending') > 0 AND ${UNTESTED} AND (created, id) > (?, ?)
       ${flows.length === 0 ? "" : "AND flow IN (SELECT value FROM json_each(?))"} ORDER BY created, id LIMIT ?`,
      after.created,
      after.id,
      ...(flows.length === 0 ? [] : [JSON.stringify(flows)]),
      limit + 1,
    )
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    return {
      data: page.map(({ id, flow, about }) => ({ id, flow, about: aboutRun(about) })),
      next_cursor: rows.length > limit && last ? cursorOf(this.#tenant, last) : null,
    }
  }

  /** How many questions these runs have open. */
  asked(): { readonly n: number; readonly complete: boolean } {
    const [row] = this.#sql.read<{ n: number | null; runs: number }>(
      `SELECT sum(n) AS n, count(*) AS runs FROM (
         SELECT json_extract(view, '$.pending') AS n FROM run WHERE json_extract(view, '$.pending') > 0 AND ${UNTESTED} ORDER BY created, id LIMIT ?
       )`,
      COUNTED + 1,
    )
    return { n: row?.n ?? 0, complete: (row?.runs ?? 0) <= COUNTED }
  }
}

const tagsOf = (view: JsonObject): string[] => {
  const tags = view["tags"]
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : []
}
