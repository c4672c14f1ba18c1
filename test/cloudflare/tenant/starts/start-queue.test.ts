// Runs that wait for room [H6]: none is lost, whatever becomes of the row of its place, and none delays another.

import { afterEach, expect, test, vi } from "vitest"
import { RunIndex } from "../../../../src/cloudflare/tenant/run-list/run-index.ts"
import { StartGate } from "../../../../src/cloudflare/tenant/starts/start-gate.ts"
import { StartQueue } from "../../../../src/cloudflare/tenant/starts/start-queue.ts"
import { TenantSql } from "../../../../src/cloudflare/tenant/tenant-sql.ts"
import { DEFAULT_QUOTAS } from "../../../../src/ports/tenant/tenants.ts"
import { sqliteStorage } from "../../../support/cloudflare/sqlite-storage.ts"

afterEach(() => void vi.useRealTimers())

/** A queue with its gate, and run objects that do as the test says: what each answers to `release`. */
function stand(places: number) {
  const clock = { now: 1_000_000 }
  const sql = new TenantSql(sqliteStorage())
  const index = new RunIndex(sql, "t")
  const owed = new Set<string>()
  const objects = new Map<string, () => Promise<boolean>>()
  const begun: string[] = []
  const wanted: number[] = []
  const quotas = { ...DEFAULT_QUOTAS, concurrent_runs: places, starts_per_minute: 1_000 }
  const gate = new StartGate({
    live: () => index.live(),
    startedAfter: (since) => index.startedAfter(since),
    quotas: () => quotas,
    full: () => undefined,
    meet: () => false,
    now: () => clock.now,
    pause: async () => undefined,
  })
  const queue = new StartQueue({
    sql,
    gate,
    release: (run) =>
      objects.get(run)?.() ??
      Promise.resolve().then(() => {
        begun.push(run)
        report(run, "running", 2)
        return true
      }),
    isOwed: (run) => owed.has(run),
    hasBegun: (run) => index.hasBegun(run),
    want: (at) => void wanted.push(at),
    now: () => clock.now,
  })
  /** As the room of the list hears it. */
  const report = (id: string, status: string, seq: number): void => {
    const isOver = status !== "running" && status !== "queued"
    const before = index.lastReport(id)
    index.note({ id, flow: "f", status, created: clock.now, ...(isOver ? { ended: clock.now } : {}), view: { id, seq } })
    if (status === "queued") {
      if (before === undefined || before.seq === 0) queue.held(id)
    } else {
      queue.remove(id)
      gate.note(id, isOver)
    }
  }
  const hold = (...runs: readonly string[]): void => {
    for (const run of runs) {
      clock.now++
      queue.add(run)
      report(run, "queued", 0)
    }
  }
  return { clock, sql, queue, gate, objects, owed, begun, wanted, report, hold }
}

test("[H6] a run that is canceled while it waits leaves the queue at once, and the place goes to the next", async () => {
  const { queue, gate, begun, report, hold } = stand(1)
  expect(gate.take("r0").ok).toBe(true)
  report("r0", "running", 2)
  hold("r1", "r2", "r3")
  await queue.drain()
  expect(begun).toEqual([])
  report("r2", "canceled", 3)
  expect(queue.has("r2")).toBe(false)
  report("r0", "succeeded", 9)
  await queue.drain()
  expect(begun).toEqual(["r1"])
  report("r1", "succeeded", 9)
  await queue.drain()
  expect(begun).toEqual(["r1", "r3"])
  report("r3", "succeeded", 9)
  expect(gate.take("api").ok).toBe(true)
})

test("[H6] a row whose run has begun by another way takes no place", async () => {
  const { queue, gate, begun, report, hold, sql } = stand(1)
  hold("r1", "r2")
  report("r1", "canceled", 3)
  // A report of the past, after which its row is there again.
  sql.write((rows) => rows.exec("INSERT INTO start_queue (run, at, due) VALUES ('r1', 1, 1)"))
  await queue.drain()
  expect(begun).toEqual(["r2"])
  expect([queue.isEmpty(), gate.take("api").ok]).toEqual([true, false])
})

test("[H6] [W3] a start that is stored late keeps its place, although its row was given up before", async () => {
  const { clock, queue, objects, begun, owed, report, wanted } = stand(5)
  queue.add("r1")
  // Its object died before it had stored anything.
  objects.set("r1", () => Promise.resolve(false))
  clock.now += 130_000
  owed.add("r1")
  await queue.drain()
  expect(queue.has("r1")).toBe(true)
  owed.clear()
  clock.now += 130_000
  await queue.drain()
  expect([queue.has("r1"), queue.due()]).toEqual([false, undefined])
  objects.clear()
  wanted.length = 0
  report("r1", "queued", 0)
  expect(wanted.at(-1)).toBe(clock.now)
  await queue.drain()
  expect([begun, queue.isEmpty()]).toEqual([["r1"], true])
})

test("[H6] [J12] an object that does not answer delays no other, and an alarm waits for it", async () => {
  vi.useFakeTimers()
  const { clock, queue, objects, begun, hold } = stand(5)
  const answers: ((is: boolean) => void)[] = []
  objects.set("r1", () => new Promise((resolve) => answers.push(resolve)))
  objects.set("r2", () => Promise.reject(new Error("moved")))
  hold("r1", "r2", "r3")
  const first = queue.drain().catch((e: unknown) => e)
  expect(queue.due()).toBe(clock.now + 20_000)
  hold("r4")
  await queue.drain()
  expect(begun).toEqual(["r3", "r4"])
  await vi.advanceTimersByTimeAsync(20_000)
  clock.now += 20_000
  expect(await first).toMatchObject({ message: "moved" })
  // Both are tried again.
  expect([queue.has("r1"), queue.has("r2"), queue.due()]).toEqual([true, true, expect.any(Number)])
  objects.clear()
  clock.now += 10_000
  await queue.drain()
  expect(begun).toEqual(["r3", "r4", "r1", "r2"])
  answers[0]?.(true)
})
