// Stores test results [K21]. Only the newest revisions of a case and the newest rows of a tenant are kept, and a row has the failures that fit.

import type { CaseResult } from "../../../core/case/test-report.ts"
import type { Answers } from "../../../ports/objects.ts"
import type { KeptResult, TestResultsPort } from "../../../ports/tenant/authoring/test-results.ts"
import type { TenantSql } from "../tenant-sql.ts"

/** Of one case. */
const MAX_REVISIONS = 10
/** Of a tenant: 50 flows with all the cases that a file may have. */
const MAX_RESULTS = 5_000
/** Characters of one row. */
const MAX_BODY = 16_384

export class TestResultStore implements Answers<TestResultsPort> {
  readonly #sql: TenantSql
  readonly #now: () => number

  constructor(sql: TenantSql, now: () => number) {
    this.#sql = sql
    this.#now = now
  }

  keep(flow: string, revision: number, cases: readonly CaseResult[]): void {
    const at = this.#now()
    this.#sql.write((sql) => {
      for (const one of cases) {
        sql.exec(
          "INSERT OR REPLACE INTO test_result (flow, name, revision, at, body) VALUES (?, ?, ?, ?, ?)",
          flow,
          one.name,
          revision,
          at,
          bodyOf(one),
        )
        sql.exec(
          "DELETE FROM test_result WHERE flow = ?1 AND name = ?2 AND revision NOT IN (SELECT revision FROM test_result WHERE flow = ?1 AND name = ?2 ORDER BY revision DESC LIMIT ?3)",
          flow,
          one.name,
          MAX_REVISIONS,
        )
      }
      const [row] = sql.exec<{ at: number }>("SELECT at FROM test_result ORDER BY at DESC LIMIT 1 OFFSET ?", MAX_RESULTS).toArray()
      if (row) sql.exec("DELETE FROM test_result WHERE at <= ?", row.at)
    })
  }

  newest(flow: string, revision = Number.MAX_SAFE_INTEGER): readonly KeptResult[] {
    const rows = this.#sql.read<{ revision: number; at: number; body: string }>(
      "SELECT max(revision) AS revision, at, body FROM test_result WHERE flow = ? AND revision <= ? GROUP BY name",
      flow,
      revision,
    )
    return rows.map(({ body, ...row }) => ({ ...(JSON.parse(body) as CaseResult), ...row }))
  }
}

/** Failures at the end go first; that there were some is still told. */
function bodyOf(one: CaseResult): string {
  let failures = one.failures
  for (;;) {
    const body = JSON.stringify({ ...one, failures })
    if (body.length <= MAX_BODY || failures.length === 0) return body
    failures = failures.slice(0, Math.floor(failures.length / 2))
  }
}
