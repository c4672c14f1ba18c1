// When a run's object is woken, and how often it sets its alarm for that.

import { runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, test, vi } from "vitest"
import { RunAlarm } from "../../../src/cloudflare/run/run-alarm.ts"
import { agent, ask, call, ended, flow, runOf, start, stub, until } from "../../support/worker/house.ts"

const FLOWS = {
  "asks.yaml": flow("asks", "  - { id: w, type: wait, signal: go }\n  - { id: a, agent: a, blockedBy: w }\n"),
  "sleeps.yaml": flow("sleeps", "  - { id: w, type: wait, for: 1h }\n"),
}

beforeAll(() => ask("PUT", "/v1/catalog", { agents: { "a.md": agent("a") }, flows: FLOWS }))

const alarmOf = (id: string): Promise<number | null> => runInDurableObject(stub(id), (_, { storage }) => storage.getAlarm())

async function counted(body: (alarm: RunAlarm, sets: () => number) => Promise<void>): Promise<void> {
  await runInDurableObject(env.RUN.get(env.RUN.idFromName("alarm/slack")), async (_, { storage }) => {
    let sets = 0
    const alarm = new RunAlarm({
      getAlarm: () => storage.getAlarm(),
      deleteAlarm: () => storage.deleteAlarm(),
      setAlarm: async (at) => {
        sets++
        await storage.setAlarm(at)
      },
    })
    await alarm.look()
    await body(alarm, () => sets)
    await storage.deleteAlarm()
  })
}

describe("the alarm", () => {
  test("[J12] is not set again for a watchdog a moment earlier, but for a time that the run waits for", () =>
    counted(async (alarm, sets) => {
      const now = Date.now()
      alarm.want("run", now + 10_500)
      alarm.watch("watchdog")
      alarm.watch("watchdog")
      expect(sets()).toBe(1)
      alarm.want("run", now + 5_000)
      alarm.want("run", now + 4_999)
      expect(sets()).toBe(3)
    }))

  test("[J13] a run that waits for a signal is not woken in vain", async () => {
    const id = await start("asks", { rehearse: true })
    await until(id, (r) => r.status === "waiting")
    await vi.waitFor(async () => expect(await alarmOf(id)).toBe(null), { timeout: 60_000 })
    expect((await call("POST", `/v1/runs/${id}/signals/go`, { ok: true })).status).toBeLessThan(300)
    expect((await until(id, ended)).status).toBe("succeeded")
    // Its deletion.
    await vi.waitFor(async () => expect(await alarmOf(id)).toBeGreaterThan(Date.now() + 3_600_000), { timeout: 60_000 })
  })

  test("[J13] a run that waits for a time is woken by it alone", async () => {
    const id = await start("sleeps", { rehearse: true })
    await until(id, (r) => r.status === "waiting")
    await vi.waitFor(async () => expect(await alarmOf(id)).toBeGreaterThan(Date.now() + 3_000_000), { timeout: 60_000 })
    expect((await runOf(id)).status).toBe("waiting")
  })
})
