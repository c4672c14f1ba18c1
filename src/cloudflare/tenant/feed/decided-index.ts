// Indexes answered interactions, as the runs report them, and questions from outside runs, newest first. Questions and decisions themselves
// are read from the runs, so each is stored once.

import { InteractionKind } from "../../../core/run/event-parts.ts"
import { cursorPosition, cursorText } from "../../../engine/cursor.ts"
import type { Decided, RunListPort } from "../../../ports/tenant/run-list.ts"
import { ABOUT_RUN, aboutRun } from "../run-list/asking-run.ts"
import type { TenantSql } from "../tenant-sql.ts"

type Query = Parameters<RunListPort["decided"]>[0]
type Page = Awaited<ReturnType<RunListPort["decided"]>>
type Row = { run: string; id: string; flow: string; kind: string; at: number; about: string | null }

const MAX_PAGE = 200 // limit: rows of a page of answered interactions → the next page has the rest

export class DecidedIndex {
  readonly #sql: TenantSql
  readonly #list: string

  constructor(sql: TenantSql, tenant: string) {
    this.#sql = sql
    this.#list = `${tenant} decided`
  }

  /** Each report has all of a run; only new ones are written. */
  note(run: string, flow: string, decided: readonly Decided[]): void {
    const known = new Set(this.#sql.read<{ id: string }>("SELECT id FROM decided WHERE run = ?", run).map(({ id }) => id))
    const more = decided.filter(({ id }) => !known.has(id))
    if (more.length === 0) return
    this.#sql.write((sql) => {
      for (const { id, kind, at } of more)
        sql.exec("INSERT INTO decided (run, id, flow, kind, at) VALUES (?, ?, ?, ?, ?)", run, id, flow, kind, at)
    })
  }

  /** A question outside any run. Those that are no longer kept go. */
  answered(id: string, at: number): void {
    this.#sql.write((sql) => {
      sql.exec("INSERT OR REPLACE INTO decided (run, id, flow, kind, at) VALUES ('', ?, '', 'ask_user', ?)", id, at)
      sql.exec("DELETE FROM decided WHERE run = '' AND id NOT IN (SELECT id FROM question)")
    })
  }

  remove(run: string): void {
    if (this.#sql.read("SELECT 1 FROM decided WHERE run = ? LIMIT 1", run).length > 0)
      this.#sql.write((sql) => sql.exec("DELETE FROM decided WHERE run = ?", run))
  }

  list({ limit, cursor, flow, kind }: Query): Page {
    const after = cursor === undefined ? undefined : this.#placeOf(cursor)
    if (after === null) return { badCursor: true }
    const most = Math.max(1, Math.min(MAX_PAGE, Math.trunc(limit)))
    const conditions = [
      ...(after ? [{ sql: "(at, run, id) < (?, ?, ?)", values: after }] : []),
      ...[
        { name: "flow", values: flow },
        { name: "kind", values: kind },
      ].flatMap(({ name, values }) =>
        values === undefined ? [] : [{ sql: `${name} IN (${values.map(() => "?").join(", ")})`, values: [...values] }],
      ),
    ]
    const rows = this.#sql.read<Row>(
      `SELECT run, id, flow, kind, at, (SELECT ${ABOUT_RUN} FROM run WHERE run.id = decided.run) AS about FROM decided ${conditions.length === 0 ? "" : `WHERE ${conditions.map((c) => c.sql).join(" AND ")}`}
       ORDER BY at DESC, run DESC, id DESC LIMIT ?`,
      ...conditions.flatMap((c): (string | number)[] => [...c.values]),
      most + 1,
    )
    const page = rows.slice(0, most)
    const last = page.at(-1)
    return {
      data: page.map(({ run, id, flow: of, kind: what, at, about }) => ({
        run: run === "" ? null : run,
        id,
        flow: of,
        kind: InteractionKind.parse(what),
        at,
        about: aboutRun(about),
      })),
      next_cursor: rows.length > most && last ? cursorText(this.#list, last.at, last.run, last.id) : null,
    }
  }

  #placeOf(cursor: string): readonly [at: number, run: string, id: string] | null {
    const [at, run, id, ...more] = cursorPosition(cursor, this.#list) ?? []
    return typeof at === "number" && typeof run === "string" && typeof id === "string" && more.length === 0 ? [at, run, id] : null
  }
}
