// [H16] The sums of hours are those of the tenant's runs, each counted once in the hour in which it began and in the one in which it ended, those
// included that are deleted; days are the sums of their hours; and questions that were asked and are not closed are open.

import { runSumOf, withoutFlow } from "../../../src/core/run/usage/run-sum.ts"
import { usageOf } from "../../../src/core/run/usage/run-usage.ts"
import { sumOfAll, type Sum } from "../../../src/core/run/usage/sum.ts"
import type { Rest } from "./rest.ts"

const HOUR_MS = 3_600_000
const EPSILON = 1e-6

type Row = { readonly unit: number; readonly rehearsed: number; readonly at: number; readonly flow: string; readonly body: string }

export async function sumsOf(rest: Rest): Promise<string[]> {
  const expected = new Map<string, Sum[]>()
  const add = (at: number, rehearsed: boolean, flow: string, sum: Sum): void => {
    const key = keyOf({ rehearsed: rehearsed ? 1 : 0, at: Math.floor(at / HOUR_MS), flow })
    expected.set(key, [...(expected.get(key) ?? []), sum])
  }
  const former = new Set(rest.former)
  for (const journal of [...rest.own, ...rest.former]) {
    const run = await rest.folded(journal)
    const usage = usageOf(run)
    const ended = runSumOf(run, usage)
    if (run.trigger.kind === "test" || run.trigger.test === true || (!ended && former.has(journal))) continue
    if (run.parent === undefined) for (const flow of [run.flow, ""]) add(run.started, run.rehearsed, flow, { began: 1 })
    if (!ended) continue
    add(ended.ended, ended.rehearsed, ended.flow, ended.sum)
    add(ended.ended, ended.rehearsed, "", withoutFlow(ended.sum))
  }
  // One that went as soon as it heard of a deletion may have been counted before.
  const unsure = new Set<string>()
  for (const journal of rest.strays) {
    const run = await rest.folded(journal)
    const at = [run.started, runSumOf(run, usageOf(run))?.ended ?? run.started]
    for (const flow of [run.flow, ""])
      for (const time of at) unsure.add(keyOf({ rehearsed: run.rehearsed ? 1 : 0, at: Math.floor(time / HOUR_MS), flow }))
  }
  const rows = rest.rows<Row>("run_sum", "SELECT * FROM run_sum")
  const hours = new Map(rows.filter(({ unit }) => unit === 0).map((row) => [keyOf(row), sumIn(row)]))
  const wrong: string[] = []
  for (const key of new Set([...hours.keys(), ...expected.keys()])) {
    if (unsure.has(key)) continue
    const { asked: _asked, closed: _closed, ...is } = hours.get(key) ?? {}
    wrong.push(...differences(key, is, sumOfAll(expected.get(key) ?? [])))
  }
  for (const row of rows) {
    if (row.unit === 0) continue
    const day = Array.from({ length: 24 }, (_, i) => hours.get(keyOf({ ...row, at: row.at * 24 + i })) ?? {})
    wrong.push(...differences(`day ${keyOf(row)}`, sumIn(row), sumOfAll(day)))
  }
  const all = sumOfAll([...hours].filter(([key]) => key.endsWith(' ""')).map(([, sum]) => sum))
  const [row] = rest.rows<{ n: number | null }>(
    "run",
    `SELECT sum(json_extract(view, '$.pending')) AS n FROM run
     WHERE json_extract(view, '$.trigger.kind') IS NOT 'test' AND json_extract(view, '$.trigger.test') IS NULL`,
  )
  const open = (all.asked ?? 0) - (all.closed ?? 0)
  if (open !== (row?.n ?? 0)) wrong.push(`[H16] ${open} questions are open by the sums, the list has ${row?.n ?? 0}`)
  return wrong
}

const keyOf = ({ rehearsed, at, flow }: Pick<Row, "rehearsed" | "at" | "flow">): string => `${rehearsed} ${at} ${JSON.stringify(flow)}`
const sumIn = ({ body }: Row): Sum => JSON.parse(body) as Sum

function differences(key: string, is: Sum, was: Sum): string[] {
  const [a, b] = [leaves(is), leaves(was)]
  return [...new Set([...a.keys(), ...b.keys()])].flatMap((leaf) => {
    const [here, there] = [a.get(leaf) ?? 0, b.get(leaf) ?? 0]
    return Math.abs(here - there) <= EPSILON ? [] : [`[H16] sums of ${key}: ${leaf} is ${here}, the runs have ${there}`]
  })
}

/** Each number with its path. A histogram's buckets are a list. */
function leaves(value: unknown, path = ""): Map<string, number> {
  if (typeof value === "number") return new Map([[path, value]])
  if (typeof value !== "object" || value === null) return new Map()
  return new Map(Object.entries(value).flatMap(([name, below]) => [...leaves(below, `${path}/${name}`)]))
}
