// The tenant's daily budget inside workerd [B4]: slices, returned amounts, and a whole run that is paid from it.

import { evictDurableObject, runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import type { Amount } from "../../../src/core/money/amount.ts"
import { portOf } from "../../../src/cloudflare/platform/port-of.ts"
import { BudgetStore } from "../../../src/cloudflare/tenant/budget/budget-store.ts"
import { TenantSql } from "../../../src/cloudflare/tenant/tenant-sql.ts"

const DAY = 86_400_000
const stubOf = (tenant: string) => env.TENANT.get(env.TENANT.idFromName(tenant))
/** A store on a tenant's own rows, with a clock that the test sets. */
const within = <T>(tenant: string, work: (store: BudgetStore, clock: { now: number; dice: number[] }) => T): Promise<T> =>
  runInDurableObject(stubOf(tenant), (_, ctx) => {
    const clock = { now: 10 * DAY + 1000, dice: [0, 1] }
    const store = new BudgetStore(
      new TenantSql(ctx.storage),
      () => clock.now,
      () => clock.dice.shift() ?? 0,
    )
    return work(store, clock)
  })
const sum = (amounts: readonly Amount[]): number => amounts.reduce((n, a) => n + (a.tokens ?? 0), 0)

describe("slices", () => {
  test("[B4] without a limit every lease is unlimited, and nothing is written", async () => {
    expect(await within("b-none", (store) => store.lease("run_1", "start", {}))).toEqual({ granted: {}, until: 11 * DAY })
  })

  test("[B4] the first slice has a share of each unit; a later one has only the requested units, at least a share of each", async () => {
    await within("b-share", (store) => {
      store.put({ usd: 6.4, tokens: 6400 })
      expect(store.lease("run_1", "start", {})).toEqual({ granted: { usd: 0.2, tokens: 200 }, until: 11 * DAY })
      expect(store.lease("run_1", "lease/2", { tokens: 5 }).granted).toEqual({ usd: 0, tokens: 200 })
      expect(store.lease("run_1", "lease/3", { tokens: 2000 }).granted).toEqual({ usd: 0, tokens: 2000 })
    })
  })

  test("[B4] what is spent and held today: leases of runs that go on are held, and what ended runs did not use is back", async () => {
    await within("b-today", (store, clock) => {
      expect(store.today()).toEqual({ day: 10 * DAY, limit: {}, spent: {}, held: {} })
      store.put({ usd: 6.4, tokens: 6400 })
      store.lease("run_1", "start", {})
      store.lease("run_2", "start", {})
      expect(store.today()).toEqual({
        day: 10 * DAY,
        limit: { usd: 6.4, tokens: 6400 },
        spent: { usd: 0, tokens: 0 },
        held: { usd: 0.4, tokens: 400 },
      })
      store.close("run_1", 11 * DAY, { usd: 0.05, tokens: 50 })
      expect(store.today()).toMatchObject({ spent: { usd: 0.05, tokens: 50 }, held: { usd: 0.2, tokens: 200 } })
      store.put({ tokens: 6400 })
      expect(store.today()).toMatchObject({ spent: { tokens: 50 }, held: { tokens: 200 } })
      clock.now += DAY
      expect(store.today()).toMatchObject({ day: 11 * DAY, spent: { tokens: 0 }, held: { tokens: 0 } })
    })
  })

  test("[B4] is granted once per key, even if the budget changes in between", async () => {
    const first = await within("b-key", (store) => {
      store.put({ tokens: 6400 })
      return store.lease("run_1", "lease/2", { tokens: 6000 })
    })
    await evictDurableObject(stubOf("b-key"))
    await within("b-key", (store) => {
      expect(store.lease("run_1", "lease/2", { tokens: 6000 })).toEqual(first)
      expect(store.lease("run_1", "lease/3", { tokens: 401 })).toEqual({ granted: { tokens: 400 }, until: 11 * DAY, retry: 11 * DAY })
      expect(store.lease("run_1", "lease/4", { tokens: 1 })).toMatchObject({ granted: { tokens: 0 } })
    })
  })

  test("[B4] what was granted to a start that was lost is free when its run ends without it, and a late request gets nothing", async () => {
    const id = `run_${"l".repeat(26)}`
    await within("b-lost", (store) => {
      store.put({ tokens: 6400 })
      expect(store.lease(id, "start", {}).granted).toEqual({ tokens: 200 })
    })
    const row = { id, flow: "f", status: "succeeded", created: 10 * DAY, ended: 10 * DAY, unleased: true, view: { id, seq: 4 } }
    await stubOf("b-lost").ask("runs", "note", [row])
    await within("b-lost", (store) => {
      expect(store.today().held).toEqual({ tokens: 0 })
      expect(store.lease(id, "lease/1", { tokens: 5 }).granted).toEqual({})
      expect(store.today()).toMatchObject({ held: { tokens: 0 }, spent: { tokens: 0 } })
    })
  })

  test("[B4] in any order of leases and returns, never more is leased than the day has", async () => {
    await within("b-many", (store) => {
      store.put({ tokens: 1000 })
      const out = new Map<string, Amount[]>()
      for (let i = 0; i < 400; i++) {
        const run = `run_${(i * 7) % 13}_${Math.floor(i / 60)}`
        if (i % 5 === 4) {
          const had = out.get(run) ?? []
          store.close(run, 11 * DAY, { tokens: Math.ceil(sum(had) / 2) })
          out.set(run, [{ tokens: Math.ceil(sum(had) / 2) }])
        } else {
          const { granted } = store.lease(run, `lease/${i}`, { tokens: 1 + ((i * 31) % 60) })
          out.set(run, [...(out.get(run) ?? []), granted])
        }
        expect(sum([...out.values()].flat())).toBeLessThanOrEqual(1000)
      }
    })
  })

  test("[B4] a slice is given back once, and never more than was granted", async () => {
    await within("b-back", (store) => {
      store.put({ tokens: 1000 })
      store.lease("run_1", "lease/2", { tokens: 900 })
      for (let i = 0; i < 3; i++) store.close("run_1", 11 * DAY, { tokens: 0 })
      expect(store.lease("run_2", "lease/2", { tokens: 1000 }).granted).toEqual({ tokens: 1000 })
      store.close("run_3", 11 * DAY, { tokens: 0 })
      expect(store.lease("run_4", "lease/2", { tokens: 1 })).toMatchObject({ granted: { tokens: 0 } })
    })
  })

  test("[B4] a run that has not begun holds nothing, and what it was granted counts again when it reports, leases or ends", async () => {
    await within("b-given-up", (store) => {
      store.put({ tokens: 1000 })
      for (const run of ["run_1", "run_2", "run_3"]) store.lease(run, "start", { tokens: 300 })
      for (const run of ["run_1", "run_2", "run_3", "run_4"]) store.giveUp(run)
      expect(store.today()).toMatchObject({ held: { tokens: 0 }, spent: { tokens: 0 } })
      store.begun("run_1")
      store.begun("run_1")
      expect(store.today()).toMatchObject({ held: { tokens: 300 }, spent: { tokens: 0 } })
      expect(store.lease("run_2", "start", { tokens: 300 })).toEqual({ granted: { tokens: 300 }, until: 11 * DAY })
      expect(store.today()).toMatchObject({ held: { tokens: 600 }, spent: { tokens: 0 } })
      store.close("run_3", 11 * DAY, { tokens: 100 })
      store.giveUp("run_3")
      expect(store.today()).toMatchObject({ held: { tokens: 600 }, spent: { tokens: 100 } })
    })
  })

  test("[B4] a run that never begins holds nothing, whichever comes first, its request or the word that nobody starts it", async () => {
    await within("b-never", (store) => {
      store.put({ tokens: 1000 })
      store.lease("run_1", "child", { tokens: 300 })
      for (let i = 0; i < 2; i++) for (const run of ["run_1", "run_2"]) store.neverBegins(run)
      expect(store.lease("run_2", "child", { tokens: 300 }).granted).toEqual({})
      expect(store.today()).toMatchObject({ held: { tokens: 0 }, spent: { tokens: 0 } })
      store.lease("run_3", "child", { tokens: 300 })
      store.giveUp("run_3")
      store.neverBegins("run_3")
      store.begun("run_3")
      expect(store.today()).toMatchObject({ held: { tokens: 0 }, spent: { tokens: 0 } })
    })
  })

  test("[B4] when nothing is left: retry tomorrow, or soon while other runs may give some back; a new day has a new budget", async () => {
    await within("b-day", (store, clock) => {
      store.put({ tokens: 1000 })
      store.lease("run_1", "lease/2", { tokens: 1000 })
      expect(store.lease("run_1", "lease/3", { tokens: 1 })).toEqual({ granted: { tokens: 0 }, until: 11 * DAY, retry: 11 * DAY })
      expect(store.lease("run_2", "lease/2", { tokens: 1 }).retry).toBe(clock.now + 5 * 60_000)
      expect(store.lease("run_3", "lease/2", { tokens: 1 }).retry).toBe(clock.now + 2.5 * 60_000)
      clock.now = 11 * DAY + 1
      expect(store.lease("run_2", "lease/3", { tokens: 1000 })).toEqual({ granted: { tokens: 1000 }, until: 12 * DAY })
    })
  })
})

describe("the port", () => {
  test("[B4] the tenant's object stores the limit and grants leases over RPC", async () => {
    const port = portOf(env, "b-port", "dayBudget")
    expect(await port.setting()).toEqual({})
    await port.put({ tokens: 640, steps: 64 })
    expect(await port.setting()).toEqual({ tokens: 640, steps: 64 })
    const lease = await port.lease("run_1", "start", {})
    expect(lease.granted).toEqual({ tokens: 20, steps: 2 })
    await port.close("run_1", lease.until, { tokens: 0, steps: 0 })
    expect((await port.lease("run_2", "lease/2", { tokens: 640, steps: 64 })).granted).toEqual({ tokens: 640, steps: 64 })
  })
})
