// [H13] Usage by the hour: hours add up to the days, in all and by flow, of the flows that used most and of all others together.

import { expect, test } from "vitest"
import { hourlyUsage } from "../../../src/cloudflare/tenant/insight/hourly-usage.ts"
import { SumReader } from "../../../src/cloudflare/tenant/insight/sum-reader.ts"
import { SumStore } from "../../../src/cloudflare/tenant/insight/sum-store.ts"
import { UsageStore } from "../../../src/cloudflare/tenant/insight/usage-store.ts"
import { TenantSql } from "../../../src/cloudflare/tenant/tenant-sql.ts"
import type { Run } from "../../../src/core/run/state.ts"
import { newRun } from "../../../src/core/run/state.ts"
import { runSumOf } from "../../../src/core/run/usage/run-sum.ts"
import { usageOf } from "../../../src/core/run/usage/run-usage.ts"
import type { UsageRow, UsageSum } from "../../../src/ports/tenant/usage.ts"
import { sqliteStorage } from "../../support/cloudflare/sqlite-storage.ts"
import { agent, flowOf, planOf } from "../../support/kernel/builders.ts"
import { CAST } from "../../support/kernel/generate.ts"
import { diceOf } from "../../support/kernel/world.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** A run that has ended, with figures of its own. */
function runOf(roll: () => number, flow: string, ended: number): Run {
  const up = (to: number): number => Math.floor(roll() * to)
  const run = newRun(planOf(flowOf([agent("a")]), CAST))
  const figures = {
    input: up(900),
    cached: up(90),
    output: up(90),
    usd: roll() < 0.1 ? null : up(1_000) / 1e3,
    unpriced: up(2),
    model_calls: up(9),
  }
  Object.assign(run, { flow, started: ended - up(90_000), ended, status: roll() < 0.2 ? "failed" : "succeeded" })
  if (roll() < 0.3) Object.assign(run, { parent: { run: "r", step: "a", pass: 1, index: 0, depth: 1 } })
  run.tally = {
    "model m/a": { ...figures, tool_calls: 0, tool_errors: 0, lost: { calls: 1, tokens: up(99) } },
    "tool t": { input: 0, cached: 0, output: 0, usd: null, unpriced: 0, model_calls: 0, tool_calls: up(9), tool_errors: up(3) },
  }
  const asked = { id: "1", step: "a", pass: 1, payload: {}, schema: {}, created: ended - 5_000, decided: ended - up(4_000) }
  run.interactions["1"] = { ...asked, kind: "ask_user", status: "answered", answer: { answer: "x" } }
  return run
}

const NUMBERS = ["runs", "failed", "children", "input", "cached", "output", "unpriced", "model_calls", "tool_calls", "tool_errors"] as const
const ASKED = ["questions", "approvals", "answered", "waited_ms"] as const
const added = (rows: readonly UsageSum[]) => ({
  ...Object.fromEntries([...NUMBERS, ...ASKED].map((name) => [name, rows.reduce((sum, row) => sum + row[name], 0)])),
  lost: rows.reduce((sum, { lost }) => ({ calls: sum.calls + lost.calls, tokens: sum.tokens + lost.tokens }), { calls: 0, tokens: 0 }),
  usd: Number(rows.reduce((sum, { usd }) => sum + (usd ?? 0), 0).toFixed(6)),
})

test("[H13] hours add up to their days, in all and by flow; of more than 20 flows the rest of an hour is one row", () => {
  const sql = new TenantSql(sqliteStorage())
  sql.begin()
  const [usage, store] = [new UsageStore(sql), new SumStore(sql, () => undefined)]
  const sums = new SumReader(sql, store)
  const roll = diceOf("hourly usage")
  for (let n = 0; n < 600; n++) {
    const run = runOf(roll, `f${Math.floor(roll() * 26)}`, DAY + Math.floor(roll() * 3 * DAY))
    const used = usageOf(run)
    const sum = runSumOf(run, used)
    if (used) usage.add(used)
    if (sum) store.ended(sum)
  }
  const turn = { at: 2 * DAY, flow: "f1", agent: "a", model: "m/a", usage: { input: 70, output: 7 }, cost: 0.5 }
  usage.tried(turn)
  store.tried(turn)
  const range = { from: 1, to: 3, rehearsed: false } as const
  const dayOf = ({ hour = "" }: UsageRow): string => hour.slice(0, 10)
  const days = usage.sums({ by: "day", ...range }).data
  for (const by of ["day", "flow"] as const) {
    const hourly = hourlyUsage({ usage, sums }, { by, ...range, hourly: true })
    expect(hourly.total).toEqual(usage.sums({ by, ...range }).total)
    for (const day of days) expect(added(hourly.data.filter((row) => dayOf(row) === day.key)), `${by} ${day.key}`).toEqual(added([day]))
  }
  const { data, complete } = hourlyUsage({ usage, sums }, { by: "flow", ...range, hourly: true })
  const names = usage.sums({ by: "flow", ...range }).data
  expect([names.length, complete, new Set(data.map(({ key }) => key)).size]).toEqual([26, false, 21])
  for (const { key, ...sum } of names.slice(0, 20)) expect(added(data.filter((row) => row.key === key)), key).toEqual(added([{ ...sum }]))
  expect(hourlyUsage({ usage, sums }, { by: "day", ...range, hourly: true }).data.every(({ hour, key }) => hour?.startsWith(key))).toBe(
    true,
  )
})
