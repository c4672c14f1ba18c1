// Sums of what runs have used, by day and name: fed once by each run, in the commit of the row that says that it has ended.

import type { RunUsage } from "../../../core/run/usage/run-usage.ts"
import { OTHER } from "../../../core/run/usage/tally.ts"
import { tidy } from "../../../core/money/amount.ts"
import { isoTime } from "../../../core/text/iso-time.ts"
import type { UsagePort, UsageQuery, UsageRow, UsageSum } from "../../../ports/tenant/usage.ts"
import type { Answers } from "../../../ports/objects.ts"
import type { TenantSql } from "../tenant-sql.ts"

const DAY_MS = 86_400_000
/** Days that the sums are kept. */
const KEPT_DAYS = 400
/** Names of one kind and day; what has another name counts under OTHER. */
const MOST_NAMES = 500
/** Rows of an answer. */
const MOST_SUMS = 1_000

const SUMMED = ["input", "cached", "output", "unpriced", "model_calls", "tool_calls", "tool_errors", "runs", "children", "failed"] as const
const SUMS = [...SUMMED.map((name) => `coalesce(sum(${name}), 0) AS ${name}`), "sum(usd) AS usd"].join(", ")
/** The key's first columns, so that a day is found by it. */
const KINDS = "kind IN ('flow', 'model', 'agent', 'tool')"
const ADD = `INSERT INTO usage_day (day, rehearsed, kind, name, usd, ${SUMMED.join(", ")})
  SELECT ?1, ?2, json_extract(value, '$.kind'), json_extract(value, '$.name'), json_extract(value, '$.usd'),
    ${SUMMED.map((name) => `json_extract(value, '$.${name}')`).join(", ")} FROM json_each(?3) WHERE true
  ON CONFLICT DO UPDATE SET usd = CASE WHEN usd IS NULL THEN excluded.usd ELSE usd + coalesce(excluded.usd, 0) END,
    ${SUMMED.map((name) => `${name} = ${name} + excluded.${name}`).join(", ")}`

type Sums = { readonly [Name in (typeof SUMMED)[number]]: number } & { readonly usd: number | null }

export class UsageStore implements Answers<UsagePort> {
  readonly #sql: TenantSql
  /** The names of the day that runs end on, as in the rows: kind → names. */
  #day: { readonly of: string; readonly names: Map<string, Set<string>> } | undefined

  constructor(sql: TenantSql) {
    this.#sql = sql
  }

  /** Call this once for a run. */
  add({ day, rehearsed, child, failed, lines }: RunUsage): void {
    const names = this.#namesOf(day, rehearsed)
    const counted = lines.map((line) => {
      const isFlow = line.kind === "flow"
      const isRun = !isFlow || !child
      return {
        ...line,
        name: known(names, line.kind, line.name),
        runs: isRun ? 1 : 0,
        children: child ? 1 : 0,
        failed: isRun && failed ? 1 : 0,
      }
    })
    this.#sql.record((sql) => sql.exec(ADD, day, rehearsed ? 1 : 0, JSON.stringify(counted)))
  }

  readonly sums = ({ by, from, to, rehearsed }: UsageQuery) => {
    const key = by === "day" ? "day" : "name"
    const where = "FROM usage_day WHERE rehearsed = ? AND kind = ? AND day BETWEEN ? AND ?"
    const rows = this.#sql.read<Sums & { key: string | number }>(
      `SELECT ${key} AS key, ${SUMS} ${where} GROUP BY ${key}
       ORDER BY ${by === "day" ? "day" : "sum(usd) DESC, sum(input + output) DESC, sum(runs) DESC, name"} LIMIT ${MOST_SUMS + 1}`,
      rehearsed ? 1 : 0,
      by === "day" ? "flow" : by,
      from,
      to,
    )
    const [total] = this.#sql.read<Sums>(`SELECT ${SUMS} ${where}`, rehearsed ? 1 : 0, "flow", from, to)
    const data = rows
      .slice(0, MOST_SUMS)
      .map(({ key: of, ...sums }): UsageRow => ({ key: typeof of === "number" ? isoTime(of * DAY_MS).slice(0, 10) : of, ...sumOf(sums) }))
    return { data, total: sumOf(total), complete: rows.length <= MOST_SUMS }
  }

  /** The tenant is deleted. */
  forget(): void {
    this.#day = undefined
  }

  #namesOf(day: number, rehearsed: boolean): Map<string, Set<string>> {
    const of = `${day} ${rehearsed}`
    if (this.#day?.of === of) return this.#day.names
    const names = new Map<string, Set<string>>()
    const rows = this.#sql.read<{ kind: string; name: string }>(
      `SELECT kind, name FROM usage_day WHERE rehearsed = ? AND ${KINDS} AND day = ?`,
      rehearsed ? 1 : 0,
      day,
    )
    for (const { kind, name } of rows) names.set(kind, (names.get(kind) ?? new Set()).add(name))
    // Once for each day and life of the object.
    const old = `FROM usage_day WHERE rehearsed IN (0, 1) AND ${KINDS} AND day < ?`
    if (this.#sql.read(`SELECT 1 ${old} LIMIT 1`, day - KEPT_DAYS).length > 0)
      this.#sql.record((sql) => sql.exec(`DELETE ${old}`, day - KEPT_DAYS))
    this.#day = { of, names }
    return names
  }
}

function known(names: Map<string, Set<string>>, kind: string, name: string): string {
  const all = names.get(kind) ?? new Set()
  names.set(kind, all)
  if (all.has(name)) return name
  if (all.size >= MOST_NAMES) return OTHER
  all.add(name)
  return name
}

function sumOf(sums: Sums | undefined): UsageSum {
  const of = (name: (typeof SUMMED)[number]): number => sums?.[name] ?? 0
  const usd = sums?.usd ?? null
  return {
    runs: of("runs"),
    failed: of("failed"),
    children: of("children"),
    input: of("input"),
    cached: of("cached"),
    output: of("output"),
    usd: usd === null ? null : tidy(usd),
    unpriced: of("unpriced"),
    model_calls: of("model_calls"),
    tool_calls: of("tool_calls"),
    tool_errors: of("tool_errors"),
  }
}
