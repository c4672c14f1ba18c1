// The tenant's list of runs, as the runs report themselves: newest first by (created, id) [H5].

import type { JsonObject } from "../../core/json.ts"
import type { RunListPort, RunRow } from "../../ports/tenant/run-list.ts"
import { cursorOf, positionOf, type Position } from "../platform/list-cursor.ts"
import type { TenantSql } from "./tenant-sql.ts"

type Query = Parameters<RunListPort["list"]>[0]
type Page = Awaited<ReturnType<RunListPort["list"]>>

const MAX_PAGE = 200
/** The maximum number of rows read for one page: 5,000 rows of 700 bytes take less than 10 ms. */
const SCAN = 5_000
/** The rows of earlier versions have none: their runs have their ids as threads. */
const THREAD = "coalesce(json_extract(view, '$.thread'), id)"
const UNTESTED = "json_extract(view, '$.trigger.kind') IS NOT 'test' AND json_extract(view, '$.trigger.test') IS NULL"
const OWN = "json_extract(view, '$.parent') IS NULL"

export interface LastReport {
  readonly seq: number
  readonly bytes: number
}

/** Its row was moved here from `promised_run`: it took a place, and has not reported. A queued run has no journal either. */
const PROMISED = "run.seq = 0 AND run.ended IS NULL AND run.status <> 'queued'"

export class RunIndex {
  readonly #sql: TenantSql
  readonly #tenant: string

  constructor(sql: TenantSql, tenant: string) {
    this.#sql = sql
    this.#tenant = tenant
  }

  /** A late or repeated report changes nothing: only a higher `view.seq` replaces a row. */
  note({ id, flow, status, created, ended, view }: RunRow): void {
    const seq = typeof view["seq"] === "number" ? view["seq"] : 0
    const tags = tagsOf(view)
    this.#sql.record((sql) => {
      // A promised row has the time of its promise.
      if (tags.length > 0 && seq > 0)
        sql.exec(`DELETE FROM run_tag WHERE id = ?1 AND EXISTS (SELECT 1 FROM run WHERE id = ?1 AND ${PROMISED})`, id)
      sql.exec(
        `INSERT INTO run (id, flow, status, created, ended, seq, view) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET created = CASE WHEN ${PROMISED} THEN excluded.created ELSE run.created END, flow = excluded.flow, status = excluded.status, ended = excluded.ended, seq = excluded.seq, view = excluded.view
         WHERE excluded.seq > run.seq`,
        id,
        flow,
        status,
        created,
        ended ?? null,
        seq,
        JSON.stringify(view),
      )
      // A run's tags never change after its start.
      for (const tag of tags) sql.exec("INSERT OR IGNORE INTO run_tag (tag, created, id) VALUES (?, ?, ?)", tag, created, id)
    })
  }

  /** The seq and the bytes of the run's last report; undefined: it has not reported. */
  lastReport(id: string): LastReport | undefined {
    const [row] = this.#sql.read<{ seq: number; bytes: number | null }>(
      "SELECT seq, json_extract(view, '$.bytes') AS bytes FROM run WHERE id = ?",
      id,
    )
    return row && { seq: row.seq, bytes: row.bytes ?? 0 }
  }

  /** Runs that have reported and not ended, without children, which count as part of their parents [H6]. */
  live(): string[] {
    const rows = this.#sql.read<{ id: string }>(
      `SELECT id FROM run WHERE ended IS NULL AND status <> 'queued' AND ${OWN} AND NOT (${PROMISED})`,
    )
    return rows.map(({ id }) => id)
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
      `SELECT id, created FROM run WHERE created > ? AND status <> 'queued' AND ${OWN} ORDER BY created`,
      since,
    )
  }

  /** The run of this thread of this flow that was created last [P1]. */
  newestOf(flow: string, thread: string): { id: string; created: number } | undefined {
    return this.#sql.read<{ id: string; created: number }>(
      `SELECT id, created FROM run WHERE ${THREAD} = ? AND flow = ? ORDER BY created DESC, id DESC LIMIT 1`,
      thread,
      flow,
    )[0]
  }

  remove(id: string): void {
    if (this.#sql.read("SELECT 1 FROM run WHERE id = ?", id).length === 0) return
    this.#sql.record((sql) => {
      sql.exec("DELETE FROM run WHERE id = ?", id)
      sql.exec("DELETE FROM run_tag WHERE id = ?", id)
    })
  }

  /** [H5] One filter uses its index; the others are checked row by row, for at most SCAN rows. If they exclude many rows, the page is short or
   *  empty, and its cursor continues from the last row that was read. */
  list(query: Query): Page {
    const after = query.cursor === undefined ? undefined : positionOf(query.cursor, this.#tenant)
    if (after === null) return { badCursor: true }
    const limit = Math.max(1, Math.min(MAX_PAGE, Math.trunc(query.limit)))
    const { from, rest } = wayOf(query, after)
    const lead = `SELECT run.id AS id, run.created AS created, run.flow AS flow, run.status AS status, run.view AS view FROM ${from.table}
      ${where(from.conditions)} ORDER BY ${from.order}.created DESC, ${from.order}.id DESC`
    const bound = [...from.conditions, ...rest].flatMap((c) => c.values)
    const rows = this.#sql.read<{ id: string; created: number; view: string }>(
      rest.length === 0
        ? `${lead} LIMIT ?`
        : `SELECT id, created, view FROM (${lead} LIMIT ${SCAN}) ${where(rest)} ORDER BY created DESC, id DESC LIMIT ?`,
      ...bound,
      limit + 1,
    )
    const page = rows.slice(0, limit)
    const last = rows.length > limit ? page.at(-1) : rest.length > 0 ? this.#seen(lead, from.conditions) : undefined
    return { data: page.map((row) => shown(JSON.parse(row.view))), next_cursor: last ? cursorOf(this.#tenant, last) : null }
  }

  /** The last row that was read, if there may be more after it. */
  #seen(lead: string, conditions: readonly Condition[]): Position | undefined {
    return this.#sql.read<{ id: string; created: number }>(
      `SELECT id, created FROM (${lead} LIMIT 1 OFFSET ${SCAN - 1})`,
      ...conditions.flatMap((c) => c.values),
    )[0]
  }

  /** Runs with open questions, oldest first. */
  asking(query: Pick<Query, "limit" | "cursor">): Awaited<ReturnType<RunListPort["asking"]>> {
    const after = query.cursor === undefined ? { created: 0, id: "" } : positionOf(query.cursor, this.#tenant)
    if (after === null) return { badCursor: true }
    const limit = Math.max(1, Math.min(MAX_PAGE, Math.trunc(query.limit)))
    const rows = this.#sql.read<{ id: string; flow: string; created: number }>(
      `SELECT id, flow, created FROM run WHERE json_extract(view, '$.pending') > 0 AND ${UNTESTED} AND (created, id) > (?, ?) ORDER BY created, id LIMIT ?`,
      after.created,
      after.id,
      limit + 1,
    )
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    return {
      data: page.map(({ id, flow }) => ({ id, flow })),
      next_cursor: rows.length > limit && last ? cursorOf(this.#tenant, last) : null,
    }
  }
}

/** The fields of one list item [H5]. */
function shown(view: JsonObject): JsonObject {
  const item: JsonObject = {}
  for (const name of [
    "id",
    "flow",
    "status",
    "created",
    "ended",
    "trigger",
    "tags",
    "usage",
    "pending",
    "error",
    "rehearsed",
    "waiting",
    "thread",
    "session",
    "parent",
    "fork",
    "effects",
  ]) {
    const value = view[name]
    if (value !== undefined) item[name] = value
  }
  return { thread: view["id"] ?? null, ...item, ended: view["ended"] ?? null }
}

interface Condition {
  readonly sql: string
  readonly values: readonly (string | number)[]
}

interface Way {
  /** `order`: the table whose `created` and `id` are in the index. */
  readonly from: { readonly table: string; readonly order: "run" | "run_tag"; readonly conditions: readonly Condition[] }
  /** Conditions on the columns that the leading query returns. */
  readonly rest: readonly Condition[]
}

/** SQLite uses an index on an expression only for `=`. */
const oneOf = (values: readonly string[]): string => (values.length === 1 ? "= ?" : `IN (${values.map(() => "?").join(", ")})`)

const where = (conditions: readonly Condition[]): string =>
  conditions.length === 0 ? "" : `WHERE ${conditions.map((c) => c.sql).join(" AND ")}`

/** The filter that excludes the most rows leads: the tag, then the thread, the parent, the status, the kind of trigger, the flow. Without any, runs without
 *  a parent have an index of their own. */
function wayOf(query: Query, after: Position | undefined): Way {
  const order = query.tag === undefined ? "run" : "run_tag"
  const range: Condition[] = [
    ...(after ? [{ sql: `(${order}.created, ${order}.id) < (?, ?)`, values: [after.created, after.id] }] : []),
    ...(query.createdAfter === undefined ? [] : [{ sql: `${order}.created >= ?`, values: [query.createdAfter] }]),
    ...(query.createdBefore === undefined ? [] : [{ sql: `${order}.created < ?`, values: [query.createdBefore] }]),
  ]
  const hasChildren = query.children === true || query.parent !== undefined || query.trigger?.includes("child") === true
  const own: readonly Condition[] = hasChildren ? [] : [{ sql: OWN, values: [] }]
  // [K21] Runs of tests are shown to who asks for them, and the children of one to who asks for those.
  const untested = query.trigger === undefined && query.parent === undefined ? [{ sql: UNTESTED, values: [] }] : []
  const filters: Condition[] = [
    ...(query.thread === undefined ? [] : [{ sql: `${THREAD} = ?`, values: [query.thread] }]),
    ...(query.parent === undefined ? [] : [{ sql: "json_extract(view, '$.parent.run') = ?", values: [query.parent] }]),
    ...(query.forkOf === undefined ? [] : [{ sql: "json_extract(view, '$.fork.run') = ?", values: [query.forkOf] }]),
    ...(query.status === undefined ? [] : [{ sql: `status ${oneOf(query.status)}`, values: query.status }]),
    ...(query.trigger === undefined
      ? []
      : [{ sql: `json_extract(view, '$.trigger.kind') ${oneOf(query.trigger)}`, values: query.trigger }]),
    ...(query.flow === undefined ? [] : [{ sql: `flow ${oneOf(query.flow)}`, values: query.flow }]),
  ]
  const checked: readonly Condition[] = [
    ...(query.session === undefined ? [] : [{ sql: "json_extract(view, '$.session') = ?", values: [query.session] }]),
    ...own,
    ...untested,
  ]
  if (query.tag !== undefined)
    return {
      from: { table: "run_tag JOIN run ON run.id = run_tag.id", order, conditions: [{ sql: "tag = ?", values: [query.tag] }, ...range] },
      rest: [...filters, ...checked],
    }
  // The rows of several values are not in order in an index, so only a filter with one value can lead.
  const lead = filters.find((f) => f.values.length === 1)
  if (lead === undefined && own.length > 0)
    return { from: { table: "run", order, conditions: [...own, ...range] }, rest: [...filters, ...checked.filter((c) => !own.includes(c))] }
  return {
    from: { table: "run", order, conditions: [...(lead ? [lead] : []), ...range] },
    rest: [...filters.filter((f) => f !== lead), ...checked],
  }
}

const tagsOf = (view: JsonObject): string[] => {
  const tags = view["tags"]
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : []
}
