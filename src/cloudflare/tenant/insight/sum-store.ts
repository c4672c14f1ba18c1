// Stores the sums of runs by hour and by day [H16]. What reports add is collected while they are noted, and written once for all of them, in their
// commit: one row of the hour for each flow, and one for all runs.
//
// A day is the sum of its hours until `sumUp` has written it. From then on, what comes late is added to both.

import { isFree } from "../../../core/money/prices.ts"
import { addSum, type Sum } from "../../../core/run/usage/sum.ts"
import { withoutFlow, type RunSum } from "../../../core/run/usage/run-sum.ts"
import { OTHER } from "../../../core/run/usage/tally.ts"
import type { ListedRun } from "../../../ports/tenant/run-list.ts"
import { KEPT_DAYS, KEPT_HOURS } from "../../../ports/tenant/sums.ts"
import type { TriedTurn } from "../../../ports/tenant/usage.ts"
import type { TenantRows, TenantSql } from "../tenant-sql.ts"

const HOUR_MS = 3_600_000
export const DAY_HOURS = 24
const MOST_FLOWS = 200 // limit: flows of a day whose runs are summed by flow → the rest is summed together
/** Flows of a day that one round sums up, and rows that it deletes. */
const AT_ONCE = 20
const ROWS_AT_ONCE = 500
/** Reports of a day's last runs are there by then. */
const LATE_MS = 600_000

/** The flow's name in the row of all runs. */
export const ALL = ""
export const HOUR = 0
export const DAY = 1
type Rehearsed = 0 | 1
const BOTH: readonly Rehearsed[] = [0, 1]

interface Key {
  readonly unit: typeof HOUR | typeof DAY
  readonly rehearsed: Rehearsed
  /** Hours or days since 1970. */
  readonly at: number
  readonly flow: string
}
type Filled = Key & { readonly sum: Sum }
type Added = Pick<RunSum, "flow" | "rehearsed"> & { readonly ofFlow: Sum; readonly ofAll: Sum }

export class SumStore {
  readonly #sql: TenantSql
  readonly #want: (at: number) => void
  /** What reports have added that is not written yet. */
  readonly #added = new Map<string, Filled>()
  #depth = 0
  /** The last day that is summed up; null: none. */
  readonly #summedUp = new Map<Rehearsed, number | null>()
  /** The day whose rows the alarm rings for, as far as this object remembers. */
  readonly #wanted = new Map<Rehearsed, number>()
  /** The flows of the day that runs end on, as in the rows. */
  readonly #names = new Map<Rehearsed, { readonly day: number; readonly flows: Set<string> }>()

  /** `want`: sets the alarm to ring by a time. */
  constructor(sql: TenantSql, want: (at: number) => void) {
    this.#sql = sql
    this.#want = want
  }

  /** Writes what `work` adds, once. Inside another `together` the outer one writes. */
  together<T>(work: () => T): T {
    this.#depth++
    try {
      return work()
    } finally {
      this.#depth--
      if (this.#depth === 0 && this.#added.size > 0) this.#write()
    }
  }

  /** Call this once for a run which no other run started. */
  began({ flow, created, rehearsed }: Pick<ListedRun, "flow" | "created"> & Pick<RunSum, "rehearsed">): void {
    this.#add(created, { flow, rehearsed, ofFlow: { began: 1 }, ofAll: { began: 1 } })
  }

  /** Call this once for a run that has ended. */
  ended({ flow, rehearsed, ended, sum }: RunSum): void {
    this.#add(ended, { flow, rehearsed, ofFlow: sum, ofAll: withoutFlow(sum) })
  }

  /** [K19] A turn that belongs to no run. */
  tried({ at, flow, model, usage: { input, output, cacheRead = 0 }, cost }: TriedTurn): void {
    const cached = Math.min(input, cacheRead)
    const money = cost === null ? { unpriced: 1 } : { usd: cost }
    const part = { calls: 1, input, cached, output, ...(cost === null ? {} : { usd: cost }) }
    const sum: Sum = { input, cached, output, model_calls: 1, ...money, by: { model: { [model]: part } } }
    this.#add(at, { flow, rehearsed: isFree(model), ofFlow: sum, ofAll: sum })
  }

  /** Questions of a flow were asked, or are open no more. */
  asked(at: number, { flow, rehearsed, more }: Pick<RunSum, "flow" | "rehearsed"> & { readonly more: number }): void {
    if (more === 0) return
    const sum = more > 0 ? { asked: more } : { closed: -more }
    this.#add(at, { flow, rehearsed, ofFlow: sum, ofAll: sum })
  }

  #add(ms: number, { flow, rehearsed, ofFlow, ofAll }: Added): void {
    const at = Math.floor(ms / HOUR_MS)
    const slice = { unit: HOUR, rehearsed: rehearsed ? 1 : 0, at } as const
    this.together(() => {
      put(this.#added, { ...slice, flow: this.#named(slice, flow) }, ofFlow)
      put(this.#added, { ...slice, flow: ALL }, ofAll)
    })
  }

  #write(): void {
    const added = [...this.#added.values()]
    this.#added.clear()
    const keys = added.flatMap((hour) => [hour, dayOf(hour)])
    const known = new Map(this.#rows(keys).map((row) => [nameOf(row), row]))
    for (const { sum, ...hour } of added) {
      const day = dayOf(hour)
      put(known, hour, sum)
      if (known.has(nameOf(day)) || day.at <= (this.lastDay(hour.rehearsed) ?? -1)) put(known, day, sum)
    }
    this.#sql.write((sql) => store(sql, [...known.values()]))
    for (const hour of added) this.#wake(dayOf(hour))
  }

  /** The first row of a day is work for the alarm. */
  #wake({ rehearsed, at }: Key): void {
    if (this.#wanted.get(rehearsed) === at) return
    this.#wanted.set(rehearsed, at)
    const due = this.due()
    if (due !== undefined) this.#want(due)
  }

  /** The flow, while its day has room for one more. */
  #named({ rehearsed, at }: Omit<Key, "flow">, flow: string): string {
    const day = Math.floor(at / DAY_HOURS)
    let names = this.#names.get(rehearsed)
    if (names?.day !== day) {
      const rows = this.#sql.read<{ flow: string }>(
        `SELECT flow FROM run_sum WHERE unit = ${HOUR} AND rehearsed = ?1 AND at BETWEEN ?2 AND ?3
         UNION SELECT flow FROM run_sum WHERE unit = ${DAY} AND rehearsed = ?1 AND at = ?4`,
        rehearsed,
        ...hoursOf(day),
        day,
      )
      names = { day, flows: new Set(rows.map((row) => row.flow).filter((name) => name !== ALL && name !== OTHER)) }
      this.#names.set(rehearsed, names)
    }
    const { flows } = names
    if (!flows.has(flow) && flows.size >= MOST_FLOWS) return OTHER
    flows.add(flow)
    return flow
  }

  #rows(keys: readonly Key[]): Filled[] {
    return this.#sql
      .read<{ unit: Key["unit"]; rehearsed: Rehearsed; at: number; flow: string; body: string }>(
        `SELECT run_sum.* FROM json_each(?) AS k CROSS JOIN run_sum
         ON unit = k.value ->> 0 AND rehearsed = k.value ->> 1 AND at = k.value ->> 2 AND flow = k.value ->> 3`,
        JSON.stringify(keys.map(({ unit, rehearsed, at, flow }) => [unit, rehearsed, at, flow])),
      )
      .map(({ body, ...key }) => ({ ...key, sum: JSON.parse(body) as Sum }))
  }

  /** The last day that is summed up: its row of all runs is the last to be written. */
  lastDay(rehearsed: Rehearsed): number | null {
    let last = this.#summedUp.get(rehearsed)
    if (last === undefined) {
      const [row] = this.#sql.read<{ at: number | null }>(
        `SELECT max(at) AS at FROM run_sum WHERE unit = ${DAY} AND rehearsed = ? AND flow = '${ALL}'`,
        rehearsed,
      )
      last = row?.at ?? null
      this.#summedUp.set(rehearsed, last)
    }
    return last
  }

  /** When the next day is to be summed up, or the next row is old. */
  due(): number | undefined {
    const times = BOTH.flatMap((rehearsed) => {
      const next = this.#first(HOUR, rehearsed, ((this.lastDay(rehearsed) ?? -1) + 1) * DAY_HOURS)
      const [hour, day] = [this.#first(HOUR, rehearsed, 0), this.#first(DAY, rehearsed, 0)]
      return [
        next === undefined ? [] : (Math.floor(next / DAY_HOURS) + 1) * DAY_HOURS * HOUR_MS + LATE_MS,
        hour === undefined ? [] : (hour + KEPT_HOURS) * HOUR_MS,
        day === undefined ? [] : (day + KEPT_DAYS) * DAY_HOURS * HOUR_MS,
      ].flat()
    })
    return times.length === 0 ? undefined : Math.min(...times)
  }

  #first(unit: Key["unit"], rehearsed: Rehearsed, from: number): number | undefined {
    const [row] = this.#sql.read<{ at: number }>(
      "SELECT at FROM run_sum WHERE unit = ? AND rehearsed = ? AND at >= ? ORDER BY at LIMIT 1",
      unit,
      rehearsed,
      from,
    )
    return row?.at
  }

  /** Sums up a part of the first day that is over, and deletes a part of what is old. */
  sweep(now: number): void {
    for (const rehearsed of BOTH) {
      const next = this.#first(HOUR, rehearsed, ((this.lastDay(rehearsed) ?? -1) + 1) * DAY_HOURS)
      const day = next === undefined ? undefined : Math.floor(next / DAY_HOURS)
      if (day !== undefined && (day + 1) * DAY_HOURS * HOUR_MS + LATE_MS <= now) this.#sumUp(rehearsed, day)
      else this.#deleteOld(rehearsed, now)
    }
  }

  /** A day that has its row is done, however often this begins. */
  #sumUp(rehearsed: Rehearsed, day: number): void {
    const hours = hoursOf(day)
    const flows = this.#sql
      .read<{ flow: string }>(
        `SELECT DISTINCT flow FROM run_sum AS h WHERE unit = ${HOUR} AND rehearsed = ?1 AND at BETWEEN ?2 AND ?3 AND flow <> '${ALL}'
         AND NOT EXISTS (SELECT 1 FROM run_sum WHERE unit = ${DAY} AND rehearsed = ?1 AND at = ?4 AND flow = h.flow) LIMIT ${AT_ONCE + 1}`,
        rehearsed,
        ...hours,
        day,
      )
      .map(({ flow }) => flow)
    const isLast = flows.length <= AT_ONCE
    const known = new Map<string, Filled>()
    for (const flow of isLast ? [...flows, ALL] : flows.slice(0, AT_ONCE)) {
      const keys = Array.from({ length: DAY_HOURS }, (_, i) => ({ unit: HOUR, rehearsed, at: hours[0] + i, flow }) as const)
      for (const { sum } of this.#rows(keys)) put(known, { unit: DAY, rehearsed, at: day, flow }, sum)
    }
    this.#sql.write((sql) => store(sql, [...known.values()]))
    if (isLast) this.#summedUp.set(rehearsed, day)
  }

  #deleteOld(rehearsed: Rehearsed, now: number): void {
    const hour = Math.floor(now / HOUR_MS)
    for (const [unit, before] of [
      [HOUR, hour - KEPT_HOURS],
      [DAY, Math.floor(hour / DAY_HOURS) - KEPT_DAYS],
    ] as const)
      this.#sql.write((sql) =>
        sql.exec(
          `DELETE FROM run_sum WHERE (unit, rehearsed, at, flow) IN
           (SELECT unit, rehearsed, at, flow FROM run_sum WHERE unit = ? AND rehearsed = ? AND at <= ? LIMIT ${ROWS_AT_ONCE})`,
          unit,
          rehearsed,
          before,
        ),
      )
  }

  /** The tenant is deleted. */
  forget(): void {
    this.#added.clear()
    this.#summedUp.clear()
    this.#names.clear()
    this.#wanted.clear()
  }
}

/** The first and the last hour of a day. */
const hoursOf = (day: number): readonly [number, number] => [day * DAY_HOURS, day * DAY_HOURS + DAY_HOURS - 1]
const dayOf = (hour: Key): Key => ({ ...keyOf(hour), unit: DAY, at: Math.floor(hour.at / DAY_HOURS) })
const keyOf = ({ unit, rehearsed, at, flow }: Key): Key => ({ unit, rehearsed, at, flow })
const nameOf = ({ unit, rehearsed, at, flow }: Key): string => JSON.stringify([unit, rehearsed, at, flow])

function put(rows: Map<string, Filled>, key: Key, more: Sum): void {
  const row = rows.get(nameOf(key)) ?? { ...keyOf(key), sum: {} }
  addSum(row.sum, more)
  rows.set(nameOf(key), row)
}

const store = (sql: TenantRows, rows: readonly Filled[]): void =>
  void sql.exec(
    `INSERT INTO run_sum (unit, rehearsed, at, flow, body)
     SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(?) WHERE true
     ON CONFLICT DO UPDATE SET body = excluded.body`,
    JSON.stringify(rows.map(({ unit, rehearsed, at, flow, sum }) => [unit, rehearsed, at, flow, JSON.stringify(sum)])),
  )
