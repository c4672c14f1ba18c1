// The one alarm of a tenant's object [W3, W5, W6]: shared, never lost, and nobody's failure holds up the others.

import { afterEach, describe, expect, test, vi } from "vitest"
import { TenantAlarm } from "../../../src/cloudflare/tenant/tenant-alarm.ts"

afterEach(() => void vi.useRealTimers())

function stand(now = 1_000_000) {
  vi.useFakeTimers({ now, toFake: ["Date"] })
  const set: number[] = []
  const alarm = new TenantAlarm({
    setAlarm: async (at: number | Date) => {
      set.push(Number(at))
    },
  })
  return { alarm, set, now }
}

describe("the alarm", () => {
  test("[W3] the earliest wish counts, and one that comes early is not moved", () => {
    const { alarm, set, now } = stand()
    alarm.want(now + 500)
    alarm.want(now + 900)
    alarm.want(now + 100)
    alarm.want(now + 100)
    expect(set).toEqual([now + 500, now + 100])
  })

  test("[W3] the first wish after a wake-up forgets no older row", () => {
    const { alarm, set, now } = stand()
    alarm.share({ name: "old", due: () => now + 10, work: async () => {} })
    alarm.want(now + 500)
    expect(set).toEqual([now + 10])
  })

  test("[W3] a time in the past is the next instant, one far away is looked at on the way", () => {
    const { alarm, set, now } = stand()
    alarm.want(now - 5)
    expect(set).toEqual([now + 1])
    const far = stand()
    far.alarm.want(Number.MAX_SAFE_INTEGER)
    expect(far.set).toEqual([far.now + 30 * 86_400_000])
  })

  test("[W3] whoever is due works, the others are only asked, and the next time is set", async () => {
    const { alarm, set, now } = stand()
    const done: string[] = []
    let due: number | undefined = now
    alarm.share({ name: "a", due: () => due, work: async () => void (done.push("a"), (due = undefined)) })
    alarm.share({ name: "b", due: () => now + 700, work: async () => void done.push("b") })
    alarm.share({ name: "c", due: () => undefined, work: async () => void done.push("c") })
    await alarm.ring()
    expect([done, set]).toEqual([["a"], [now + 700]])
  })

  test("[W3] one that fails is tried again later and later; the others go on", async () => {
    const { alarm, set, now } = stand()
    const log = vi.spyOn(console, "error").mockImplementation(() => {})
    let fails = true
    let done = 0
    alarm.share({ name: "bad", due: () => now, work: async () => (fails ? Promise.reject(new Error("broken")) : void done++) })
    await alarm.ring()
    vi.setSystemTime(now + 2_000)
    await alarm.ring()
    expect(set).toEqual([now + 2_000, now + 2_000 + 4_000])
    fails = false
    await alarm.ring()
    expect([done, set.length]).toEqual([0, 3])
    vi.setSystemTime(now + 6_000)
    await alarm.ring()
    expect(done).toBe(1)
    expect(log).toHaveBeenCalledTimes(2)
    log.mockRestore()
  })
})
