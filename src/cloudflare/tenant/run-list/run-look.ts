// Looks at a bounded number of rows of the list of runs, in the order of an index, and gives those that a filter asks for [H5].

import type { CountedBy } from "../../../api/run/runs.ts"
import type { RunFilter } from "../../../ports/tenant/run-list.ts"
import type { Position } from "../../platform/list-cursor.ts"
import type { TenantSql } from "../tenant-sql.ts"
import { rowCheck } from "./row-check.ts"
import { scoredSo, wayOf, where, type Condition, type Stretch } from "./run-filter.ts"

export interface RunFound extends Position {
  readonly flow: string
  readonly status: string
  readonly view: string
  /** What the rows are ordered by, if not by their creation. */
  readonly size: number
}

/** The largest first, and what comes after the last one of these. `sql`: over the columns `created`, `ended` and `view`. */
export interface BySize {
  readonly sql: string
  readonly values: readonly number[]
  readonly past?: (Position & { readonly size: number }) | undefined
}

/** How much of a time in ISO 8601 says the hour, and the day. */
const TIME_CHARS = { hour: 13, day: 10 } as const

/** As the run shows it. */
interface Shown {
  readonly created: string
  readonly trigger: { readonly kind: string }
}
const shownIn = ({ view }: RunFound): Shown => JSON.parse(view) as Shown

/** What a row is counted as: in SQL, and of a row that was read. */
const NAMED = {
  status: { sql: "status", of: ({ status }: RunFound) => status },
  flow: { sql: "flow", of: ({ flow }: RunFound) => flow },
  trigger: { sql: "json_extract(view, '$.trigger.kind')", of: (row: RunFound) => shownIn(row).trigger.kind },
  hour: began(TIME_CHARS.hour),
  day: began(TIME_CHARS.day),
} satisfies Readonly<Record<CountedBy, { readonly sql: string; readonly of: (row: RunFound) => string }>>

function began(chars: number) {
  return { sql: `substr(json_extract(view, '$.created'), 1, ${chars})`, of: (row: RunFound) => shownIn(row).created.slice(0, chars) }
}

interface Bounds {
  /** Rows that are looked at. */
  readonly most: number
  /** Rows that are wanted. */
  readonly limit: number
}

export class RunLook {
  readonly #sql: Pick<TenantSql, "read" | "has">
  readonly #lead: string
  readonly #led: readonly (string | number)[]
  readonly #filter: RunFilter
  readonly #rest: readonly Condition[]
  readonly #isUp: boolean
  readonly #bounds: Bounds

  constructor(sql: Pick<TenantSql, "read" | "has">, filter: RunFilter, stretch: Stretch, bounds: Bounds) {
    const { from, rest } = wayOf(filter, stretch)
    const way = stretch.up === true ? "ASC" : "DESC"
    this.#sql = sql
    this.#lead = `SELECT run.id AS id, run.created AS created, run.ended AS ended, run.flow AS flow, run.status AS status, run.view AS view
      FROM ${from.table} ${where(from.conditions)} ORDER BY ${from.order}.created ${way}, ${from.order}.id ${way}`
    this.#led = [...from.values, ...from.conditions.flatMap((c) => c.values)]
    this.#filter = filter
    this.#rest = filter.scored ? [...rest, scoredSo(filter.scored, sql.has("score"))] : rest
    this.#isUp = stretch.up === true
    this.#bounds = bounds
  }

  rows(by?: BySize): RunFound[] {
    const { most, limit } = this.#bounds
    const check = rowCheck(this.#filter)
    const past: readonly Condition[] = by?.past
      ? [{ sql: "(size, created, id) < (?, ?, ?)", values: [by.past.size, by.past.created, by.past.id] }]
      : []
    const way = this.#isUp ? "ASC" : "DESC"
    const { sql, values } = this.#asked(`id, created, flow, status, view, ${by?.sql ?? "0"} AS size`)
    const found = this.#sql.read<RunFound & Record<string, SqlStorageValue>>(
      `SELECT * FROM (${sql}) ${where(past)} ORDER BY ${by ? "size DESC, " : ""}created ${way}, id ${way} LIMIT ?`,
      ...(by?.values ?? []),
      ...values,
      ...past.flatMap((c) => c.values),
      check ? most : limit,
    )
    return check ? found.filter(check).slice(0, limit) : found
  }

  /** How many of the rows have each flow, status or trigger, most first; or began in each hour or day, the newest first. */
  counts(by: CountedBy, limit: number): readonly { readonly name: string; readonly n: number }[] {
    const check = rowCheck(this.#filter)
    const isTime = by in TIME_CHARS
    const named = NAMED[by]
    if (check === undefined) {
      const { sql, values } = this.#asked(`${named.sql} AS name`)
      const order = isTime ? "name DESC" : "count(*) DESC, name"
      const query = `SELECT name, count(*) AS n FROM (${sql}) GROUP BY name ORDER BY ${order} LIMIT ?`
      return this.#sql.read<{ name: string; n: number }>(query, ...values, limit)
    }
    const counts = new Map<string, number>()
    for (const row of this.rows()) counts.set(named.of(row), (counts.get(named.of(row)) ?? 0) + 1)
    const rows = [...counts].map(([name, n]) => ({ name, n }))
    return rows.toSorted((a, b) => (!isTime && b.n - a.n) || (a.name < b.name === !isTime ? -1 : 1)).slice(0, limit)
  }

  /** The rows that SQL does not exclude. */
  #asked(columns: string): { readonly sql: string; readonly values: readonly (string | number)[] } {
    const sql = `SELECT ${columns} FROM (${this.#lead} LIMIT ${this.#bounds.most}) ${where(this.#rest)}`
    return { sql, values: [...this.#led, ...this.#rest.flatMap((c) => c.values)] }
  }

  first(): Position | undefined {
    return this.#at(0)
  }

  /** The last row that was looked at, if there are more after it. */
  last(): Position | undefined {
    return this.next() && this.#at(this.#bounds.most - 1)
  }

  /** The first row that was not looked at. */
  next(): Position | undefined {
    return this.#at(this.#bounds.most)
  }

  #at(offset: number): Position | undefined {
    return this.#sql.read<{ id: string; created: number }>(
      `SELECT id, created FROM (${this.#lead} LIMIT 1 OFFSET ${offset})`,
      ...this.#led,
    )[0]
  }
}
