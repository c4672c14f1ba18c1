// Indexes the open effects of the tenant's runs [K31], as the runs report them. The rows themselves are read from the runs, so they are
// always current.

import type { RunListPort, ListedRun } from "../../ports/tenant/run-list.ts"
import { cursorOf, positionOf } from "../platform/list-cursor.ts"
import type { TenantSql } from "./tenant-sql.ts"

type Query = Parameters<RunListPort["effects"]>[0]
type Page = Awaited<ReturnType<RunListPort["effects"]>>

const COUNTED = 5_000 // limit: uncertain effects that are counted → the answer says that there are more
const MAX_PAGE = 200 // limit: effects of a page → 422 at `?limit`

export class EffectIndex {
  readonly #sql: TenantSql
  readonly #tenant: string

  constructor(sql: TenantSql, tenant: string) {
    this.#sql = sql
    this.#tenant = tenant
  }

  /** A late or repeated report changes nothing. After a run's end only this part of its report changes, so it has a `seq` of its own. */
  note({ id, effects }: ListedRun): void {
    if (effects === undefined) return
    const [before] = this.#sql.read<{ seq: number }>("SELECT seq FROM effect_report WHERE run = ?", id)
    if (before && before.seq >= effects.seq) return
    this.#sql.write((sql) => {
      sql.exec("INSERT INTO effect_report (run, seq) VALUES (?, ?) ON CONFLICT (run) DO UPDATE SET seq = excluded.seq", id, effects.seq)
      sql.exec("DELETE FROM effect_open WHERE run = ?", id)
      for (const { key, state, tool, target, at } of effects.open)
        sql.exec("INSERT INTO effect_open (run, key, state, tool, host, at) VALUES (?, ?, ?, ?, ?, ?)", id, key, state, tool, target, at)
    })
  }

  remove(run: string): void {
    if (this.#sql.read("SELECT 1 FROM effect_report WHERE run = ?", run).length === 0) return
    this.#sql.write((sql) => {
      sql.exec("DELETE FROM effect_report WHERE run = ?", run)
      sql.exec("DELETE FROM effect_open WHERE run = ?", run)
    })
  }

  /** How many have an outcome that nobody knows. */
  uncertain(): { readonly n: number; readonly complete: boolean } {
    const [row] = this.#sql.read<{ n: number }>(
      "SELECT count(*) AS n FROM (SELECT 1 FROM effect_open WHERE state = 'uncertain' LIMIT ?)",
      COUNTED + 1,
    )
    const n = row?.n ?? 0
    return { n: Math.min(n, COUNTED), complete: n <= COUNTED }
  }

  /** Oldest first. */
  list({ limit, cursor, states, tool, host }: Query): Page {
    const after = cursor === undefined ? { created: 0, id: "" } : positionOf(cursor, this.#tenant)
    if (after === null) return { badCursor: true }
    const most = Math.max(1, Math.min(MAX_PAGE, Math.trunc(limit)))
    const conditions = [
      { sql: "(at, run || ' ' || key) > (?, ?)", values: [after.created, after.id] },
      ...(states === undefined ? [] : [{ sql: `state IN (${states.map(() => "?").join(", ")})`, values: [...states] }]),
      ...(tool === undefined ? [] : [{ sql: "tool = ?", values: [tool] }]),
      ...(host === undefined ? [] : [{ sql: "host = ?", values: [host] }]),
    ]
    const rows = this.#sql.read<{ run: string; key: string; at: number }>(
      `SELECT run, key, at FROM effect_open WHERE ${conditions.map((c) => c.sql).join(" AND ")} ORDER BY at, run || ' ' || key LIMIT ?`,
      ...conditions.flatMap((c): (string | number)[] => c.values),
      most + 1,
    )
    const data = rows.slice(0, most)
    const last = data.at(-1)
    const next = rows.length > most && last ? cursorOf(this.#tenant, { created: last.at, id: `${last.run} ${last.key}` }) : null
    return { data: data.map(({ run, key }) => ({ run, key })), next_cursor: next }
  }
}
