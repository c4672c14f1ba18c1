// Stores the usage of runs by day and name. Each run is added once, in the commit of its final row.

import { noFigures, type Figures } from "../../../core/run/usage/figures.ts"
import type { RunUsage, UsageBy } from "../../../core/run/usage/run-usage.ts"
import { modelCounted, OTHER } from "../../../core/run/usage/tally.ts"
import { isFree } from "../../../core/money/prices.ts"
import { tidy } from "../../../core/money/tidy.ts"
import { isoTime } from "../../../core/text/iso-time.ts"
import type { TriedTurn, UsagePort, UsageQuery, UsageRow, UsageSum } from "../../../ports/tenant/usage.ts"
import type { Answers } from "../../../ports/objects.ts"
import type { TenantSql } from "../tenant-sql.ts"

const DAY_MS = 86_400_000
const KEPT_DAYS = 400 // limit: days that sums of usage are kept → they are deleted
/** Names of one kind and day; what has another name counts under OTHER. */
const MOST_NAMES = 500 // limit: models, agents, tools or flows of a day whose usage is counted by name → the rest is counted together
const MOST_SUMS = 1_000 // limit: sums of an answer → the smallest are left out, and the answer says so
/** Names of an answer that has a row for each day and name: at most 400 days of 21 rows. */
export const MOST_DAILY = 20 // limit: names of an answer with a row for each day and name → the others of a day are one sum

const SUMMED = ["input", "cached", "output", "unpriced", "model_calls", "tool_calls", "tool_errors", "runs", "children", "failed"] as const
const ASKED = ["questions", "approvals", "answered", "waited_ms"] as const
const LOST = ["calls", "tokens"] as const
type Name = (typeof SUMMED)[number] | (typeof ASKED)[number] | `lost_${(typeof LOST)[number]}`
/** Column → member of a line. */
const MEMBERS = Object.fromEntries([
  ...SUMMED.map((name) => [name, name]),
  ...ASKED.map((name) => [name, `asked.${name}`]),
  ...LOST.map((name) => [`lost_${name}`, `lost.${name}`]),
]) as Readonly<Record<Name, string>>
const NAMES = Object.keys(MEMBERS)
const SUMS = [...NAMES.map((name) => `coalesce(sum(${name}), 0) AS ${name}`), "sum(usd) AS usd"].join(", ")
/** The key's first columns, so that a day is found by it. */
const KINDS = "kind IN ('flow', 'model', 'agent', 'tool')"
const ADD = `INSERT INTO usage_day (day, rehearsed, kind, name, usd, ${NAMES.join(", ")})
  SELECT ?1, ?2, json_extract(value, '$.kind'), json_extract(value, '$.name'), json_extract(value, '$.usd'),
    ${Object.values(MEMBERS)
      .map((member) => `coalesce(json_extract(value, '$.${member}'), 0)`)
      .join(", ")} FROM json_each(?3) WHERE true
  ON CONFLICT DO UPDATE SET usd = CASE WHEN usd IS NULL THEN excluded.usd ELSE usd + coalesce(excluded.usd, 0) END,
    ${NAMES.map((name) => `${name} = ${name} + excluded.${name}`).join(", ")}`

type Summed = Awaited<ReturnType<UsagePort["sums"]>>
type Counted = RunUsage["lines"][number] & { readonly runs: number; readonly children: number; readonly failed: number }
type Sums = Readonly<Record<Name, number>> & { readonly usd: number | null }

export class UsageStore implements Answers<UsagePort> {
  readonly #sql: TenantSql
  /** The names of the day that runs end on, as in the rows: kind → names. */
  #day: { readonly of: string; readonly names: Map<string, Set<string>> } | undefined

  constructor(sql: TenantSql) {
    this.#sql = sql
  }

  /** Call this once for a run. */
  add({ day, rehearsed, child, judge, failed, lines }: RunUsage): void {
    const counted = lines.map((line) => {
      const isFlow = line.kind === "flow"
      const isRun = !isFlow || !child
      return { ...line, runs: isRun ? 1 : 0, children: child && judge !== true ? 1 : 0, failed: isRun && failed ? 1 : 0 }
    })
    this.#count(day, rehearsed, counted)
  }

  /** A run of the rehearsal's model is no real one. */
  readonly tried = ({ at, flow, agent, model, usage, cost }: TriedTurn): void => {
    const figures: Figures = noFigures()
    modelCounted(figures, usage, cost)
    const lines = [
      ["flow", flow],
      ["model", model],
      ["agent", agent],
    ] as const
    const none = { runs: 0, children: 0, failed: 0 }
    this.#count(
      Math.floor(at / DAY_MS),
      isFree(model),
      lines.map(([kind, name]) => ({ ...figures, ...none, kind, name })),
    )
  }

  #count(day: number, rehearsed: boolean, lines: readonly Counted[]): void {
    const names = this.#namesOf(day, rehearsed)
    const counted = lines.map((line) => ({ ...line, name: known(names, line.kind, line.name) }))
    this.#sql.write((sql) => sql.exec(ADD, day, rehearsed ? 1 : 0, JSON.stringify(counted)))
  }

  readonly sums = ({ by, from, to, rehearsed, daily }: UsageQuery): Summed => {
    if (daily) return this.#daily(by, from, to, rehearsed)
    const key = by === "day" ? "day" : "name"
    const where = `FROM usage_day WHERE rehearsed = ? AND kind = ? AND day BETWEEN ? AND ?`
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
      .map(({ key: of, ...sums }): UsageRow => ({ key: typeof of === "number" ? dayText(of) : of, ...sumOf(sums) }))
    return { data, total: sumOf(total), complete: rows.length <= MOST_SUMS }
  }

  /** The names that used most of these days, each by itself; what the others used on a day is one sum. */
  #daily(by: UsageBy, from: number, to: number, rehearsed: boolean): Summed {
    const { data: all, total } = this.sums({ by, from, to, rehearsed })
    const largest = all.filter(({ key }) => key !== OTHER).slice(0, MOST_DAILY)
    const rows = this.#sql.read<Sums & { day: number; known: string }>(
      `SELECT day, CASE WHEN name IN (SELECT value FROM json_each(?)) THEN name ELSE ? END AS known, ${SUMS}
       FROM usage_day WHERE rehearsed = ? AND kind = ? AND day BETWEEN ? AND ? GROUP BY day, known
       ORDER BY day, known = ?, sum(usd) DESC, sum(input + output) DESC, sum(runs) DESC, known`,
      JSON.stringify(largest.map(({ key }) => key)),
      OTHER,
      rehearsed ? 1 : 0,
      by,
      from,
      to,
      OTHER,
    )
    const data = rows.map(({ day, known: key, ...sums }): UsageRow => ({ day: dayText(day), key, ...sumOf(sums) }))
    return { data, total, complete: largest.length === all.length }
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
    const old = `WHERE rehearsed IN (0, 1) AND ${KINDS} AND day < ?`
    if (this.#sql.read(`SELECT 1 FROM usage_day ${old} LIMIT 1`, day - KEPT_DAYS).length > 0)
      this.#sql.write((sql) => sql.exec(`DELETE FROM usage_day ${old}`, day - KEPT_DAYS))
    this.#day = { of, names }
    return names
  }
}

const dayText = (day: number): string => isoTime(day * DAY_MS).slice(0, 10)

function known(names: Map<string, Set<string>>, kind: string, name: string): string {
  const all = names.get(kind) ?? new Set()
  names.set(kind, all)
  if (all.has(name)) return name
  if (all.size >= MOST_NAMES) return OTHER
  all.add(name)
  return name
}

function sumOf(sums: Sums | undefined): UsageSum {
  const of = (name: Name): number => sums?.[name] ?? 0
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
    lost: { calls: of("lost_calls"), tokens: of("lost_tokens") },
    questions: of("questions"),
    approvals: of("approvals"),
    answered: of("answered"),
    waited_ms: of("waited_ms"),
  }
}
