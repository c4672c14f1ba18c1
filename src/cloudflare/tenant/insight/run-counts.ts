// Counts runs [H5]: from counters where they suffice; with other filters, from the newest rows of the filter's index.

import { isCounted, type RunCount, type RunListPort } from "../../../ports/tenant/run-list.ts"
import type { TenantSql } from "../tenant-sql.ts"
import { flowCheck, isGlob } from "../run-list/row-check.ts"
import { RunLook } from "../run-list/run-look.ts"

type By = Parameters<RunListPort["counts"]>[0]
type Filter = Parameters<RunListPort["counts"]>[1]

/** The maximum number of rows that one question reads: 10,000 rows of 700 bytes take less than 20 ms. */
const SCANNED = 10_000 // limit: runs that are read for a count → the answer says that there are more
const MOST_COUNTED = 1_000 // limit: flows, hours or days of a count → those with the fewest runs, or the oldest, are left out, and the answer says so
/** A family is as its worst member. */
const WORST_FIRST = ["failed", "waiting", "paused", "queued", "running", "canceled", "succeeded"]

export interface Family {
  readonly children: { readonly count: number; readonly worst: string }
}

export class RunCounts {
  readonly #sql: Pick<TenantSql, "read" | "has">

  constructor(sql: Pick<TenantSql, "read" | "has">) {
    this.#sql = sql
  }

  /** The children of these runs, however deep. A run without children has no entry. */
  families(ids: readonly string[]): ReadonlyMap<string, Family> {
    const found = new Map<string, Family>()
    if (ids.length === 0) return found
    const rows = this.#sql.read<{ family: string; status: string; n: number }>(
      "SELECT family, status, n FROM run_count WHERE family IN (SELECT value FROM json_each(?)) AND family <> ''",
      JSON.stringify(ids),
    )
    const rank = (status: string): number => WORST_FIRST.indexOf(status)
    for (const { family, status, n } of rows) {
      const { count, worst } = found.get(family)?.children ?? { count: 0, worst: status }
      found.set(family, { children: { count: count + n, worst: rank(status) < rank(worst) ? status : worst } })
    }
    return found
  }

  by(by: By, filter: Filter): RunCount {
    return (by === "flow" || by === "status") && isCounted(filter) ? this.#known(by, filter) : this.#looked(by, filter)
  }

  #known(by: "flow" | "status", { flow, status }: Filter): RunCount {
    const [flows, statuses] = [flow && this.#named(flow), status]
    const rows = this.#sql.read<{ name: string; n: number }>(
      `SELECT ${by} AS name, sum(n) AS n FROM run_count WHERE family = ''
       ${flows === undefined ? "" : "AND flow IN (SELECT value FROM json_each(?))"}
       ${statuses === undefined ? "" : "AND status IN (SELECT value FROM json_each(?))"}
       GROUP BY ${by} ORDER BY sum(n) DESC, ${by} LIMIT ${MOST_COUNTED + 1}`,
      ...[flows, statuses].flatMap((values) => (values === undefined ? [] : [JSON.stringify(values)])),
    )
    return counted(rows, rows.length <= MOST_COUNTED)
  }

  /** The flows that these names and globs mean. */
  #named(flows: readonly string[]): readonly string[] {
    if (!flows.some(isGlob)) return flows
    const isMeant = flowCheck(flows)
    const rows = this.#sql.read<{ flow: string }>("SELECT DISTINCT flow FROM run_count WHERE family = ''")
    return rows.map(({ flow }) => flow).filter(isMeant)
  }

  #looked(by: By, filter: Filter): RunCount {
    const look = new RunLook(this.#sql, filter, {}, { most: SCANNED, limit: SCANNED })
    const rows = look.counts(by, MOST_COUNTED + 1)
    const found = counted(rows, rows.length <= MOST_COUNTED && look.next() === undefined)
    if (by !== "hour" && by !== "day") return found
    const rest = by === "hour" ? ":00:00.000Z" : "T00:00:00.000Z"
    return { ...found, data: found.data.map(({ key, count }) => ({ key: key + rest, count })).toReversed() }
  }
}

function counted(rows: readonly { readonly name: string; readonly n: number }[], complete: boolean): RunCount {
  const data = rows.slice(0, MOST_COUNTED).map(({ name, n }) => ({ key: name, count: n }))
  return { data, total: data.reduce((sum, { count }) => sum + count, 0), complete }
}
