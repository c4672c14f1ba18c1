// Reads the sums of runs by hour and by day: rows of given ranges, and no others.

import { sumOfAll } from "../../../core/run/usage/sum.ts"
import type { Answers } from "../../../ports/objects.ts"
import type { SliceRange, StoredSum, Sums, SumsPort, SumsQuery } from "../../../ports/tenant/sums.ts"
import { OWN, UNTESTED } from "../run-list/run-filter.ts"
import type { TenantSql } from "../tenant-sql.ts"
import { ALL, DAY, DAY_HOURS, HOUR, type SumStore } from "./sum-store.ts"

const MOST_ASKING = 10_000 // limit: runs whose open questions are counted for the overview → the others are not counted
const MOST_ACTIVE = 10_000 // limit: active runs that are counted for the overview → the others are not counted
const sum = (...members: readonly string[]): string => members.map((member) => `coalesce(json_extract(body, '$.${member}'), 0)`).join(" + ")
/** By how many there are more after an hour than before it. */
const MORE_OPEN = `${sum("asked")} - (${sum("closed")})`
const MORE_ACTIVE = `${sum("began")} - (${sum("runs.succeeded", "runs.failed", "runs.canceled")})`

type Of = Pick<SumsQuery, "rehearsed"> & { readonly flow: string }

export class SumReader implements Answers<SumsPort> {
  readonly #sql: TenantSql
  readonly #store: Pick<SumStore, "lastDay">

  constructor(sql: TenantSql, store: Pick<SumStore, "lastDay">) {
    this.#sql = sql
    this.#store = store
  }

  read({ unit, flow = ALL, rehearsed, whole, heads = [], open }: SumsQuery): Sums {
    const of = { rehearsed, flow }
    const changes = open === undefined ? [] : this.#changes(of, open)
    const more = (which: 0 | 1): [number, number][] =>
      changes.flatMap(([at, both]): [number, number][] => (both[which] === 0 ? [] : [[at, both[which]]]))
    return {
      whole: unit === "hour" ? this.#rows(HOUR, of, [whole]) : this.#days(of, whole),
      heads: this.#rows(HOUR, of, heads, "json_remove(body, '$.by')"),
      open: open === undefined ? 0 : this.#open(of),
      changes: more(0),
      active: open === undefined ? 0 : this.#active(of),
      begun: more(1),
    }
  }

  /** Each row is found by its key: a range of hours has the rows of all flows. */
  #rows(unit: typeof HOUR | typeof DAY, { rehearsed, flow }: Of, ranges: readonly SliceRange[], text = "body"): StoredSum[] {
    const all = ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => first + i))
    if (all.length === 0) return []
    return this.#sql.read<{ at: number; text: string }>(
      `SELECT at, ${text} AS text FROM json_each(?) AS k CROSS JOIN run_sum ON unit = ? AND rehearsed = ? AND at = k.value AND flow = ?`,
      JSON.stringify(all),
      unit,
      rehearsed ? 1 : 0,
      flow,
    )
  }

  /** A day without a row is the sum of its hours. */
  #days(of: Of, [first, last]: SliceRange): StoredSum[] {
    const days = this.#rows(DAY, of, [[first, last]])
    const known = new Set(days.map(({ at }) => at))
    const from = Math.max(first, (this.#store.lastDay(of.rehearsed ? 1 : 0) ?? -1) + 1)
    const hours = this.#rows(HOUR, of, [[from * DAY_HOURS, last * DAY_HOURS + DAY_HOURS - 1]])
    const open = new Map<number, string[]>()
    for (const { at, text } of hours) {
      const day = Math.floor(at / DAY_HOURS)
      if (!known.has(day)) open.set(day, [...(open.get(day) ?? []), text])
    }
    const summed = [...open].map(([at, texts]) => ({ at, text: JSON.stringify(sumOfAll(texts.map((text) => JSON.parse(text)))) }))
    return [...days, ...summed].toSorted((a, b) => a.at - b.at)
  }

  #open({ rehearsed, flow }: Of): number {
    const [row] = this.#sql.read<{ n: number }>(
      `SELECT coalesce(sum(n), 0) AS n FROM (SELECT json_extract(view, '$.pending') AS n FROM run
       WHERE json_extract(view, '$.pending') > 0 AND ${UNTESTED} AND coalesce(json_extract(view, '$.rehearsed'), 0) = ?
       ${flow === ALL ? "" : "AND +flow = ?"} LIMIT ${MOST_ASKING})`,
      rehearsed ? 1 : 0,
      ...(flow === ALL ? [] : [flow]),
    )
    return row?.n ?? 0
  }

  #active({ rehearsed, flow }: Of): number {
    const [row] = this.#sql.read<{ n: number }>(
      `SELECT count(*) AS n FROM (SELECT 1 FROM run
       WHERE ended IS NULL AND status <> 'queued' AND ${OWN} AND ${UNTESTED} AND coalesce(json_extract(view, '$.rehearsed'), 0) = ?
       ${flow === ALL ? "" : "AND +flow = ?"} LIMIT ${MOST_ACTIVE})`,
      rehearsed ? 1 : 0,
      ...(flow === ALL ? [] : [flow]),
    )
    return row?.n ?? 0
  }

  /** Of open questions, and of runs under way. */
  #changes(of: Of, hours: SliceRange): (readonly [hour: number, more: readonly [number, number]])[] {
    return this.#rows(HOUR, of, [hours], `json_array(${MORE_OPEN}, ${MORE_ACTIVE})`).map(({ at, text }) => [at, JSON.parse(text)])
  }
}
