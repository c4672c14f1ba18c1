// Stores trials [V34]: one row for each run of an experiment, from its plan to its scores. What follows from an end is one commit.

import type { Canceled, TrialState } from "../../../../core/experiment/trial-state.ts"
import type { TenantRows, TenantSql } from "../../tenant-sql.ts"

export interface Money {
  readonly usd: number
  readonly tokens: number
}

export interface TrialBody {
  /** What it may use; absent: nothing of its experiment's budget. */
  readonly held?: Money
  /** When its run began (ms). */
  readonly began?: number
  /** How its run ended. */
  readonly end?: TrialState
  /** Why it was stopped, or could not begin. */
  readonly why?: string
  readonly tokens?: number
  readonly usd?: number | null
  readonly ms?: number
  readonly reads?: { readonly recorded: number; readonly live: number }
  /** Of a row's own run: what it had used from the cut on. */
  readonly recorded?: { readonly tokens?: number; readonly usd?: number | null; readonly ms?: number }
  /** Why its run is being canceled. */
  readonly cancel?: Canceled
  /** Places whose questions the row's answers have answered. */
  readonly answered?: readonly string[]
  /** By scorer; null: it does not apply. */
  readonly scores?: Readonly<Record<string, number | null>>
}

export interface Trial {
  readonly experiment: string
  readonly row: string
  /** Its place among the variants. */
  readonly variant: number
  readonly repeat: number
  readonly run: string
  /** `stopping`: it counts as stopped, and its run is still to be canceled and paid for. */
  readonly state: "waiting" | "running" | "scoring" | "stopping" | "ended"
  readonly tries: number
  readonly body: TrialBody
}

export type NewTrial = Pick<Trial, "variant" | "repeat" | "run" | "state" | "body">

type Stored = Omit<Trial, "body"> & { body: string }
const SHOWN = "experiment, row, variant, repeat, run, state, tries, body"

export class TrialStore {
  readonly #sql: TenantSql

  constructor(sql: TenantSql) {
    this.#sql = sql
  }

  count(state: Trial["state"]): number {
    return this.#sql.read<{ n: number }>("SELECT count(*) AS n FROM trial WHERE state = ? AND due IS NOT NULL", state)[0]?.n ?? 0
  }

  /** Those that are due, which nobody else takes before `until`. */
  take(states: readonly Trial["state"][], now: number, limit: number, until: number): readonly Trial[] {
    if (limit <= 0) return []
    const due = this.#sql.read<{ n: number }>(
      "SELECT n FROM trial WHERE state IN (SELECT value FROM json_each(?)) AND due <= ? ORDER BY due, n LIMIT ?",
      JSON.stringify(states),
      now,
      limit,
    )
    if (due.length === 0) return []
    const ids = JSON.stringify(due.map(({ n }) => n))
    this.#sql.write((sql) => sql.exec("UPDATE trial SET due = ? WHERE n IN (SELECT value FROM json_each(?))", until, ids))
    return this.#read("WHERE n IN (SELECT value FROM json_each(?)) ORDER BY n", ids)
  }

  of(experiment: string, rows?: readonly string[]): readonly Trial[] {
    if (rows === undefined) return this.#read("WHERE experiment = ? ORDER BY row, variant, repeat", experiment)
    return this.#read(
      "WHERE experiment = ? AND row IN (SELECT value FROM json_each(?)) ORDER BY row, variant, repeat",
      experiment,
      JSON.stringify(rows),
    )
  }

  find({ experiment, row, variant, repeat }: Trial): Trial | undefined {
    return this.#read("WHERE experiment = ? AND row = ? AND variant = ? AND repeat = ?", experiment, row, variant, repeat)[0]
  }

  /** Whose scores of this run are waited for. */
  scoredBy(experiment: string, run: string): Trial | undefined {
    return this.#read("WHERE run = ? AND experiment = ?", run, experiment)[0]
  }

  #read(where: string, ...values: (string | number)[]): readonly Trial[] {
    return this.#sql.read<Stored>(`SELECT ${SHOWN} FROM trial ${where}`, ...values).map((one) => ({ ...one, body: JSON.parse(one.body) }))
  }

  /** It is looked at again at `due`, or at once if its run was heard of meanwhile. false: as of `move`. */
  wait(trial: Trial, due: number, now: number, body: TrialBody = trial.body): boolean {
    const heard = this.#sql.read<{ due: number }>(
      "SELECT due FROM trial WHERE run = ? AND state = ? AND due <= ?",
      trial.run,
      trial.state,
      now,
    )
    return this.move(trial, trial.state, heard[0]?.due ?? due, body)
  }

  /** What it holds and has used changes in the same commit. false: another turn has moved it on, or it was deleted. */
  move(trial: Trial, state: Trial["state"], due: number | null, body: TrialBody): boolean {
    const { experiment, row, variant, repeat } = trial
    return this.#sql.write((sql) => {
      const moved = sql
        .exec(
          `UPDATE trial SET state = ?, due = ?, tries = 0, body = ?
           WHERE experiment = ? AND row = ? AND variant = ? AND repeat = ? AND state = ? RETURNING n`,
          state,
          due,
          JSON.stringify(body),
          experiment,
          row,
          variant,
          repeat,
          trial.state,
        )
        .toArray()
      if (moved.length === 0) return false
      const [held, before] = [body.held, trial.body.held]
      const used = { tokens: (body.tokens ?? 0) - (trial.body.tokens ?? 0), usd: (body.usd ?? 0) - (trial.body.usd ?? 0) }
      sql.exec(
        `UPDATE experiment SET held_usd = max(0, held_usd + ?), held_tokens = max(0, held_tokens + ?), open = open - ?,
           tokens = tokens + ?, usd = usd + ?, unpriced = unpriced + ? WHERE id = ?`,
        (held?.usd ?? 0) - (before?.usd ?? 0),
        (held?.tokens ?? 0) - (before?.tokens ?? 0),
        state === "ended" ? 1 : 0,
        used.tokens,
        used.usd,
        body.usd === null && trial.body.usd === undefined ? 1 : 0,
        experiment,
      )
      return true
    })
  }

  putOff({ experiment, row, variant, repeat, state }: Trial, due: number): void {
    this.#sql.write((sql) =>
      sql.exec(
        "UPDATE trial SET due = ?, tries = tries + 1 WHERE experiment = ? AND row = ? AND variant = ? AND repeat = ? AND state = ?",
        due,
        experiment,
        row,
        variant,
        repeat,
        state,
      ),
    )
  }
}

export function addTrials(
  sql: TenantRows,
  { experiment, row }: { readonly experiment: string; readonly row: string },
  trials: readonly NewTrial[],
  now: number,
): void {
  for (const { variant, repeat, run, state, body } of trials)
    sql.exec(
      "INSERT INTO trial (experiment, row, variant, repeat, run, state, due, tries, body) VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?)",
      experiment,
      row,
      variant,
      repeat,
      run,
      state,
      state === "ended" ? null : now,
      JSON.stringify(body),
    )
}
