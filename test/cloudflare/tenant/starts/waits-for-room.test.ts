// Runs that wait for room alone [H6] stand in the line: none is lost, whatever becomes of the row of its place, and none delays another.

import { afterEach, expect, test, vi } from "vitest"
import { QueuedBefore } from "../../../../src/cloudflare/tenant/starts/queued-before.ts"
import { UNSAID } from "../../../../src/core/start/start-block.ts"
import type { LineAsk } from "../../../../src/ports/tenant/line.ts"
import { DEFAULT_QUOTAS } from "../../../../src/ports/tenant/tenants.ts"
import { lineStand } from "../../../support/cloudflare/line-stand.ts"

afterEach(() => void vi.useRealTimers())

const ask = (run: string, priority: "high" | "normal" = "normal"): LineAsk => ({
  run,
  flow: "f",
  kind: "webhook",
  block: { ...UNSAID, priority },
})

function stand(places: number) {
  const all = lineStand({ ...DEFAULT_QUOTAS, concurrent_runs: places, starts_per_minute: 1_000 })
  const { line, gate, told, settled } = all
  /** As the room of the list hears it. */
  const report = (run: string, how: "on" | "over"): void => {
    line.heard(run, how)
    gate.note(run, how === "over")
    if (how === "over") line.room()
  }
  const come = (...runs: readonly string[]) =>
    runs.map((run) => (line.arrive({ ...ask(run), block: UNSAID }), line.stored(ask(run), false)))
  const begun = async (): Promise<readonly string[]> => {
    await settled()
    return told.flatMap(([run, word]) => (typeof word === "object" && "word" in word ? [run] : []))
  }
  return { ...all, report, come, begun }
}

test("[H6] a run that is canceled while it waits leaves the line at once, and the place goes to the next", async () => {
  const { line, gate, begun, report, come } = stand(1)
  expect(gate.take("r0").ok).toBe(true)
  report("r0", "on")
  expect(come("r1", "r2", "r3")).toEqual([undefined, undefined, undefined])
  expect(line.waiting("r3")).toMatchObject({ reason: "room", ahead: 2 })
  expect(line.waiting("r3")).not.toHaveProperty("expires")
  report("r2", "over")
  expect(line.waits("r2")).toBe(false)
  report("r0", "over")
  expect(await begun()).toEqual(["r1"])
  report("r1", "on")
  report("r1", "over")
  expect(await begun()).toEqual(["r1", "r3"])
  report("r3", "on")
  report("r3", "over")
  expect([line.due(), gate.take("api").ok]).toEqual([undefined, true])
})

test("[H6] [R12] of those that wait for room the high one goes first, also if its block was read after its place was kept", async () => {
  const { line, gate, begun, report, come } = stand(1)
  gate.take("r0")
  report("r0", "on")
  come("r1")
  line.arrive(ask("r2"))
  expect(line.stored(ask("r2", "high"), false)).toBeUndefined()
  report("r0", "over")
  expect(await begun()).toEqual(["r2"])
})

test("[H6] a new run goes behind those that wait for room, also before their objects have stored them", () => {
  const { line } = stand(5)
  expect(line.waitsForRoom).toBe(false)
  line.arrive(ask("r1"))
  expect(line.waitsForRoom).toBe(true)
  line.stored(ask("r1"), false)
  expect(line.waitsForRoom).toBe(false)
})

test("[H6] a row whose run has begun by another way takes no place", () => {
  const { line, gate, report } = stand(1)
  line.arrive(ask("r1"))
  report("r1", "on")
  expect(line.waits("r1")).toBe(false)
  report("r1", "over")
  expect(gate.take("api").ok).toBe(true)
})

test("[H6] [W3] a start that is stored late keeps its place, although its row was given up before", async () => {
  const { clock, line, answers, owed } = stand(5)
  line.arrive(ask("r1"))
  // Its object died before it had stored anything.
  answers.set("r1", false)
  owed.add("r1")
  clock.now += 130_000
  await line.work()
  expect(line.waits("r1")).toBe(true)
  owed.clear()
  clock.now += 130_000
  await line.work()
  expect([line.waits("r1"), line.due()]).toEqual([false, undefined])
  expect(line.stored(ask("r1"), false)).toMatchObject({ began: clock.now })
})

test("[H6] [J12] an object that does not answer delays no other, and is told again", async () => {
  vi.useFakeTimers()
  const { clock, line, gate, answers, begun, report, come, told } = stand(3)
  for (const run of ["a", "b", "c"]) {
    gate.take(run)
    report(run, "on")
  }
  come("r1", "r2", "r3")
  answers.set("r1", "silent")
  answers.set("r2", new Error("moved"))
  for (const run of ["a", "b", "c"]) report(run, "over")
  const work = begun()
  await vi.advanceTimersByTimeAsync(20_000)
  expect(await work).toEqual(["r1", "r2", "r3"])
  answers.clear()
  clock.now += 10_000
  await line.work()
  expect(told.map(([run]) => run)).toEqual(["r1", "r2", "r3", "r1", "r2"])
  expect(line.due()).toBeUndefined()
})

test("[H6] what an earlier version had queued comes into the line, in its order, and its table is empty then", async () => {
  const { sql, line, begun } = stand(2)
  sql.begin()
  sql.write((rows) => {
    for (const [n, run] of ["r1", "r2", "r3", "owed"].entries())
      rows.exec("INSERT INTO start_queue (run, at, due) VALUES (?, ?, ?)", run, n, 1)
  })
  const asked: string[] = []
  const before = new QueuedBefore(sql, {
    async tell(run) {
      asked.push(run)
      line.stored(ask(run), false)
      return true
    },
    isOwed: (run) => run === "owed",
  })
  expect(before.due()).toBe(1)
  await before.work()
  expect([asked, before.due(), await begun()]).toEqual([["r1", "r2", "r3"], undefined, []])
  expect([line.waits("r1"), line.waits("r2"), line.waiting("r3")]).toMatchObject([false, false, { reason: "room" }])
})
