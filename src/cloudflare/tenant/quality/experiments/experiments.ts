// Wakes the tenant's experiments [V38] and hears of their runs. What drives them is loaded when there is one: most tenants never have any.

import { spareOf } from "../../../../core/run/bulk-act.ts"
import { isObject } from "../../../../core/json.ts"
import type { Amount } from "../../../../core/money/amount.ts"
import type { Limits } from "../../../../ports/tenant/catalog.ts"
import type { ListedRun } from "../../../../ports/tenant/run-list.ts"
import type { DueWork } from "../../tenant-alarm.ts"
import type { TenantSql } from "../../tenant-sql.ts"
import type { Scoring } from "../scoring-store.ts"
import type { JudgedBy } from "../scorings.ts"
import type { ExperimentDrive } from "./experiment-drive.ts"
import { hasPlace, waiting } from "./places.ts"
import type { Money } from "./trial-store.ts"

export const AT_ONCE = 10 // limit: trials of a tenant under way at once → the next begin when these are through
/** Trials whose run is being followed. */
const GOES_ON = "state IN ('running', 'stopping')"
/** What waits for room looks again after this time. */
const FULL_MS = 2_000

export interface ExperimentsDeps {
  readonly sql: TenantSql
  readonly drive: () => Promise<ExperimentDrive>
  readonly room: () => Limits & { readonly places: number }
  readonly want: (at: number) => void
  readonly now: () => number
}

export class Experiments implements DueWork {
  readonly name = "experiments"
  readonly #deps: ExperimentsDeps
  /** Until when those that nothing is open of are being summed up. */
  #summing = 0

  constructor(deps: ExperimentsDeps) {
    this.#deps = deps
  }

  readonly due = (): number | undefined => {
    const { sql, now } = this.#deps
    if (!sql.has("experiment")) return undefined
    const times = [
      this.#first("SELECT min(due) AS at FROM experiment_row WHERE due IS NOT NULL"),
      this.#first("SELECT min(due) AS at FROM trial WHERE state IN ('running', 'scoring', 'stopping') AND due IS NOT NULL"),
      this.#begins(),
      this.#promotes(),
      sql.read("SELECT 1 FROM experiment WHERE status = 'running' AND open <= 0 LIMIT 1").length > 0
        ? Math.max(now(), this.#summing)
        : undefined,
    ].filter((at) => at !== undefined)
    return times.length === 0 ? undefined : Math.min(...times)
  }

  #first(query: string): number | undefined {
    return this.#deps.sql.read<{ at: number | null }>(query)[0]?.at ?? undefined
  }

  /** When the next trial can begin: an end makes room for another, and is heard. */
  #begins(): number | undefined {
    const { now } = this.#deps
    const waiting = this.#first("SELECT min(due) AS at FROM trial WHERE state = 'waiting' AND due IS NOT NULL")
    if (waiting === undefined || this.running() >= AT_ONCE) return undefined
    return this.spare() > 0 ? waiting : Math.max(waiting, now() + FULL_MS)
  }

  /** [V42] An experiment of the gate that waits has a place now. */
  #promotes(): number | undefined {
    const { sql, now } = this.#deps
    return waiting(sql) > 0 && hasPlace(sql) ? now() : undefined
  }

  running(): number {
    return this.#deps.sql.read<{ n: number }>("SELECT count(*) AS n FROM trial WHERE state = 'running' AND due IS NOT NULL")[0]?.n ?? 0
  }

  /** [V34] A tenth of the tenant's places and minute stays free. */
  spare(): number {
    const { concurrent, starts, places } = this.#deps.room()
    return places === 0 ? 0 : spareOf([concurrent, starts])
  }

  readonly work = async (now: number): Promise<void> => {
    if (!this.#deps.sql.has("experiment")) return
    this.#summing = now + FULL_MS
    const drive = await this.#deps.drive()
    drive.work(now, Math.max(0, Math.min(AT_ONCE - this.running(), this.spare())))
  }

  /** What was taken before this object woke has nobody who does it. */
  readonly mend = (now: number): void => {
    const { sql } = this.#deps
    this.#summing = 0
    if (!sql.has("experiment") || sql.read("SELECT 1 FROM experiment WHERE status = 'running' LIMIT 1").length === 0) return
    sql.write((rows) => {
      rows.exec("UPDATE experiment_row SET due = ? WHERE due > ?", now, now)
      rows.exec("UPDATE trial SET due = ? WHERE due > ?", now, now)
    })
  }

  /** A run's report: its trial is looked at when it has ended, or asks. */
  reported({ id, view, ended }: ListedRun, now: number): void {
    const { sql, want } = this.#deps
    if (!sql.has("trial")) return
    const { pending, parent } = view
    const asks = typeof pending === "number" && pending > 0
    if (ended === undefined && !asks) return
    const run = isObject(parent) && typeof parent["root"] === "string" ? parent["root"] : id
    if (run !== id && ended !== undefined) return
    if (sql.read(`SELECT 1 FROM trial WHERE run = ? AND ${GOES_ON} LIMIT 1`, run).length === 0) return
    sql.write((rows) => rows.exec(`UPDATE trial SET due = ? WHERE run = ? AND ${GOES_ON}`, now, run))
    want(now)
  }

  /** In the commit of the score [V11]. `score` undefined: there is none. */
  scored({ run, scorer, order: { experiment = "" } }: Scoring, score: number | null | undefined, use: JudgedBy["use"] | undefined): void {
    const { sql, want, now } = this.#deps
    if (!sql.has("trial")) return
    const at = now()
    sql.write((rows) => {
      if (score !== undefined)
        rows.exec(
          "UPDATE trial SET body = json_set(body, ?, ?) WHERE run = ? AND experiment = ? AND state = 'scoring'",
          `$.scores.${JSON.stringify(scorer)}`,
          score,
          run,
          experiment,
        )
      rows.exec("UPDATE trial SET due = ? WHERE run = ? AND experiment = ? AND state = 'scoring'", at, run, experiment)
      if (use)
        rows.exec(
          "UPDATE experiment SET tokens = tokens + ?, usd = usd + ?, unpriced = unpriced + ? WHERE id = ?",
          use.input + use.output,
          use.usd ?? 0,
          use.usd === null ? 1 : 0,
          experiment,
        )
    })
    want(at)
  }

  /** [V36] `taken`: used, and held by trials under way. undefined: there is no such experiment under way. */
  money(id: string): { readonly budget?: Amount; readonly taken: Money } | undefined {
    const { sql } = this.#deps
    if (!sql.has("experiment")) return undefined
    const [row] = sql.read<{ budget: string | null; usd: number; tokens: number }>(
      `SELECT json_extract(body, '$.budget') AS budget, usd + held_usd AS usd, tokens + held_tokens AS tokens
       FROM experiment WHERE id = ? AND status = 'running'`,
      id,
    )
    if (!row) return undefined
    const { budget, ...taken } = row
    return { ...(budget === null ? {} : { budget: JSON.parse(budget) as Amount }), taken }
  }
}
