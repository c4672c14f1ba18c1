// The sweep that tells ended runs of a shorter retention [H6]: a newer one is not forgotten, and one run that cannot be told delays no other.

import { expect, test } from "vitest"
import { RetentionSweep } from "../../../../src/cloudflare/tenant/run-list/retention-sweep.ts"
import { SweepStore } from "../../../../src/cloudflare/tenant/run-list/sweep-store.ts"
import { TenantSql } from "../../../../src/cloudflare/tenant/tenant-sql.ts"
import { sqliteStorage } from "../../../support/cloudflare/sqlite-storage.ts"

const IDS = Array.from({ length: 250 }, (_, n) => `run_${String(n).padStart(3, "0")}`)

function stand(notify: (run: string) => Promise<void>) {
  const store = new SweepStore(new TenantSql(sqliteStorage()))
  const clock = { now: 1_000_000 }
  const endedAfter = (id: string, limit: number): string[] => IDS.filter((one) => one > id).slice(0, limit)
  const wanted: number[] = []
  const want = (at: number): void => void wanted.push(at)
  const sweep = new RetentionSweep({ store, runs: { endedAfter }, notify, want, now: () => clock.now })
  /** As the alarm does, until nothing is due. */
  const rings = async (most = 50): Promise<void> => {
    for (let n = 0; n < most && (sweep.due() ?? Infinity) <= clock.now; n++) await sweep.work()
  }
  return { store, sweep, clock, rings, wanted }
}

test("[J12] rows that are written after the alarm gave up waiting have an alarm of their own", async () => {
  const { store, sweep, clock, wanted } = stand(async () => {
    throw new Error("broken")
  })
  store.begin()
  await sweep.work()
  // There is more to tell.
  expect(wanted).toEqual([0])
  for (let n = 0; n < 4; n++) await sweep.work()
  expect(store.underWay()).toBeUndefined()
  expect(wanted.at(-1)).toBe(clock.now + 60_000)
})

test("[H6] a retention that is shortened again during a sweep tells all runs again", async () => {
  let told: string[] = []
  const { store, sweep, rings } = stand(async (run) => {
    told.push(run)
    // Both in the first batch, whose place is the same before and after it, and in a later one.
    if (told.length === 3 || told.length === 153) store.begin()
  })
  store.begin()
  await sweep.work()
  expect(store.underWay()?.at).toBe("")
  await sweep.work()
  expect(store.underWay()?.at).toBe("")
  told = told.slice(-1)
  await rings()
  expect(new Set(told).size).toBe(IDS.length)
  expect(sweep.due()).toBeUndefined()
})

test("[H6] [J12] runs that never answer delay no other, and are told when they answer", async () => {
  const broken = new Set(IDS.slice(0, 9))
  const told = new Set<string>()
  const { store, sweep, clock, rings } = stand(async (run) => {
    if (broken.has(run)) throw new Error("broken")
    told.add(run)
  })
  store.begin()
  await rings()
  expect(told.size).toBe(IDS.length - broken.size)
  expect([store.underWay(), store.earliest()]).toEqual([undefined, clock.now + 60_000])
  // They are tried less and less often.
  for (let n = 0; n < 20; n++) {
    clock.now = sweep.due() ?? clock.now
    await rings()
  }
  expect((sweep.due() ?? 0) - clock.now).toBe(3_600_000)
  broken.clear()
  store.forget("run_000")
  clock.now = sweep.due() ?? clock.now
  await rings()
  expect(told.size).toBe(IDS.length - 1)
  expect(sweep.due()).toBeUndefined()
})
