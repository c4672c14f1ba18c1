// Stores a tenant's budget, and the slices of its day that runs have leased [B4]. A day is a UTC day. A leased amount counts as spent until
// its run gives it back. A slice is a share of the daily budget, smaller once less than half of the day is left, or the amount that a run
// needs immediately if that is more.

import { Amount, isNothing, minus, only, plus, UNITS, unitsOf, type Unit } from "../../../core/money/amount.ts"
import { BudgetSetting } from "../../../core/money/budget-setting.ts"
import type { Lease } from "../../../core/run/signal.ts"
import type { BudgetToday } from "../../../ports/day-budget.ts"
import { clock } from "../../platform/clock.ts"
import type { TenantSql } from "../tenant-sql.ts"

const DAY_MS = 86_400_000
/** A slice is 1/32 of the daily budget: large enough that a run rarely asks again. Of less than half a day it is 1/16 of what is left, so
 * that runs that begin at once cannot hold the whole day by their first slices alone, and the next one need not wait until one of them ends. */
const SHARES = 32 // limit: parts of a day's budget → a slice is one, or twice that part of what is left, whichever is less
/** Other runs may give slices back, so asking again before tomorrow can help. */
const RETRY_MS = 5 * 60_000
/** Runs that were refused at the same time do not ask again at the same time. */
const JITTER = 0.5

type Row = { granted: string; day: number; retry: number | null }

/** What a row of a lease says: its run goes on; has ended; has not begun, as far as is known. */
const [HELD, ENDED, GIVEN_UP] = [0, 1, 2]

export class BudgetStore {
  readonly #sql: TenantSql
  readonly #now: () => number

  readonly #random: () => number
  /** Whether there are leases at all; undefined: not read yet. */
  #any: boolean | undefined

  constructor(sql: TenantSql, now: () => number, random: () => number = () => clock.random()) {
    this.#sql = sql
    this.#now = now
    this.#random = random
  }

  setting(): BudgetSetting {
    const [row] = this.#sql.read<{ body: string }>("SELECT body FROM day_limit WHERE id = 1")
    return row ? BudgetSetting.parse(JSON.parse(row.body)) : {}
  }

  /** Of the day. */
  limit(): Amount {
    const { run: _run, ...day } = this.setting()
    return day
  }

  today(): BudgetToday {
    const day = Math.floor(this.#now() / DAY_MS)
    const limit = this.limit()
    const units = unitsOf(limit)
    const [sums] = this.#sql.read<Record<Unit, number | null>>(
      `SELECT ${UNITS.map((unit) => `SUM(json_extract(granted, '$.${unit}')) AS ${unit}`).join(", ")} FROM lease WHERE day = ? AND ended = 0`,
      day,
    )
    const held = only(Object.fromEntries(UNITS.map((unit) => [unit, sums?.[unit] ?? 0])), units)
    return { day: day * DAY_MS, limit, held, spent: minus(only(this.#taken(day), units), held) }
  }

  put(setting: BudgetSetting): void {
    this.#sql.write((sql) => void sql.exec("INSERT OR REPLACE INTO day_limit (id, body) VALUES (1, ?)", JSON.stringify(setting)))
  }

  lease(run: string, key: string, amount: Amount): Lease {
    const now = this.#now()
    const day = Math.floor(now / DAY_MS)
    const isOver = this.#isOver(run)
    if (!isOver) this.begun(run)
    const [existing] = this.#sql.read<Row>("SELECT granted, day, retry FROM lease WHERE run = ? AND key = ?", run, key)
    if (existing) return leaseOf(Amount.parse(JSON.parse(existing.granted)), existing.day, existing.retry)
    // A request that was on its way when its run ended.
    if (isOver) return leaseOf({}, day, null)
    const limit = this.limit()
    const units = unitsOf(limit)
    if (units.length === 0) return leaseOf({}, day, null)
    const taken = this.#taken(day)
    const left = minus(only(limit, units), only(taken, units))
    const first = unitsOf(amount).length === 0
    const short = units.some((u) => (amount[u] ?? 0) > (left[u] ?? 0))
    const share = (u: (typeof units)[number]): number => {
      const part = Math.min(limit[u] ?? 0, 2 * (left[u] ?? 0)) / SHARES
      return u === "usd" ? part : Math.ceil(part)
    }
    // The rest of the day is granted even if it is too little, because a call may need less. The run has enough of every unit that it did
    // not ask for.
    const wanted = (u: (typeof units)[number]): number =>
      short ? (amount[u] ?? 0) : first || amount[u] !== undefined ? Math.max(amount[u] ?? 0, share(u)) : 0
    const granted = only(Object.fromEntries(units.map((u) => [u, Math.min(left[u] ?? 0, wanted(u))])), units)
    const retry = short
      ? this.#othersHold(run, day)
        ? Math.min(now + Math.round(RETRY_MS * (1 - JITTER * this.#random())), (day + 1) * DAY_MS)
        : (day + 1) * DAY_MS
      : null
    // Two days of rows are enough to repeat an answer that was lost. Leases have no index by day, which would cost each a row: the days are few, and
    // say when there is something to delete.
    const hasOld = this.#sql.read("SELECT 1 FROM lease_day WHERE day < ? LIMIT 1", day - 1).length > 0
    this.#any = true
    this.#sql.write((sql) => {
      if (hasOld) {
        sql.exec("DELETE FROM lease WHERE day < ?", day - 1)
        sql.exec("DELETE FROM lease_day WHERE day < ?", day - 1)
      }
      sql.exec(
        "INSERT INTO lease (run, key, day, granted, retry, ended) VALUES (?, ?, ?, ?, ?, 0)",
        run,
        key,
        day,
        JSON.stringify(granted),
        retry,
      )
      if (isNothing(granted)) sql.exec("INSERT OR IGNORE INTO lease_day (day, taken) VALUES (?, '{}')", day)
      else sql.exec("INSERT OR REPLACE INTO lease_day (day, taken) VALUES (?, ?)", day, JSON.stringify(plus(taken, granted)))
    })
    return leaseOf(granted, day, retry)
  }

  close(run: string, until: number, spent: Amount): void {
    this.begun(run)
    const last = until / DAY_MS - 1
    // An earlier day is over. Of a later one the run has not heard yet.
    this.#mark(run, [HELD, ENDED], (taken, granted, day) =>
      day < last ? taken : minus(taken, minus(granted, only(day === last ? spent : {}, unitsOf(granted)))),
    )
  }

  /** A run that took a place has not begun, as far as is known: what it was granted is for others. */
  giveUp(run: string): void {
    this.#mark(run, [HELD, GIVEN_UP], minus)
  }

  /** A run that nobody starts any more. A request of it that is still on its way finds that it has ended. */
  neverBegins(run: string): void {
    this.#mark(run, [GIVEN_UP, HELD], plus)
    this.#mark(run, [HELD, ENDED], minus)
    if (unitsOf(this.limit()).length === 0 || this.#isOver(run)) return
    const day = Math.floor(this.#now() / DAY_MS)
    this.#any = true
    this.#sql.write((sql) => {
      sql.exec("INSERT INTO lease (run, key, day, granted, retry, ended) VALUES (?, '', ?, '{}', NULL, ?)", run, day, ENDED)
      sql.exec("INSERT OR IGNORE INTO lease_day (day, taken) VALUES (?, '{}')", day)
    })
  }

  /** It has begun after all, and what it was granted counts again. */
  begun(run: string): void {
    this.#mark(run, [GIVEN_UP, HELD], plus)
  }

  /** `taken`: what is gone of a day afterwards, of which this much was granted to the run. */
  #mark(run: string, [from, to]: readonly number[], taken: (before: Amount, granted: Amount, day: number) => Amount): void {
    this.#any ??= this.#sql.read("SELECT 1 FROM lease LIMIT 1").length > 0
    if (!this.#any) return
    const rows = this.#sql.read<Row>("SELECT granted, day, retry FROM lease WHERE run = ? AND ended = ?", run, from ?? HELD)
    if (rows.length === 0) return
    this.#sql.write((sql) => {
      sql.exec("UPDATE lease SET ended = ? WHERE run = ? AND ended = ?", to ?? HELD, run, from ?? HELD)
      for (const day of new Set(rows.map((row) => row.day))) {
        const leases = rows.filter((row) => row.day === day)
        const granted = leases.reduce((sum: Amount, row) => plus(sum, Amount.parse(JSON.parse(row.granted))), {})
        const now = JSON.stringify(taken(this.#taken(day), granted, day))
        sql.exec("INSERT OR REPLACE INTO lease_day (day, taken) VALUES (?, ?)", day, now)
      }
    })
  }

  #taken(day: number): Amount {
    const [row] = this.#sql.read<{ taken: string }>("SELECT taken FROM lease_day WHERE day = ?", day)
    return row ? Amount.parse(JSON.parse(row.taken)) : {}
  }

  /** It has said so, or has given its slices back. */
  #isOver(run: string): boolean {
    const query =
      "SELECT 1 FROM lease WHERE run = ?1 AND ended = ?2 UNION ALL SELECT 1 FROM run WHERE id = ?1 AND ended IS NOT NULL LIMIT 1"
    return this.#sql.read(query, run, ENDED).length > 0
  }

  #othersHold(run: string, day: number): boolean {
    return this.#sql.read<{ n: number }>("SELECT 1 AS n FROM lease WHERE day = ? AND ended = 0 AND run <> ? LIMIT 1", day, run).length > 0
  }
}

const leaseOf = (granted: Amount, day: number, retry: number | null): Lease => ({
  granted,
  until: (day + 1) * DAY_MS,
  ...(retry === null ? {} : { retry }),
})
