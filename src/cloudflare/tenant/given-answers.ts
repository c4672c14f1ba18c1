// Remembers what this tenant's runs have answered untainted, and which threads are marked [P2]: only digests, for comparison with a
// client's history. They outlive their runs, because conversations do. The newest 20,000 of the last 180 days are kept; a forgotten answer
// counts as text from outside, so a person is asked once more than needed.

import type { TenantSql } from "./tenant-sql.ts"

// Limit: answers of a tenant that a client's history is compared with, the newest → an older one counts as text from outside.
const MAX_KEPT = 20_000
const KEPT_MS = 180 * 86_400_000 // limit: milliseconds that such an answer is known → it counts as text from outside
/** An answer that is given again counts as given now, once a day. */
const AGAIN_MS = 86_400_000
/** One digest in 256 begins so: the row of such a one brings the table back to its bounds. */
const TRIMS = "00"

export class GivenAnswers {
  readonly #sql: TenantSql

  constructor(sql: TenantSql) {
    this.#sql = sql
  }

  note(digests: readonly string[]): void {
    if (digests.length === 0) return
    const now = Date.now()
    this.#sql.write((sql) => {
      sql.exec(
        `INSERT INTO given_answer (digest, at) SELECT value, ? FROM json_each(?) WHERE true
         ON CONFLICT (digest) DO UPDATE SET at = excluded.at WHERE given_answer.at < excluded.at - ${AGAIN_MS}`,
        now,
        JSON.stringify(digests),
      )
      if (!digests.some((digest) => digest.startsWith(TRIMS))) return
      sql.exec("DELETE FROM given_answer WHERE at < ?", now - KEPT_MS)
      sql.exec("DELETE FROM given_answer WHERE digest IN (SELECT digest FROM given_answer ORDER BY at DESC LIMIT -1 OFFSET ?)", MAX_KEPT)
    })
  }

  /** Those of these that are known. */
  known(digests: readonly string[]): string[] {
    return this.#sql
      .read<{ digest: string }>("SELECT digest FROM given_answer WHERE digest IN (SELECT value FROM json_each(?))", JSON.stringify(digests))
      .map(({ digest }) => digest)
  }
}
