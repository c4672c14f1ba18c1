// Stores the plans of each run [C30–C35, T41]. After a plan is inserted, only its state changes. Each change of state is a separate commit,
// so if two callers want to execute a plan, only one does.

import { defined } from "../../core/defined.ts"
import { mayBecome, type PlanState } from "../../core/plans/plan-state.ts"
import type { PlanSpec } from "../../core/plans/plan-spec.ts"
import { canonical, type Json, type JsonObject } from "../../core/json.ts"
import type { PlanMarks, PlanView } from "../../ports/tenant/authoring/plans.ts"
import type { SettingStore } from "./settings/setting-store.ts"
import type { TenantSql } from "./tenant-sql.ts"

type Row = {
  id: string
  name: string
  state: string
  body: string
  result: string | null
  error: string | null
  tainted: number | null
  private: number | null
}

/** Plans without marks have no row in plan_mark. */
const FOUND = "SELECT id, name, state, body, result, error, tainted, private FROM plan LEFT JOIN plan_mark USING (run, id) WHERE run = ?"
/** Each insert checks this many of the oldest plans and deletes those whose run no longer exists. */
const SWEPT = 50
/** A plan this young is never deleted, because its run appears in the list of runs only a moment after it starts. */
const GRACE_MS = 86_400_000

export class PlanStore {
  readonly #sql: TenantSql
  readonly #settings: SettingStore
  readonly #now: () => number

  constructor(sql: TenantSql, settings: SettingStore, now: () => number) {
    this.#sql = sql
    this.#settings = settings
    this.#now = now
  }

  specs(): readonly PlanSpec[] {
    return this.#settings.items("plans")
  }

  spec(name: string): PlanSpec | undefined {
    return this.#settings.item("plans", name)
  }

  find(run: string, id: string): PlanView | undefined {
    return this.#view(this.#row(run, id))
  }

  ofRun(run: string): readonly PlanView[] {
    const rows = this.#sql.read<Row>(`${FOUND} ORDER BY created, id`, run)
    return rows.flatMap((row) => this.#view(row) ?? [])
  }

  copy(from: string, to: string): void {
    if (this.#sql.read("SELECT 1 FROM plan WHERE run = ? LIMIT 1", from).length === 0) return
    this.#sql.write((sql) => {
      sql.exec(
        "INSERT OR IGNORE INTO plan (run, id, name, state, body, created, at, result, error) SELECT ?, id, name, state, body, created, at, result, error FROM plan WHERE run = ?",
        to,
        from,
      )
      sql.exec(
        "INSERT OR IGNORE INTO plan_mark (run, id, tainted, private) SELECT ?, id, tainted, private FROM plan_mark WHERE run = ?",
        to,
        from,
      )
    })
  }

  insert(run: string, plan: { readonly planId: string; readonly plan: string; readonly body: JsonObject } & PlanMarks): "ok" | "other" {
    const { planId, plan: name, tainted, private: isPrivate } = plan
    const at = this.#now()
    const body = canonical(plan.body)
    const before = this.#row(run, planId)
    if (before && (before.name !== name || before.body !== body)) return "other"
    const isMarked = (tainted === true && before?.tainted !== 1) || (isPrivate === true && before?.private !== 1)
    if (before && !isMarked) return "ok"
    this.#sql.write((sql) => {
      if (isMarked)
        sql.exec(
          "INSERT INTO plan_mark (run, id, tainted, private) VALUES (?, ?, ?, ?) ON CONFLICT (run, id) DO UPDATE SET tainted = max(tainted, excluded.tainted), private = max(private, excluded.private)",
          run,
          planId,
          tainted === true ? 1 : 0,
          isPrivate === true ? 1 : 0,
        )
      if (before) return
      sql.exec(
        "INSERT INTO plan (run, id, name, state, body, created, at) VALUES (?, ?, ?, 'draft', ?, ?, ?)",
        run,
        planId,
        name,
        body,
        at,
        at,
      )
      const old = "SELECT run, id FROM plan WHERE created < ? ORDER BY created LIMIT ?"
      for (const table of ["plan_mark", "plan"])
        sql.exec(`DELETE FROM ${table} WHERE (run, id) IN (${old}) AND run NOT IN (SELECT id FROM run)`, at - GRACE_MS, SWEPT)
    })
    return "ok"
  }

  /** The run is deleted. */
  forget(run: string): void {
    if (this.#sql.read("SELECT 1 FROM plan WHERE run = ? LIMIT 1", run).length === 0) return
    this.#sql.write((sql) => {
      for (const table of ["plan_mark", "plan"]) sql.exec(`DELETE FROM ${table} WHERE run = ?`, run)
    })
  }

  move(
    run: string,
    id: string,
    to: PlanState,
    end: { readonly result?: Json; readonly error?: string } = {},
  ): "ok" | PlanState | "unknown" {
    const row = this.#row(run, id)
    if (!row) return "unknown"
    const from = stateOf(row.state)
    if (!mayBecome(from, to)) return from
    const result = end.result === undefined ? null : JSON.stringify(end.result)
    this.#sql.write((sql) => {
      sql.exec(
        "UPDATE plan SET state = ?, result = ?, error = ?, at = ? WHERE run = ? AND id = ?",
        to,
        result,
        end.error ?? null,
        this.#now(),
        run,
        id,
      )
    })
    return "ok"
  }

  #row(run: string, id: string): Row | undefined {
    return this.#sql.read<Row>(`${FOUND} AND id = ?`, run, id)[0]
  }

  #view(row: Row | undefined): PlanView | undefined {
    if (!row) return undefined
    const state = stateOf(row.state)
    const aliases = this.spec(row.name)?.display_aliases
    const display = aliases && Object.hasOwn(aliases, state) ? aliases[state] : undefined
    return {
      planId: row.id,
      plan: row.name,
      state,
      body: JSON.parse(row.body),
      ...defined({ display }),
      ...(row.result === null ? {} : { result: JSON.parse(row.result) }),
      ...(row.error === null ? {} : { error: row.error }),
      ...(row.tainted === 1 ? { tainted: true } : {}),
      ...(row.private === 1 ? { private: true } : {}),
    }
  }
}

/** Needs no check: only this class writes the row. */
const stateOf = (state: string): PlanState => state as PlanState
