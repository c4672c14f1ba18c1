// Stores what the gate counts of experiments [V42]: what each compared, on which rows and by which versions, and what it used. It stays when the
// experiment is stopped or deleted, so that no try is forgotten.

import type { Amount } from "../../../../core/money/amount.ts"
import type { TenantRows, TenantSql } from "../../tenant-sql.ts"
import { waiting } from "./places.ts"
import type { Money } from "./trial-store.ts"

export const COUNTS_MS = 7 * 86_400_000 // limit: milliseconds that a try counts, and that an experiment is evidence once it is done → it decides nothing
/** It may have begun long before it was done. */
const KEPT_MS = COUNTS_MS + 2 * 86_400_000 // limit: milliseconds that the gate remembers an experiment → it is forgotten
const MOST_WAITING = 20 // limit: experiments of the gate that wait for a free place → the write waits for a place among these

export interface Try {
  readonly experiment: string
  readonly at: number
  /** Of the first variant: what it runs. */
  readonly form: string
  /** "": rows that were made of runs. */
  readonly dataset: string
  /** SHA-256 of the rows' ids. */
  readonly rows: string
  readonly repeats: number
  /** By variant; "": recorded runs. */
  readonly forms: readonly string[]
  /** Of the scorers, by name. */
  readonly versions: Readonly<Record<string, string>>
  /** The rule of the gate that began it. */
  readonly gate?: string
  /** It has no place yet. */
  readonly waits: boolean
}

export interface WantedEvidence extends Pick<Try, "form" | "rows" | "repeats" | "versions"> {
  readonly after: string
}

type Stored = Omit<Try, "forms" | "versions" | "gate" | "waits"> & {
  forms: string
  versions: string
  gate: string | null
  waits: number
  usd: number
  tokens: number
}

export class EvidenceStore {
  readonly #sql: TenantSql

  constructor(sql: TenantSql) {
    this.#sql = sql
  }

  add(sql: TenantRows, one: Try): void {
    this.#sql.make("experiment_try")
    sql.exec("DELETE FROM experiment_try WHERE at < ?", one.at - KEPT_MS)
    sql.exec(
      `INSERT INTO experiment_try (experiment, at, form, dataset, rows, repeats, forms, versions, gate, waits, usd, tokens)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0)`,
      one.experiment,
      one.at,
      one.form,
      one.dataset,
      one.rows,
      one.repeats,
      JSON.stringify(one.forms),
      JSON.stringify(one.versions),
      one.gate ?? null,
      one.waits ? 1 : 0,
    )
  }

  of(experiment: string): Try | undefined {
    return this.#read("WHERE experiment = ?", experiment)[0]
  }

  /** In the order in which they began. */
  matching({ form, after, rows, repeats, versions }: WantedEvidence): readonly Try[] {
    return this.#read("WHERE form = ? AND rows = ? AND repeats = ? ORDER BY at, experiment", form, rows, repeats).filter(
      (one) => one.forms.indexOf(after, 1) > 0 && Object.entries(versions).every(([name, version]) => one.versions[name] === version),
    )
  }

  /** Those that began from this form, on this dataset, stopped and deleted ones too. */
  count({ form, dataset, rows }: Pick<Try, "form" | "dataset" | "rows">, since: number): number {
    if (!this.#sql.has("experiment_try")) return 0
    const [counted] = this.#sql.read<{ n: number }>(
      "SELECT count(*) AS n FROM experiment_try WHERE form = ? AND at >= ? AND (dataset = ? OR rows = ?)",
      form,
      since,
      dataset,
      rows,
    )
    return counted?.n ?? 0
  }

  /** What the experiments of a rule have used since then, or may still use. */
  taken(gate: string, since: number): Money {
    const sum = { usd: 0, tokens: 0 }
    if (!this.#sql.has("experiment_try")) return sum
    const rows = this.#sql.read<{
      usd: number
      tokens: number
      status: string | null
      budget: string | null
      own_usd: number
      own_tokens: number
      at: number
      ended: number | null
    }>(
      `SELECT t.usd, t.tokens, t.at, e.status, json_extract(e.body, '$.budget') AS budget, e.usd AS own_usd, e.tokens AS own_tokens,
         json_extract(e.result, '$.ended') AS ended
       FROM experiment_try t LEFT JOIN experiment e ON e.id = t.experiment WHERE t.gate = ?`,
      gate,
    )
    for (const { usd, tokens, at, status, budget, own_usd, own_tokens, ended } of rows) {
      const isOfToday = Math.max(at, ended ?? at) >= since
      // One under way may use all that it was given.
      const most = status === "running" && budget !== null ? (JSON.parse(budget) as Amount) : {}
      if (status !== "running" && !isOfToday) continue
      sum.usd += most.usd ?? (status === null ? usd : own_usd)
      sum.tokens += most.tokens ?? (status === null ? tokens : own_tokens)
    }
    return sum
  }

  get isFull(): boolean {
    return waiting(this.#sql) >= MOST_WAITING
  }

  /** Gives the one that waits longest a place. */
  promote(now: number): void {
    const [next] = this.#read("WHERE waits = 1 ORDER BY at, experiment LIMIT 1")
    if (!next) return
    this.#sql.write((sql) => {
      sql.exec("UPDATE experiment_try SET waits = 0 WHERE experiment = ?", next.experiment)
      sql.exec("UPDATE experiment_row SET due = ? WHERE experiment = ? AND state = 'waiting'", now, next.experiment)
    })
  }

  /** It is over, or goes: it waits for nothing, and what it used stays counted. */
  over(sql: TenantRows, experiment: string): void {
    if (!this.#sql.has("experiment_try")) return
    sql.exec(
      `UPDATE experiment_try SET waits = 0, usd = coalesce((SELECT usd FROM experiment WHERE id = experiment_try.experiment), usd),
         tokens = coalesce((SELECT tokens FROM experiment WHERE id = experiment_try.experiment), tokens) WHERE experiment = ?`,
      experiment,
    )
  }

  #read(where: string, ...values: (string | number)[]): readonly Try[] {
    if (!this.#sql.has("experiment_try")) return []
    return this.#sql.read<Stored>(`SELECT * FROM experiment_try ${where}`, ...values).map((one) => ({
      experiment: one.experiment,
      at: one.at,
      form: one.form,
      dataset: one.dataset,
      rows: one.rows,
      repeats: one.repeats,
      forms: JSON.parse(one.forms) as string[],
      versions: JSON.parse(one.versions) as Record<string, string>,
      waits: one.waits === 1,
      ...(one.gate === null ? {} : { gate: one.gate }),
    }))
  }
}
