// Finds the runs of a bulk [R42], as they are in the tenant's list now: without children and tests.

import type { BulkRuns } from "../../../ports/tenant/bulks.ts"
import { MOST_LOOKED } from "../../../ports/tenant/bulks.ts"
import { OWN, UNTESTED } from "../run-list/run-filter.ts"
import { RunLook } from "../run-list/run-look.ts"
import type { TenantSql } from "../tenant-sql.ts"

export interface FoundRun {
  readonly id: string
  /** JSON. */
  readonly view: string
}

/** `complete`: no other run can match. */
export interface FoundRuns {
  readonly runs: readonly FoundRun[]
  readonly complete: boolean
}

export function bulkRuns(sql: Pick<TenantSql, "read" | "has">, wanted: BulkRuns): FoundRuns {
  if ("runs" in wanted) return { runs: named(sql, wanted.runs), complete: true }
  const look = new RunLook(sql, wanted.filter, {}, { most: MOST_LOOKED, limit: MOST_LOOKED })
  const runs = look.rows().filter(({ view }) => isOwn(view))
  return { runs, complete: look.next() === undefined }
}

/** In their order, each once. */
function named(sql: Pick<TenantSql, "read" | "has">, ids: readonly string[]): readonly FoundRun[] {
  const rows = sql.read<{ id: string; view: string }>(
    `SELECT id, view FROM run WHERE id IN (SELECT value FROM json_each(?)) AND ${OWN} AND ${UNTESTED}`,
    JSON.stringify(ids),
  )
  const found = new Map(rows.map((row) => [row.id, row]))
  return [...new Set(ids)].flatMap((id) => found.get(id) ?? [])
}

/** The list shows children and tests to a filter by their triggers. */
function isOwn(view: string): boolean {
  const { parent, trigger = {} } = JSON.parse(view) as { parent?: object; trigger?: { kind?: string; test?: boolean } }
  return parent === undefined && trigger.kind !== "test" && trigger.test !== true
}
