// Stores scorings that wait [V16], the newest score of each scorer on a run [V17], and sums of scores. The rows of a scoring are a record
// of one commit each; what was done twice after a crash changes nothing the second time.

import { defined } from "../../../core/defined.ts"
import type { ProbeWay } from "../../../core/score/probe-way.ts"
import { meanOf } from "../../../core/run/said/said.ts"
import type { ScoreSum } from "../../../ports/tenant/quality/scores.ts"
import type { SaidOfRun } from "../../../ports/tenant/quality/scoring.ts"
import type { TenantSql } from "../tenant-sql.ts"

export const MOST_WAITING = 10_000 // limit: scorings of a tenant that wait → skipped and counted
const DAY_MS = 86_400_000

/** What a judge may use, held until its run has ended [V14]. */
export interface HeldMoney {
  readonly usd: number
  readonly tokens: number
}

export interface ScoringOrder {
  /** `sample`, `experiment`, or who asked. */
  readonly by: string
  readonly again?: boolean
  /** The request: it is answered once. */
  readonly ask?: string
  /** [V18] Below it, a score is low. */
  readonly low?: number
  /** [V13] People grade it too, if a judge does. */
  readonly grade?: true
  readonly held?: HeldMoney
  /** [V36] Of a trial: the experiment, whose budget its judges use, and the row. */
  readonly experiment?: string
  readonly row?: string
  readonly probe?: ProbeOrder
}

/** [V10] */
export interface ProbeOrder {
  readonly id: string
  readonly scorer: string
  readonly way: ProbeWay
  /** The row of a dataset that the run is of. */
  readonly dataset?: string
  readonly row?: string
}

export interface Scoring {
  readonly run: string
  readonly scorer: string
  readonly flow: string
  readonly tries: number
  /** The run of its judge, once it is begun. */
  readonly judge: string | null
  readonly order: ScoringOrder
}

export interface JudgeUse {
  readonly input: number
  readonly output: number
  readonly usd: number | null
}

type Row = { run: string; scorer: string; flow: string; due: number; tries: number; judge: string | null; body: string }

const NO_SUM = { scored: 0, usd: 0, tokens: 0 }

export class ScoringStore {
  readonly #sql: TenantSql
  /** When the first is due, as last read; undefined: not known. */
  #due: { readonly at: number | undefined } | undefined

  constructor(sql: TenantSql) {
    this.#sql = sql
  }

  /** false: too many wait. One that waits already waits on. */
  add({ run, scorer, flow, order }: Pick<Scoring, "run" | "scorer" | "flow" | "order">, now: number): boolean {
    if (this.waiting() >= MOST_WAITING) return false
    this.#due = undefined
    this.#sql.write((sql) => {
      this.#sql.make("scoring")
      sql.exec(
        `INSERT INTO scoring (run, scorer, flow, due, tries, judge, body) VALUES (?, ?, ?, ?, 0, NULL, ?)
         ON CONFLICT (run, scorer) DO NOTHING`,
        run,
        scorer,
        flow,
        now,
        JSON.stringify(order),
      )
    })
    return true
  }

  waiting(): number {
    if (!this.#sql.has("scoring")) return 0
    return this.#sql.read<{ n: number }>("SELECT count(*) AS n FROM scoring")[0]?.n ?? 0
  }

  of(run: string): readonly Scoring[] {
    if (!this.#sql.has("scoring")) return []
    return this.#sql.read<Row>("SELECT * FROM scoring WHERE run = ?", run).map(scoringOf)
  }

  due(): number | undefined {
    if (!this.#sql.has("scoring")) return undefined
    this.#due ??= { at: this.#sql.read<{ at: number | null }>("SELECT min(due) AS at FROM scoring")[0]?.at ?? undefined }
    return this.#due.at
  }

  dueAt(now: number, limit: number): readonly Scoring[] {
    if (!this.#sql.has("scoring")) return []
    return this.#sql.read<Row>("SELECT * FROM scoring WHERE due <= ? ORDER BY due, run LIMIT ?", now, limit).map(scoringOf)
  }

  /** Looks again at `due`. */
  putOff({ run, scorer, tries }: Scoring, due: number): void {
    this.#due = undefined
    this.#sql.write((sql) => sql.exec("UPDATE scoring SET due = ?, tries = ? WHERE run = ? AND scorer = ?", due, tries + 1, run, scorer))
  }

  /** The judge's run is about to begin. */
  judged({ run, scorer, order }: Scoring, judge: string, held: HeldMoney, due: number): void {
    this.#due = undefined
    this.#sql.write((sql) =>
      sql.exec(
        "UPDATE scoring SET judge = ?, body = ?, due = ? WHERE run = ? AND scorer = ?",
        judge,
        JSON.stringify({ ...order, held }),
        due,
        run,
        scorer,
      ),
    )
  }

  /** [V16] The judge's run has ended. */
  judgeEnded(run: string, scorer: string, now: number): boolean {
    if (!this.#sql.has("scoring")) return false
    this.#due = undefined
    return this.#sql.write(
      (sql) => sql.exec("UPDATE scoring SET due = ? WHERE run = ? AND scorer = ? RETURNING run", now, run, scorer).toArray().length > 0,
    )
  }

  /** It is through, or never will be. false: it was through before. */
  end({ run, scorer }: Pick<Scoring, "run" | "scorer">): boolean {
    this.#due = undefined
    return this.#sql.write(
      (sql) => sql.exec("DELETE FROM scoring WHERE run = ? AND scorer = ? RETURNING run", run, scorer).toArray().length > 0,
    )
  }

  /** What judges under way may still use: those of this probe or experiment, or of none. */
  held(purse?: string): HeldMoney {
    if (!this.#sql.has("scoring")) return { usd: 0, tokens: 0 }
    const rows = this.#sql.read<{ body: string }>("SELECT body FROM scoring WHERE judge IS NOT NULL")
    return rows.reduce<HeldMoney>(
      (sum, { body }) => {
        const { held, probe, experiment } = JSON.parse(body) as ScoringOrder
        return held && (probe?.id ?? experiment) === purse ? { usd: sum.usd + held.usd, tokens: sum.tokens + held.tokens } : sum
      },
      { usd: 0, tokens: 0 },
    )
  }

  /** Scorings of a probe that wait. */
  ofProbe(probe: string): number {
    if (!this.#sql.has("scoring")) return 0
    return this.#sql.read<{ n: number }>("SELECT count(*) AS n FROM scoring WHERE json_extract(body, '$.probe.id') = ?", probe)[0]?.n ?? 0
  }

  /** [V17] The newest score of a run, and of its feedback. `judge`: the judge's run, which goes with the run. */
  keep(run: string, scorer: string, one: { readonly score: number | null; readonly version?: string; readonly judge?: string }): void {
    this.#sql.write((sql) => {
      this.#sql.make("score")
      sql.exec(
        `INSERT INTO score (run, scorer, score, version, judges, said) VALUES (?, ?, ?, ?, ?, NULL)
         ON CONFLICT (run, scorer) DO UPDATE SET score = excluded.score, version = excluded.version,
           judges = CASE WHEN excluded.judges IS NULL THEN judges WHEN judges IS NULL THEN excluded.judges ELSE judges || ' ' || excluded.judges END`,
        run,
        scorer,
        one.score,
        one.version ?? null,
        one.judge ?? null,
      )
    })
  }

  /** [V17] The givers' mean is a score of the run, which changes with each of them. */
  keepFeedback(
    { run, flow, now }: { readonly run: string; readonly flow: string; readonly now: number },
    feedback: SaidOfRun["feedback"],
  ): void {
    this.#sql.write((sql) => {
      const before = this.#sql.has("score")
        ? this.#sql.read<{ score: number | null }>("SELECT score FROM score WHERE run = ? AND scorer = 'feedback'", run)[0]?.score
        : undefined
      const after = meanOf(feedback)
      const [was, is] = [before ?? undefined, after ?? undefined]
      if (was !== is) this.#recount({ flow, scorer: "feedback", now }, was, is)
      if (!feedback) {
        if (before !== undefined) sql.exec("DELETE FROM score WHERE run = ? AND scorer = 'feedback'", run)
        return
      }
      this.#sql.make("score")
      sql.exec(
        "INSERT OR REPLACE INTO score (run, scorer, score, version, judges, said) VALUES (?, 'feedback', ?, NULL, NULL, ?)",
        run,
        after ?? null,
        JSON.stringify(feedback),
      )
    })
  }

  /** Scorer → the newest score of the run, with its version. */
  scoresOf(run: string): ReadonlyMap<string, { readonly score: number | null; readonly version: string | null }> {
    if (!this.#sql.has("score")) return new Map()
    const rows = this.#sql.read<{ scorer: string; score: number | null; version: string | null }>(
      "SELECT scorer, score, version FROM score WHERE run = ?",
      run,
    )
    return new Map(rows.map(({ scorer, ...one }) => [scorer, one]))
  }

  /** What was counted before is counted no more, on the day of the change. */
  #recount(
    of: { readonly flow: string; readonly scorer: string; readonly now: number },
    before: number | undefined,
    after: number | undefined,
  ): void {
    this.#sql.make("score_sum")
    const count = (after === undefined ? 0 : 1) - (before === undefined ? 0 : 1)
    this.#sql.write((sql) =>
      sql.exec(
        `INSERT INTO score_sum (day, flow, scorer, scored, counted, total, low, input, output, usd, unpriced) VALUES (?, ?, ?, ?, ?, ?, 0, 0, 0, 0, 0)
         ON CONFLICT (day, flow, scorer) DO UPDATE SET scored = scored + excluded.scored, counted = counted + excluded.counted, total = total + excluded.total`,
        Math.floor(of.now / DAY_MS),
        of.flow,
        of.scorer,
        count,
        count,
        (after ?? 0) - (before ?? 0),
      ),
    )
  }

  /** Run → what is said of it, for rows of a list. */
  saidOf(runs: readonly string[]): ReadonlyMap<string, SaidOfRun> {
    const said = new Map<string, { scores?: Record<string, number | null>; feedback?: NonNullable<SaidOfRun["feedback"]> }>()
    if (runs.length === 0 || !this.#sql.has("score")) return said
    const rows = this.#sql.read<{ run: string; scorer: string; score: number | null; said: string | null }>(
      "SELECT run, scorer, score, said FROM score WHERE run IN (SELECT value FROM json_each(?))",
      JSON.stringify(runs),
    )
    for (const { run, scorer, score, said: feedback } of rows) {
      const one = said.get(run) ?? {}
      said.set(run, one)
      if (feedback !== null) one.feedback = JSON.parse(feedback)
      else (one.scores ??= {})[scorer] = score
    }
    return said
  }

  /** The deleted run's own go with it: the runs of its judges. */
  forget(run: string): readonly string[] {
    const judges = new Set<string>()
    if (this.#sql.has("scoring")) {
      for (const { judge } of this.of(run)) if (judge !== null) judges.add(judge)
      this.#due = undefined
      this.#sql.write((sql) => sql.exec("DELETE FROM scoring WHERE run = ?", run))
    }
    if (this.#sql.has("score")) {
      const rows = this.#sql.read<{ judges: string | null }>("SELECT judges FROM score WHERE run = ?", run)
      for (const { judges: all } of rows) for (const judge of all?.split(" ") ?? []) judges.add(judge)
      if (rows.length > 0) this.#sql.write((sql) => sql.exec("DELETE FROM score WHERE run = ?", run))
    }
    return [...judges]
  }

  /** [V17] */
  count(
    { flow, scorer, now }: { readonly flow: string; readonly scorer: string; readonly now: number },
    { score, low, use }: { readonly score: number | null; readonly low: boolean; readonly use?: JudgeUse },
  ): void {
    this.#sql.write((sql) => {
      this.#sql.make("score_sum")
      sql.exec(
        `INSERT INTO score_sum (day, flow, scorer, scored, counted, total, low, input, output, usd, unpriced) VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (day, flow, scorer) DO UPDATE SET scored = scored + 1, counted = counted + excluded.counted, total = total + excluded.total,
           low = low + excluded.low, input = input + excluded.input, output = output + excluded.output, usd = usd + excluded.usd,
           unpriced = unpriced + excluded.unpriced`,
        Math.floor(now / DAY_MS),
        flow,
        scorer,
        score === null ? 0 : 1,
        score ?? 0,
        low ? 1 : 0,
        use?.input ?? 0,
        use?.output ?? 0,
        use?.usd ?? 0,
        use?.usd === null ? 1 : 0,
      )
    })
  }

  /** [V14] Skipped for good. */
  skip(why: "budget" | "queue", now: number): void {
    this.#sql.write((sql) => {
      this.#sql.make("scoring_day")
      sql.exec(
        `INSERT INTO scoring_day (day, budget, queue) VALUES (?, ?, ?)
         ON CONFLICT (day) DO UPDATE SET budget = budget + excluded.budget, queue = queue + excluded.queue`,
        Math.floor(now / DAY_MS),
        why === "budget" ? 1 : 0,
        why === "queue" ? 1 : 0,
      )
    })
  }

  today(now: number): {
    readonly scored: number
    readonly usd: number
    readonly tokens: number
    readonly budget: number
    readonly queue: number
  } {
    const day = Math.floor(now / DAY_MS)
    const [sum] = this.#sql.has("score_sum")
      ? this.#sql.read<{ scored: number | null; usd: number | null; tokens: number | null }>(
          "SELECT sum(scored) AS scored, sum(usd) AS usd, sum(input + output) AS tokens FROM score_sum WHERE day = ? AND scorer <> 'feedback'",
          day,
        )
      : []
    const [skipped] = this.#sql.has("scoring_day")
      ? this.#sql.read<{ budget: number; queue: number }>("SELECT budget, queue FROM scoring_day WHERE day = ?", day)
      : []
    return {
      ...NO_SUM,
      ...defined({ scored: sum?.scored ?? undefined, usd: sum?.usd ?? undefined, tokens: sum?.tokens ?? undefined }),
      budget: skipped?.budget ?? 0,
      queue: skipped?.queue ?? 0,
    }
  }

  /** [V17] By flow and scorer, `daily` also by day. Days are since 1970. */
  sums(from: number, to: number, daily = false): readonly ScoreSum[] {
    if (!this.#sql.has("score_sum")) return []
    return this.#sql.read<{ [Name in keyof ScoreSum]: ScoreSum[Name] }>(
      `SELECT ${daily ? "day, " : ""}flow, scorer, sum(scored) AS scored, CASE WHEN sum(counted) = 0 THEN NULL ELSE sum(total) / sum(counted) END AS mean,
         sum(low) AS low, sum(input) AS input, sum(output) AS output, CASE WHEN sum(unpriced) > 0 THEN NULL ELSE sum(usd) END AS usd
       FROM score_sum WHERE day BETWEEN ? AND ? GROUP BY ${daily ? "day, " : ""}flow, scorer ORDER BY ${daily ? "day, " : ""}flow, scorer`,
      from,
      to,
    )
  }
}

const scoringOf = ({ run, scorer, flow, tries, judge, body }: Row): Scoring => ({
  run,
  scorer,
  flow,
  tries,
  judge,
  order: JSON.parse(body),
})
