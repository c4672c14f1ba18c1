// RunIndex: the tenant's list of runs, told by the runs themselves. Newest first by (created, id); a cursor is a position in that
// order, not an offset, so that rows which come and go between two pages lose and repeat nothing [H5].

import type { JsonObject } from "../core/json.ts"
import type { RunRow, TenantPort } from "../ports/catalog.ts"
import type { TenantSql } from "./tenant-sql.ts"

type Query = Parameters<TenantPort["listRuns"]>[0]
type Page = Awaited<ReturnType<TenantPort["listRuns"]>>

const MOST = 200

export class RunIndex {
  readonly #sql: TenantSql
  readonly #tenant: string

  constructor(sql: TenantSql, tenant: string) {
    this.#sql = sql
    this.#tenant = tenant
  }

  /** A late or repeated word changes nothing: only a higher `view.seq` replaces a row. */
  note({ id, flow, status, created, ended, view }: RunRow): void {
    const seq = typeof view["seq"] === "number" ? view["seq"] : 0
    this.#sql.write((sql) => {
      sql.exec(
        `INSERT INTO run (id, flow, status, created, ended, seq, view) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET flow = excluded.flow, status = excluded.status, ended = excluded.ended, seq = excluded.seq, view = excluded.view
         WHERE excluded.seq > run.seq`,
        id,
        flow,
        status,
        created,
        ended ?? null,
        seq,
        JSON.stringify(view),
      )
    })
  }

  remove(id: string): void {
    if (this.#sql.read("SELECT 1 FROM run WHERE id = ?", id).length === 0) return
    this.#sql.write((sql) => sql.exec("DELETE FROM run WHERE id = ?", id))
  }

  list(query: Query): Page {
    const after = query.cursor === undefined ? undefined : this.#position(query.cursor)
    if (after === null) return { badCursor: true }
    const limit = Math.max(1, Math.min(MOST, Math.trunc(query.limit)))
    const where: string[] = []
    const bindings: (string | number)[] = []
    if (after) {
      where.push("(created, id) < (?, ?)")
      bindings.push(after.created, after.id)
    }
    if (query.flow !== undefined) {
      where.push("flow = ?")
      bindings.push(query.flow)
    }
    if (query.status !== undefined) {
      where.push(`status IN (${query.status.map(() => "?").join(", ")})`)
      bindings.push(...query.status)
    }
    const rows = this.#sql.read<{ id: string; created: number; view: string }>(
      `SELECT id, created, view FROM run ${where.length > 0 ? `WHERE ${where.join(" AND ")}` : ""} ORDER BY created DESC, id DESC LIMIT ?`,
      ...bindings,
      limit + 1,
    )
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    return {
      data: page.map((row): JsonObject => JSON.parse(row.view)),
      next_cursor: rows.length > limit && last ? this.#cursor(last) : null,
    }
  }

  /** Runs with open questions, oldest first. */
  asking(query: Pick<Query, "limit" | "cursor">): Awaited<ReturnType<TenantPort["askingRuns"]>> {
    const after = query.cursor === undefined ? { created: 0, id: "" } : this.#position(query.cursor)
    if (after === null) return { badCursor: true }
    const limit = Math.max(1, Math.min(MOST, Math.trunc(query.limit)))
    const rows = this.#sql.read<{ id: string; flow: string; created: number }>(
      "SELECT id, flow, created FROM run WHERE json_extract(view, '$.pending') > 0 AND (created, id) > (?, ?) ORDER BY created, id LIMIT ?",
      after.created,
      after.id,
      limit + 1,
    )
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    return { data: page.map(({ id, flow }) => ({ id, flow })), next_cursor: rows.length > limit && last ? this.#cursor(last) : null }
  }

  #cursor({ created, id }: { readonly created: number; readonly id: string }): string {
    return base64url(JSON.stringify([this.#tenant, created, id]))
  }

  /** null: no cursor of this list. Another tenant's is none either. */
  #position(cursor: string): { readonly created: number; readonly id: string } | null {
    const parts = jsonOf(cursor)
    if (!Array.isArray(parts) || parts.length !== 3) return null
    const [tenant, created, id]: unknown[] = parts
    return tenant === this.#tenant && typeof created === "number" && typeof id === "string" ? { created, id } : null
  }
}

const base64url = (text: string): string => btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")

function jsonOf(cursor: string): unknown {
  try {
    return JSON.parse(atob(cursor.replaceAll("-", "+").replaceAll("_", "/")))
  } catch {
    return undefined
  }
}
