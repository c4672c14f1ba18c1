// The rows of leases [B4]: two days of them, deleted when a day begins and not looked through by each lease.

import { expect, test } from "vitest"
import { BudgetStore } from "../../../../src/cloudflare/tenant/budget/budget-store.ts"
import { TenantSql } from "../../../../src/cloudflare/tenant/tenant-sql.ts"
import { sqliteStorage } from "../../../support/cloudflare/sqlite-storage.ts"

const DAY_MS = 86_400_000

test.each([
  ["a budget", { tokens: 3_200 }],
  ["a budget of nothing", { tokens: 0 }],
])("[B4] %s: leases of the last two days stay, and old ones go with the first lease of a day", (_, limit) => {
  const storage = sqliteStorage()
  const { sql } = storage
  const said: string[] = []
  const exec = sql.exec.bind(sql) as (query: string, ...values: readonly unknown[]) => ReturnType<typeof sql.exec>
  sql.exec = ((query: string, ...values: readonly unknown[]) => {
    said.push(query)
    return exec(query, ...values)
  }) as typeof sql.exec
  let now = 100 * DAY_MS
  const store = new BudgetStore(new TenantSql(storage), () => now)
  store.put(limit)
  const days = (): unknown[] => exec("SELECT DISTINCT day FROM lease ORDER BY day").toArray()
  const lease = (run: string): void => void store.lease(run, "first", {})
  for (let day = 0; day < 4; day++, now += DAY_MS) for (let n = 0; n < 10; n++) lease(`run_${day}_${n}`)
  expect(days()).toEqual([{ day: 102 }, { day: 103 }])
  expect(exec("SELECT day FROM lease_day ORDER BY day").toArray()).toEqual(days())
  // Once for each of the two days that have one too old before them.
  expect(said.filter((query) => query.startsWith("DELETE FROM lease WHERE"))).toHaveLength(2)
  now -= DAY_MS
  expect(store.today().spent).toEqual({ tokens: 0 })
  expect(store.today().held).toEqual({ tokens: Math.min(limit.tokens, 1_000) })
})

const grants = (granted: unknown): unknown => expect.objectContaining({ granted })

test.each([
  ["after the run has ended", true],
  ["before it, unheard", false],
])("[B4] a slice that is asked for %s does not stay away", (_, late) => {
  let now = 100 * DAY_MS
  const store = new BudgetStore(new TenantSql(sqliteStorage()), () => now)
  store.put({ steps: 64 })
  const { until } = store.lease("r", "start", {})
  const asked = (): unknown => store.lease("r", "lease/2", { steps: 1 })
  if (!late) expect(asked()).toEqual(grants({ steps: 2 }))
  store.close("r", until, { steps: 1 })
  if (late) expect(asked()).toEqual(grants({}))
  // Its answer is repeated, and so is the return.
  if (!late) expect(asked()).toEqual(grants({ steps: 2 }))
  store.close("r", until, { steps: 1 })
  expect(store.today()).toMatchObject({ spent: { steps: 1 }, held: { steps: 0 } })
  now += DAY_MS
  expect(store.lease("r", "lease/3", { steps: 1 })).toEqual(grants({}))
  expect(store.today()).toMatchObject({ spent: { steps: 0 }, held: { steps: 0 } })
})

test("[B4] of a day that began while the slice was on its way, everything comes back", () => {
  let now = 101 * DAY_MS - 1
  const store = new BudgetStore(new TenantSql(sqliteStorage()), () => now)
  store.put({ steps: 64 })
  const { until } = store.lease("r", "start", {})
  now += 2
  store.lease("r", "lease/2", { steps: 1 })
  expect(store.today().held).toEqual({ steps: 2 })
  store.close("r", until, { steps: 2 })
  expect(store.today()).toMatchObject({ spent: { steps: 0 }, held: { steps: 0 } })
})

test("[B4] a hundred runs that begin at once leave enough for the next one's call", () => {
  const store = new BudgetStore(new TenantSql(sqliteStorage()), () => 100 * DAY_MS)
  store.put({ tokens: 1_000_000, usd: 10 })
  const slices = Array.from({ length: 100 }, (_, n) => store.lease(`run_${n}`, "start", {}))
  expect(slices[0]).toMatchObject({ granted: { tokens: 31_250, usd: 10 / 32 } })
  expect(slices.every(({ granted, retry }) => (granted.tokens ?? 0) > 0 && (granted.usd ?? 0) > 0 && retry === undefined)).toBe(true)
  expect(store.lease("next", "start", {}).granted.tokens).toBeGreaterThan(0)
  expect(store.lease("next", "lease/2", { tokens: 1_000 })).toMatchObject({ granted: { tokens: 1_000 } })
})
