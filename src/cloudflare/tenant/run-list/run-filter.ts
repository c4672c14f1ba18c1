// Converts the filters of the list of runs [H5] to SQL: chooses the index, and checks the rest row by row. What SQL cannot judge in bounded
// time is in row-check.ts.

import { isoTime } from "../../../core/text/iso-time.ts"
import type { RunFilter } from "../../../ports/tenant/run-list.ts"
import type { Position } from "../../platform/list-cursor.ts"
import { isGlob } from "./row-check.ts"
import { ALL_RUNS, runsOf, THREAD } from "./run-indexes.ts"

export const UNTESTED = "json_extract(view, '$.trigger.kind') IS NOT 'test' AND json_extract(view, '$.trigger.test') IS NULL"
/** [V15] A judge's run takes no place. */
export const UNJUDGING = "json_extract(view, '$.trigger.kind') IS NOT 'score'"
export const OWN = "json_extract(view, '$.parent') IS NULL"

/** A run's place in the list is from its promise, by the clock of the tenant's object; what it shows is its own time. They are never this
 *  far apart. */
const APART_MS = 60_000

/** By what the run shows. */
const created = (than: ">=" | "<", at: number): Condition => ({ sql: `json_extract(view, '$.created') ${than} ?`, values: [isoTime(at)] })

export interface Condition {
  readonly sql: string
  readonly values: readonly (string | number)[]
  /** An index has rows that fulfill it in the order of the list. */
  readonly leads?: boolean
}

/** A part of the list. */
export interface Stretch {
  /** The row before the first one. */
  readonly after?: Position | undefined
  /** The newest row. */
  readonly newest?: Position | undefined
  /** Oldest first. */
  readonly up?: boolean
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

/** SQLite uses an index on an expression only for `=`, and the rows of several values are not in order in an index. A statement takes 100
 *  bindings, so several values are one. */
const oneOf = (column: string, values: readonly string[]): Condition =>
  values.length === 1
    ? { sql: `${column} = ?`, values, leads: true }
    : { sql: `${column} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(values)] }

const is = (path: string, value: string | undefined): readonly Condition[] =>
  value === undefined ? [] : [{ sql: `json_extract(view, '${path}') = ?`, values: [value] }]

/** [V17] `hasScores`: without the table no run has one. */
export const scoredSo = ({ scorer, atMost, atLeast }: NonNullable<RunFilter["scored"]>, hasScores: boolean): Condition =>
  hasScores
    ? {
        sql: "EXISTS (SELECT 1 FROM score WHERE score.run = id AND scorer = ? AND score BETWEEN ? AND ?)",
        values: [scorer, atLeast, atMost],
      }
    : { sql: "0", values: [] }

/** [R9] Also by a start that joined. */
const startedBy = (member: "hook" | "schedule" | "key", value: string | undefined): readonly Condition[] =>
  value === undefined
    ? []
    : [
        {
          sql: `(json_extract(view, '$.trigger.${member}') = ? OR EXISTS (SELECT 1 FROM json_each(view, '$.starters') AS one WHERE json_extract(one.value, '$.${member}') = ?))`,
          values: [value, value],
        },
      ]

export const where = (conditions: readonly Condition[]): string =>
  conditions.length === 0 ? "" : `WHERE ${conditions.map((c) => c.sql).join(" AND ")}`

/** The filter that excludes the most rows leads: the tag, then the thread, the parent, the status, the kind of trigger, the flow. Without
 *  any, runs without a parent have an index of their own. */
export function wayOf(query: RunFilter, { after, newest, up = false }: Stretch): Way {
  const order = query.tag === undefined ? "run" : "run_tag"
  const place = `(${order}.created, ${order}.id)`
  const range: Condition[] = [
    ...(after ? [{ sql: `${place} ${up ? ">" : "<"} (?, ?)`, values: [after.created, after.id] }] : []),
    ...(newest ? [{ sql: `${place} <= (?, ?)`, values: [newest.created, newest.id] }] : []),
    ...(query.createdAfter === undefined ? [] : [{ sql: `${order}.created >= ?`, values: [query.createdAfter - APART_MS] }]),
    ...(query.createdBefore === undefined ? [] : [{ sql: `${order}.created < ?`, values: [query.createdBefore + APART_MS] }]),
  ]
  const hasChildren = query.children === true || query.parent !== undefined || query.trigger?.includes("child") === true
  const own: readonly Condition[] = hasChildren ? [] : [{ sql: OWN, values: [] }]
  // [K21] Runs of tests are shown to who asks for them, and the children of one to who asks for those.
  const untested = query.trigger === undefined && query.parent === undefined ? [{ sql: UNTESTED, values: [] }] : []
  const thread: readonly Condition[] = query.thread === undefined ? [] : [{ sql: `${THREAD} = ?`, values: [query.thread] }]
  const others: Condition[] = [
    ...is("$.parent.run", query.parent).map((one) => ({ ...one, leads: true })),
    ...is("$.fork.run", query.forkOf).map((one) => ({ ...one, leads: true })),
    ...(query.status === undefined ? [] : [oneOf("status", query.status)]),
    ...(query.trigger === undefined ? [] : [oneOf("json_extract(view, '$.trigger.kind')", query.trigger)]),
    ...(query.flow === undefined || query.flow.some(isGlob) ? [] : [oneOf("flow", query.flow)]),
  ]
  const checked: readonly Condition[] = [
    ...(query.createdAfter === undefined ? [] : [created(">=", query.createdAfter)]),
    ...(query.createdBefore === undefined ? [] : [created("<", query.createdBefore)]),
    ...is("$.session", query.session),
    ...startedBy("hook", query.hook),
    ...startedBy("schedule", query.schedule),
    ...startedBy("key", query.apiKey),
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
  const lead = others.find((f) => f.leads)
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
