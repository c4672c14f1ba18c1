// Converts the filters of the list of runs [H5] to SQL: chooses the index, and checks the rest row by row.

import { isoTime } from "../../../core/text/iso-time.ts"
import type { RunFilter } from "../../../ports/tenant/run-list.ts"
import type { Position } from "../../platform/list-cursor.ts"
import { ALL_RUNS, runsOf, THREAD } from "./run-indexes.ts"

export const UNTESTED = "json_extract(view, '$.trigger.kind') IS NOT 'test' AND json_extract(view, '$.trigger.test') IS NULL"
export const OWN = "json_extract(view, '$.parent') IS NULL"

/** A run's place in the list is from its promise, by the clock of the tenant's object; what it shows is its own time. They are never this
 *  far apart. */
const APART_MS = 60_000

/** By what the run shows. */
const created = (than: ">=" | "<", at: number): Condition => ({ sql: `json_extract(view, '$.created') ${than} ?`, values: [isoTime(at)] })

export interface Condition {
  readonly sql: string
  readonly values: readonly (string | number)[]
}

interface Way {
  /** `order`: the table whose `created` and `id` are in the index. `values`: of `table`, before those of the conditions. */
  readonly from: {
    readonly table: string
    readonly order: "run" | "run_tag"
    readonly conditions: readonly Condition[]
    readonly values: readonly (string | number)[]
  }
  /** Conditions on the columns that the leading query returns. */
  readonly rest: readonly Condition[]
}

/** SQLite uses an index on an expression only for `=`. */
const oneOf = (values: readonly string[]): string => (values.length === 1 ? "= ?" : `IN (${values.map(() => "?").join(", ")})`)

export const where = (conditions: readonly Condition[]): string =>
  conditions.length === 0 ? "" : `WHERE ${conditions.map((c) => c.sql).join(" AND ")}`

/** The filter that excludes the most rows leads: the tag, then the thread, the parent, the status, the kind of trigger, the flow. Without
 *  any, runs without a parent have an index of their own. */
export function wayOf(query: RunFilter, after: Position | undefined): Way {
  const order = query.tag === undefined ? "run" : "run_tag"
  const range: Condition[] = [
    ...(after ? [{ sql: `(${order}.created, ${order}.id) < (?, ?)`, values: [after.created, after.id] }] : []),
    ...(query.createdAfter === undefined ? [] : [{ sql: `${order}.created >= ?`, values: [query.createdAfter - APART_MS] }]),
    ...(query.createdBefore === undefined ? [] : [{ sql: `${order}.created < ?`, values: [query.createdBefore + APART_MS] }]),
  ]
  const hasChildren = query.children === true || query.parent !== undefined || query.trigger?.includes("child") === true
  const own: readonly Condition[] = hasChildren ? [] : [{ sql: OWN, values: [] }]
  // [K21] Runs of tests are shown to who asks for them, and the children of one to who asks for those.
  const untested = query.trigger === undefined && query.parent === undefined ? [{ sql: UNTESTED, values: [] }] : []
  const thread: readonly Condition[] = query.thread === undefined ? [] : [{ sql: `${THREAD} = ?`, values: [query.thread] }]
  const others: Condition[] = [
    ...(query.parent === undefined ? [] : [{ sql: "json_extract(view, '$.parent.run') = ?", values: [query.parent] }]),
    ...(query.forkOf === undefined ? [] : [{ sql: "json_extract(view, '$.fork.run') = ?", values: [query.forkOf] }]),
    ...(query.status === undefined ? [] : [{ sql: `status ${oneOf(query.status)}`, values: query.status }]),
    ...(query.trigger === undefined
      ? []
      : [{ sql: `json_extract(view, '$.trigger.kind') ${oneOf(query.trigger)}`, values: query.trigger }]),
    ...(query.flow === undefined ? [] : [{ sql: `flow ${oneOf(query.flow)}`, values: query.flow }]),
  ]
  const checked: readonly Condition[] = [
    ...(query.createdAfter === undefined ? [] : [created(">=", query.createdAfter)]),
    ...(query.createdBefore === undefined ? [] : [created("<", query.createdBefore)]),
    ...(query.session === undefined ? [] : [{ sql: "json_extract(view, '$.session') = ?", values: [query.session] }]),
    ...own,
    ...untested,
  ]
  if (query.tag !== undefined)
    return {
      from: {
        table: "run_tag JOIN run ON run.id = run_tag.id",
        order,
        conditions: [{ sql: "tag = ?", values: [query.tag] }, ...range],
        values: [],
      },
      rest: [...thread, ...others, ...checked],
    }
  if (query.thread !== undefined) {
    const { sql: table, values } = runsOf(query.thread)
    return { from: { table, order, conditions: range, values }, rest: [...others, ...checked] }
  }
  // The rows of several values are not in order in an index, so only a filter with one value can lead.
  const lead = others.find((f) => f.values.length === 1)
  if (lead !== undefined)
    return {
      from: { table: "run", order, conditions: [lead, ...range], values: [] },
      rest: [...others.filter((f) => f !== lead), ...checked],
    }
  if (own.length > 0)
    return {
      from: { table: "run", order, conditions: [...own, ...range], values: [] },
      rest: [...others, ...checked.filter((c) => !own.includes(c))],
    }
  return { from: { table: ALL_RUNS, order, conditions: range, values: [] }, rest: [...others, ...checked] }
}
