// Stores what judges and people said of the same runs [V22]: the newest score of each version of a judge, and of each grade's number when
// it was last given, because a version may lack the level of the newest one. Both go with their run.

import type { GradedRun } from "../../../core/score/trust.ts"
import type { TenantSql } from "../tenant-sql.ts"

export interface JudgedScore {
  readonly run: string
  readonly scorer: string
  readonly version: string
  readonly score: number
  readonly levels: readonly number[]
}

export interface Grade {
  readonly run: string
  readonly scorer: string
  readonly score: number
  readonly at: number
}

export class TrustStore {
  readonly #sql: TenantSql

  constructor(sql: TenantSql) {
    this.#sql = sql
  }

  judged({ run, scorer, version, score, levels }: JudgedScore): void {
    this.#sql.write((sql) => {
      this.#sql.make("judged")
      sql.exec(
        "INSERT OR REPLACE INTO judged (run, scorer, version, score, levels) VALUES (?, ?, ?, ?, ?)",
        run,
        scorer,
        version,
        score,
        JSON.stringify(levels),
      )
    })
  }

  graded({ run, scorer, score, at }: Grade): void {
    this.#sql.write((sql) => {
      this.#sql.make("grade")
      sql.exec("INSERT OR REPLACE INTO grade (run, scorer, score, at) VALUES (?, ?, ?, ?)", run, scorer, score, at)
    })
  }

  pairs(scorer: string): readonly GradedRun[] {
    if (!this.#sql.has("judged") || !this.#sql.has("grade")) return []
    const rows = this.#sql.read<{ run: string; version: string; levels: string; judge: number; grade: number }>(
      `SELECT judged.run, version, levels, judged.score AS judge, grade.score AS grade FROM grade
       JOIN judged ON judged.run = grade.run AND judged.scorer = grade.scorer WHERE grade.scorer = ? ORDER BY grade.at, grade.score`,
      scorer,
    )
    const newest = new Map<string, GradedRun>()
    for (const { run, levels: text, ...row } of rows) {
      const levels: readonly number[] = JSON.parse(text)
      if (levels.includes(row.grade)) newest.set(`${row.version} ${run}`, { id: run, levels, ...row })
    }
    return [...newest.values()]
  }

  forget(run: string): void {
    for (const table of ["judged", "grade"] as const)
      if (this.#sql.has(table)) this.#sql.write((sql) => sql.exec(`DELETE FROM ${table} WHERE run = ?`, run))
  }
}
