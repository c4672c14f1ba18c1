// Stores probes of judges [V10]: the newest of each scorer, and what the judge gave to each run in each way. No run gets these scores.

import type { Amount } from "../../../core/money/amount.ts"
import { defined } from "../../../core/defined.ts"
import type { ProbedRun } from "../../../core/score/probe.ts"
import { PROBE_WAYS, type ProbeWay } from "../../../core/score/probe-way.ts"
import type { TenantSql } from "../tenant-sql.ts"
import type { HeldMoney, JudgeUse } from "./scoring-store.ts"

export interface Probe {
  readonly id: string
  readonly scorer: string
  readonly version: string
  readonly at: number
  readonly budget?: Pick<Amount, "usd" | "tokens">
}

type Row = { id: string; scorer: string; version: string; at: number; budget: string | null; usd: number; tokens: number }

export class ProbeStore {
  readonly #sql: TenantSql

  constructor(sql: TenantSql) {
    this.#sql = sql
  }

  /** Takes the place of the scorer's last one: what is left of that is not judged. */
  begin({ id, scorer, version, at, budget }: Probe): void {
    this.#sql.write((sql) => {
      this.#sql.make("probe")
      sql.exec("DELETE FROM probe WHERE scorer = ?", scorer)
      sql.exec(
        "INSERT INTO probe (id, scorer, version, at, budget, usd, tokens) VALUES (?, ?, ?, ?, ?, 0, 0)",
        id,
        scorer,
        version,
        at,
        budget ? JSON.stringify(budget) : null,
      )
    })
  }

  /** With what its judges have used. */
  find(by: { readonly id: string } | { readonly scorer: string }): (Probe & { readonly used: HeldMoney }) | undefined {
    if (!this.#sql.has("probe")) return undefined
    const [column, value] = "id" in by ? ["id", by.id] : ["scorer", by.scorer]
    const [row] = this.#sql.read<Row>(`SELECT * FROM probe WHERE ${column} = ?`, value)
    if (!row) return undefined
    const { budget, usd, tokens, ...probe } = row
    return { ...probe, ...defined({ budget: budget === null ? undefined : JSON.parse(budget) }), used: { usd, tokens } }
  }

  /** `score`: null where there is none. */
  judged(
    probe: string,
    { run, way, judge }: { readonly run: string; readonly way: ProbeWay; readonly judge: string },
    score: number | null,
    use: JudgeUse,
  ): void {
    this.#sql.write((sql) => {
      this.#sql.make("probe_score")
      sql.exec("INSERT OR REPLACE INTO probe_score (run, probe, way, score, judge) VALUES (?, ?, ?, ?, ?)", run, probe, way, score, judge)
      sql.exec("UPDATE probe SET usd = usd + ?, tokens = tokens + ? WHERE id = ?", use.usd ?? 0, use.input + use.output, probe)
    })
  }

  /** The runs that have a score in all ways. */
  runs(probe: string): readonly ProbedRun[] {
    if (!this.#sql.has("probe_score")) return []
    const rows = this.#sql.read<{ run: string; way: ProbeWay; score: number | null }>(
      "SELECT run, way, score FROM probe_score WHERE probe = ? ORDER BY run",
      probe,
    )
    const found = new Map<string, Partial<Record<ProbeWay, number>>>()
    for (const { run, way, score } of rows) found.set(run, { ...found.get(run), ...defined({ [way]: score ?? undefined }) })
    return [...found].flatMap(([id, scores]) =>
      PROBE_WAYS.every((way) => scores[way] !== undefined) ? [{ id, ...(scores as Record<ProbeWay, number>) }] : [],
    )
  }

  /** The runs of its judges, which go with the run that they judged. */
  forget(run: string): readonly string[] {
    if (!this.#sql.has("probe_score")) return []
    return this.#sql.write((sql) =>
      sql
        .exec<{ judge: string }>("DELETE FROM probe_score WHERE run = ? RETURNING judge", run)
        .toArray()
        .map(({ judge }) => judge),
    )
  }
}
