// [B3] Calls whose answers were lost, in the sums of a tenant: by day and by name, beside the other figures.

import { expect, test } from "vitest"
import { UsageStore } from "../../../src/cloudflare/tenant/insight/usage-store.ts"
import { TenantSql } from "../../../src/cloudflare/tenant/tenant-sql.ts"
import { noFigures } from "../../../src/core/run/usage/figures.ts"
import { sqliteStorage } from "../../support/cloudflare/sqlite-storage.ts"

const line = (kind: "flow" | "model", name: string, lost?: { calls: number; tokens: number }) => ({
  kind,
  name,
  ...noFigures(),
  model_calls: 1,
  ...(lost ? { lost } : {}),
})
const ran = { rehearsed: false, child: false, failed: false }
const over = { from: 0, to: 99, rehearsed: false } as const

test("[B3] lost calls are summed by day and by name, and a day without any has none", () => {
  const usage = new UsageStore(new TenantSql(sqliteStorage()))
  const lost = (calls: number) => ({ calls, tokens: calls * 5_000 })
  usage.add({ ...ran, day: 1, lines: [line("flow", "f", lost(3)), line("model", "m/a", lost(2)), line("model", "m/b", lost(1))] })
  usage.add({ ...ran, day: 1, lines: [line("flow", "f"), line("model", "m/a")] })
  usage.add({ ...ran, day: 2, lines: [line("flow", "f", lost(4)), line("model", "m/a", lost(4))] })
  usage.add({ ...ran, day: 3, lines: [line("flow", "f")] })
  expect(usage.sums({ by: "day", ...over }).data.map(({ key, lost: of, model_calls }) => [key, model_calls, of])).toEqual([
    ["1970-01-02", 2, lost(3)],
    ["1970-01-03", 1, lost(4)],
    ["1970-01-04", 1, lost(0)],
  ])
  const named = usage.sums({ by: "model", ...over })
  expect(Object.fromEntries(named.data.map(({ key, lost: of }) => [key, of]))).toEqual({ "m/a": lost(6), "m/b": lost(1) })
  expect(named.total.lost).toEqual(lost(7))
  expect(usage.sums({ by: "model", daily: true, ...over }).data.map((row) => [row.day, row.key, row.lost.calls])).toContainEqual([
    "1970-01-03",
    "m/a",
    4,
  ])
})
