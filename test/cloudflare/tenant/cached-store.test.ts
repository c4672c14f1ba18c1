// A tenant's kept results [R41]: which leave, when, and what they count.

import { describe, expect, test } from "vitest"
import { tenantStores } from "../../../src/cloudflare/tenant/tenant-stores.ts"
import type { PassToKeep } from "../../../src/ports/tenant/cached-passes.ts"
import { FragileBlobs } from "../../support/engine/memory-catalog.ts"
import { sqliteStorage } from "../../support/cloudflare/sqlite-storage.ts"

const HOUR = 3_600_000

async function founded() {
  const wanted: number[] = []
  const storage = sqliteStorage()
  const stores = tenantStores(storage, { ENVIRONMENT: "local" }, "local", { blobs: new FragileBlobs(), want: (at) => wanted.push(at) })
  // The tenant's tables are there, as an earlier build left them.
  await stores.keys.create({ name: "k", scopes: [] })
  return { ...stores, storage, wanted, now: Date.now() }
}
const passOf = (n: number, now: number, { flow = "f", step = "a", until = now + HOUR, size = 1 } = {}): PassToKeep => ({
  digest: `digest_${n}`,
  flow,
  step,
  until,
  kept: { run: `run_${n}`, asked: now, finish: { summary: "x".repeat(size), outputs: {} }, marks: {} },
})
const find = (n: number, since = 0, run = "run_other") => ({ digest: `digest_${n}`, run, since })

test("[R41] a tenant without such a step has no table, no row and no alarm, whatever is asked of it", async () => {
  const { cached, storage, wanted, sql } = await founded()
  expect(cached.find(find(1))).toBeUndefined()
  cached.gone("run_1")
  cached.forget("f")
  cached.sweep(Date.now())
  expect([cached.due(), wanted]).toEqual([undefined, []])
  expect(storage.sql.exec("SELECT name FROM sqlite_master WHERE name LIKE 'cached%'").toArray()).toEqual([])
  expect(sql.has("cached_pass")).toBe(false)
})

test("[R38] found is the newest result of a digest, of another run, and none that is older than asked for", async () => {
  const { cached, now } = await founded()
  cached.keep(passOf(1, now))
  expect(cached.find(find(1))).toMatchObject({ run: "run_1", finish: { summary: "x" } })
  expect(cached.find(find(1, now + 1))).toBeUndefined()
  expect(cached.find(find(1, 0, "run_1"))).toBeUndefined()
  expect(cached.find(find(2))).toBeUndefined()
  const newer = passOf(1, now)
  cached.keep({ ...newer, kept: { ...newer.kept, run: "run_2" } })
  expect(cached.find(find(1))?.run).toBe("run_2")
})

test("[R41] a result leaves with its run, its flow, its step and its time; what is left of it is overwritten, and its bytes are free", async () => {
  const { cached, used, now, storage, wanted, deletedRuns, sql } = await founded()
  for (const n of [1, 2, 3, 4]) cached.keep(passOf(n, now, { step: n === 2 ? "b" : "a", flow: n === 3 ? "g" : "f" }))
  const one = used.used().cache
  expect([one > 0, used.used().total]).toEqual([true, one])
  expect(wanted).toEqual([Math.ceil((now + HOUR) / HOUR) * HOUR])
  const version = sql.version
  cached.gone("run_1")
  cached.forget("f", "b")
  expect([1, 2, 3, 4].map((n) => cached.find(find(n)) !== undefined)).toEqual([false, false, true, true])
  cached.forget("g")
  cached.sweep(now + HOUR)
  expect([1, 2, 3, 4].filter((n) => cached.find(find(n)))).toEqual([])
  expect([used.used().cache, cached.due()]).toEqual([0, undefined])
  expect(storage.sql.exec("SELECT * FROM cached_pass").toArray()).toEqual([])
  // [F71] No desk loses its lease for any of this.
  expect(sql.version).toBe(version)
  // A word that comes after the run is gone.
  deletedRuns.add("run_5")
  cached.keep(passOf(5, now))
  cached.keep(passOf(6, now, { until: now - 1 }))
  expect([5, 6].filter((n) => cached.find(find(n)))).toEqual([])
})

test("[R41] results that are over go a thousand at a time, and the alarm rings until all are gone", async () => {
  const { cached, now, storage } = await founded()
  cached.keep(passOf(0, now))
  storage.sql.exec(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
     INSERT INTO cached_pass (digest, flow, step, run, asked, until, bytes, body) SELECT 'digest_' || i, 'f', 'a', 'run_' || i, ?, ?, 1, '{}' FROM n`,
    now,
    now + HOUR,
  )
  const { cached: woken } = tenantStores(storage, { ENVIRONMENT: "local" }, "local", { blobs: new FragileBlobs() })
  woken.sweep(now + HOUR)
  expect(storage.sql.exec("SELECT count(*) AS n FROM cached_pass").one()).toEqual({ n: 201 })
  expect(woken.due()).toBeLessThan(now + 2 * HOUR)
  woken.sweep(now + HOUR)
  expect(woken.due()).toBeUndefined()
})

describe("[R41] when newer ones need its place", () => {
  test("the oldest leaves: 10,000 results", async () => {
    const { cached, now, storage } = await founded()
    cached.keep(passOf(0, now))
    storage.sql.exec(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
       INSERT INTO cached_pass (digest, flow, step, run, asked, until, bytes, body) SELECT 'digest_' || i, 'f', 'a', 'run_' || i, ?, ?, 1, '{}' FROM n`,
      now,
      now + HOUR,
    )
    const { cached: woken } = tenantStores(storage, { ENVIRONMENT: "local" }, "local", { blobs: new FragileBlobs() })
    woken.keep(passOf(10_000, now))
    expect([0, 1, 10_000].map((n) => woken.find(find(n)) !== undefined)).toEqual([false, true, true])
    expect(storage.sql.exec("SELECT count(*) AS n FROM cached_pass").one()).toEqual({ n: 10_000 })
  })

  test("as many of the oldest leave as a new one needs: 256 MiB", async () => {
    const { cached, now, storage, used } = await founded()
    for (const n of [1, 2, 3]) cached.keep(passOf(n, now, { size: 60_000 }))
    used.takeCache(268_435_456 - used.used().cache - 10_000)
    cached.keep(passOf(4, now, { size: 60_000 }))
    expect([1, 2, 3, 4].map((n) => cached.find(find(n)) !== undefined)).toEqual([false, true, true, true])
    expect(used.used().cache).toBeLessThanOrEqual(268_435_456)
    expect(storage.sql.exec("SELECT count(*) AS n FROM cached_pass").one()).toEqual({ n: 3 })
  })

  test("where the tenant's storage is full nothing is kept, and what there is stays", async () => {
    const { cached, now, account, used } = await founded()
    cached.keep(passOf(1, now))
    account.putQuotas({ storage_bytes: used.used().total + 10 })
    cached.keep(passOf(2, now))
    expect([1, 2].map((n) => cached.find(find(n)) !== undefined)).toEqual([true, false])
  })
})

test("[R41] what a failed write had made is not taken for there", async () => {
  const { sql, cached, now } = await founded()
  expect(() =>
    sql.write(() => {
      sql.make("cached_pass")
      throw new Error("the disk is full")
    }),
  ).toThrow("full")
  expect(cached.find(find(1))).toBeUndefined()
  cached.keep(passOf(1, now))
  expect(cached.find(find(1))).toBeDefined()
})
