// Stores experiments and their rows [V38]: what was fixed when one was asked for, how far its rows are, and what it came to.

import type { RowCase } from "../../../../core/dataset/row.ts"
import type { Results } from "../../../../core/experiment/results.ts"
import type { ExperimentFixed, ExperimentRowGiven, ExperimentStatus, RowAnswer } from "../../../../ports/tenant/quality/experiments.ts"
import type { KnownScorer } from "../../../../ports/tenant/quality/scorers.ts"
import type { PinnedJudge } from "../../../../engine/catalog/score/pin-judge.ts"
import type { TenantSql } from "../../tenant-sql.ts"
import { hasPlace, waiting } from "./places.ts"
import { EvidenceStore, type Try } from "./evidence-store.ts"
import { addTrials, type Money, type NewTrial } from "./trial-store.ts"

export const KEPT = 100 // limit: experiments of a tenant → the oldest that are over are deleted
export const KEPT_MS = 90 * 86_400_000 // limit: milliseconds that an experiment is kept → it is deleted, when it is over

export interface FixedScorer {
  readonly known: KnownScorer
  readonly judge?: PinnedJudge
}

export interface ExperimentBody extends ExperimentFixed {
  readonly fixed: readonly FixedScorer[]
}

/** As it is stored. */
export interface EndedResults extends Results {
  /** Milliseconds; absent in one of an earlier build. */
  readonly ended?: number
}

export interface Experiment {
  readonly id: string
  readonly created: number
  readonly status: ExperimentStatus
  readonly rows: number
  readonly used: Money
  readonly isUnpriced: boolean
  readonly held: Money
  readonly body: ExperimentBody
  readonly result?: EndedResults
}

export interface ExperimentRow {
  readonly experiment: string
  readonly row: string
  readonly state: "waiting" | "same" | "tried"
  readonly run: string | null
  readonly plan?: RowAnswer
  readonly given: { readonly row: RowCase; readonly untrusted?: true }
}

type Stored = {
  id: string
  created: number
  status: ExperimentStatus
  rows: number
  usd: number
  unpriced: number
  tokens: number
  held_usd: number
  held_tokens: number
  body: string
  result: string | null
}
type StoredRow = { experiment: string; row: string; state: ExperimentRow["state"]; run: string | null; plan: string | null; body: string }

/** What the gate keeps of it besides. */
type Tried = Pick<Try, "rows" | "gate" | "waits">

interface Begun {
  readonly now: number
  readonly tried?: Tried
}

export class ExperimentStore {
  readonly #sql: TenantSql
  readonly evidence: EvidenceStore

  constructor(sql: TenantSql) {
    this.#sql = sql
    this.evidence = new EvidenceStore(sql)
  }

  add(id: string, body: ExperimentBody, rows: readonly ExperimentRowGiven[], { now, tried }: Begun): void {
    this.#sql.write((sql) => {
      const form = body.variants[0]?.form
      if (tried && form !== undefined)
        this.evidence.add(sql, {
          ...tried,
          experiment: id,
          at: now,
          form,
          dataset: typeof body.dataset === "string" ? body.dataset : "",
          repeats: body.repeats,
          forms: body.variants.map((one) => one.form ?? ""),
          versions: Object.fromEntries(body.fixed.map(({ known: { scorer, version } }) => [scorer.name, version])),
        })
      for (const table of ["experiment", "experiment_row", "trial"] as const) this.#sql.make(table)
      sql.exec(
        `INSERT INTO experiment (id, created, status, rows, open, usd, unpriced, tokens, held_usd, held_tokens, body, result)
         VALUES (?, ?, 'running', ?, ?, 0, 0, 0, 0, 0, ?, NULL)`,
        id,
        now,
        rows.length,
        body.isEqual ? 0 : rows.length,
        JSON.stringify(body),
      )
      for (const { id: row, run, ...given } of rows)
        sql.exec(
          "INSERT INTO experiment_row (experiment, row, state, run, due, plan, body) VALUES (?, ?, ?, ?, ?, NULL, ?)",
          id,
          row,
          body.isEqual ? "same" : "waiting",
          run ?? null,
          body.isEqual || tried?.waits ? null : now,
          JSON.stringify(given),
        )
    })
  }

  find(id: string): Experiment | undefined {
    return this.#read("WHERE id = ?", id)[0]
  }

  /** The newest first. */
  list(): readonly Experiment[] {
    return this.#read("ORDER BY created DESC, id DESC")
  }

  underWay(): number {
    if (!this.#sql.has("experiment")) return 0
    return this.#sql.read<{ n: number }>("SELECT count(*) AS n FROM experiment WHERE status = 'running'")[0]?.n ?? 0
  }

  #read(where: string, ...values: string[]): readonly Experiment[] {
    if (!this.#sql.has("experiment")) return []
    return this.#sql.read<Stored>(`SELECT * FROM experiment ${where}`, ...values).map((one) => ({
      id: one.id,
      created: one.created,
      status: one.status,
      rows: one.rows,
      used: { usd: one.usd, tokens: one.tokens },
      isUnpriced: one.unpriced > 0,
      held: { usd: one.held_usd, tokens: one.held_tokens },
      body: JSON.parse(one.body) as ExperimentBody,
      ...(one.result === null ? {} : { result: JSON.parse(one.result) as Results }),
    }))
  }

  row(experiment: string, row: string): ExperimentRow | undefined {
    return this.#rows("WHERE experiment = ? AND row = ?", experiment, row)[0]
  }

  /** In the order of their ids. */
  rows(experiment: string, after = "", limit = 1_000): readonly ExperimentRow[] {
    return this.#rows("WHERE experiment = ? AND row > ? ORDER BY row LIMIT ?", experiment, after, limit)
  }

  #rows(where: string, ...values: (string | number)[]): readonly ExperimentRow[] {
    if (!this.#sql.has("experiment_row")) return []
    return this.#sql
      .read<StoredRow>(`SELECT experiment, row, state, run, plan, body FROM experiment_row ${where}`, ...values)
      .map(({ plan, body, ...row }) => ({
        ...row,
        given: JSON.parse(body) as ExperimentRow["given"],
        ...(plan === null ? {} : { plan: JSON.parse(plan) as RowAnswer }),
      }))
  }

  countSame(experiment: string): number {
    const counted = this.#sql.read<{ n: number }>(
      "SELECT count(*) AS n FROM experiment_row WHERE experiment = ? AND state = 'same'",
      experiment,
    )
    return counted[0]?.n ?? 0
  }

  /** Rows to be planned, which nobody else takes before `until`. */
  takeRows(now: number, limit: number, until: number): readonly ExperimentRow[] {
    if (!this.#sql.has("experiment_row") || limit <= 0) return []
    const due = this.#sql.read<{ n: number }>("SELECT n FROM experiment_row WHERE due <= ? ORDER BY due, n LIMIT ?", now, limit)
    if (due.length === 0) return []
    const ids = JSON.stringify(due.map(({ n }) => n))
    this.#sql.write((sql) => sql.exec("UPDATE experiment_row SET due = ? WHERE n IN (SELECT value FROM json_each(?))", until, ids))
    return this.#rows("WHERE n IN (SELECT value FROM json_each(?)) ORDER BY n", ids)
  }

  putOffRow({ experiment, row }: ExperimentRow, due: number): void {
    this.#sql.write((sql) => sql.exec("UPDATE experiment_row SET due = ? WHERE experiment = ? AND row = ?", due, experiment, row))
  }

  /** `trials`: what it became. */
  planned({ experiment, row }: ExperimentRow, plan: RowAnswer | undefined, trials: readonly NewTrial[], now: number): void {
    this.#sql.write((sql) => {
      const moved = sql
        .exec(
          "UPDATE experiment_row SET state = ?, plan = ?, due = NULL WHERE experiment = ? AND row = ? AND state = 'waiting' RETURNING n",
          trials.length === 0 ? "same" : "tried",
          plan === undefined ? null : JSON.stringify(plan),
          experiment,
          row,
        )
        .toArray()
      if (moved.length === 0) return
      addTrials(sql, { experiment, row }, trials, now)
      const open = trials.filter(({ state }) => state !== "ended").length
      sql.exec("UPDATE experiment SET open = open + ? WHERE id = ?", open - 1, experiment)
    })
  }

  /** Nothing of them is open, and nobody has summed them up. */
  ready(): readonly string[] {
    if (!this.#sql.has("experiment")) return []
    return this.#sql.read<{ id: string }>("SELECT id FROM experiment WHERE status = 'running' AND open <= 0").map(({ id }) => id)
  }

  /** Nothing of its rows waits any more. */
  closeRows(experiment: string): void {
    this.#sql.write((sql) => {
      sql.exec("UPDATE experiment_row SET due = NULL WHERE experiment = ?", experiment)
      sql.exec("UPDATE experiment SET open = 0 WHERE id = ?", experiment)
    })
  }

  end(experiment: string, status: ExperimentStatus, results: Results, ended: number): boolean {
    const result: EndedResults = { ...results, ended }
    return this.#sql.write((sql) => {
      sql.exec("UPDATE experiment_row SET due = NULL WHERE experiment = ?", experiment)
      const isFirst =
        sql
          .exec(
            "UPDATE experiment SET status = ?, result = ? WHERE id = ? AND status = 'running' RETURNING id",
            status,
            JSON.stringify(result),
            experiment,
          )
          .toArray().length > 0
      this.evidence.over(sql, experiment)
      return isFirst
    })
  }

  /** [V42] The next free place is that of the gate's experiment that waits longest. */
  promote(now: number): void {
    while (waiting(this.#sql) > 0 && hasPlace(this.#sql)) this.evidence.promote(now)
  }

  /** For one more of the gate. Those that wait come first. */
  get hasPlace(): boolean {
    return waiting(this.#sql) === 0 && hasPlace(this.#sql)
  }

  remove(experiment: string): void {
    this.#sql.write((sql) => {
      this.evidence.over(sql, experiment)
      sql.exec("DELETE FROM experiment WHERE id = ?", experiment)
      sql.exec("DELETE FROM experiment_row WHERE experiment = ?", experiment)
      sql.exec("DELETE FROM trial WHERE experiment = ?", experiment)
    })
  }

  /** Those that are kept no longer. */
  old(now: number): readonly string[] {
    if (!this.#sql.has("experiment")) return []
    return this.#sql
      .read<{ id: string }>(
        `SELECT id FROM experiment WHERE status <> 'running' AND (created < ? OR id NOT IN (SELECT id FROM experiment ORDER BY created DESC LIMIT ?))`,
        now - KEPT_MS,
        KEPT,
      )
      .map(({ id }) => id)
  }
}
