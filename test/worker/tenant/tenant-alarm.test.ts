// The single alarm of a tenant's object [W3, W5, W6]: shared, never lost, and a failing user does not delay the others.

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
  test("[W3] the earliest time counts, and an alarm that is already earlier is not moved", () => {
    const { alarm, set, now } = stand()
    alarm.want(now + 500)
    alarm.want(now + 900)
    alarm.want(now + 100)
    alarm.want(now + 100)
    expect(set).toEqual([now + 500, now + 100])
  })

  test("[W3] the first time after a wake-up also considers older rows", () => {
    const { alarm, set, now } = stand()
    alarm.share({ name: "old", due: () => now + 10, work: async () => {} })
    alarm.want(now + 500)
    expect(set).toEqual([now + 10])
  })

  test("[W3] a time in the past becomes the next instant, and a distant time is approached in steps", () => {
    const { alarm, set, now } = stand()
    alarm.want(now - 5)
    expect(set).toEqual([now + 1])
    const far = stand()
    far.alarm.want(Number.MAX_SAFE_INTEGER)
    expect(far.set).toEqual([far.now + 30 * 86_400_000])
  })

  test("[W3] users that are due do their work, the others do not, and the next time is set", async () => {
    const { alarm, set, now } = stand()
    const done: string[] = []
    let due: number | undefined = now
    alarm.share({ name: "a", due: () => due, work: async () => void (done.push("a"), (due = undefined)) })
    alarm.share({ name: "b", due: () => now + 700, work: async () => void done.push("b") })
    alarm.share({ name: "c", due: () => undefined, work: async () => void done.push("c") })
    await alarm.ring()
    expect([done, set]).toEqual([["a"], [now + 700]])
  })

  test("[W3] a user that fails is retried after growing delays; the others are not affected", async () => {
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
    // Objects of other tests may log too.
    expect(log.mock.calls.filter(([line]) => String(line).includes("broken"))).toHaveLength(2)
    log.mockRestore()
  })
})

test("[J12] work that the alarm waits for no longer gets an alarm for what it writes at its end", async () => {
  vi.useFakeTimers({ now: 1_000_000 })
  const log = vi.spyOn(console, "error").mockImplementation(() => {})
  const set: number[] = []
  const alarm = new TenantAlarm({ setAlarm: async (at: number | Date) => void set.push(Number(at)) })
  let due: number | undefined = 1_000_000
  const done = Promise.withResolvers<void>()
  alarm.share({
    name: "slow",
    due: () => due,
    async work() {
      due = undefined
      await done.promise
      due = 2_000_000
    },
  })
  const ringing = alarm.ring()
  await vi.advanceTimersByTimeAsync(60_000)
  await ringing
  expect(set).toEqual([])
  done.resolve()
  await vi.advanceTimersByTimeAsync(0)
  expect(set).toEqual([2_000_000])
  expect(alarm.unkept).toBeUndefined()
  log.mockRestore()
})

describe("a clock that is set back", () => {
  test("[J12] what lies further ahead than it can is computed anew, when the object wakes and when it notices", async () => {
    const { alarm, set, now } = stand(10_000_000)
    let due = now + 3_600_000
    const mended: number[] = []
    alarm.share({
      name: "far",
      due: () => due,
      work: async () => {},
      mend(at) {
        mended.push(at)
        due = Math.min(due, at + 60_000)
      },
    })
    alarm.look()
    expect([mended, set]).toEqual([[now], [now + 60_000]])
    alarm.look()
    vi.setSystemTime(now - 9_000)
    alarm.look()
    expect(mended).toHaveLength(1)
    vi.setSystemTime(now - 5_000_000)
    alarm.want(now)
    expect(mended).toEqual([now, now - 5_000_000])
    expect(set.at(-1)).toBe(now - 5_000_000 + 60_000)
    expect(alarm.unkept).toBeUndefined()
  })

  test("[J12] an object that wakes with nothing to mend sets no alarm", () => {
    const { alarm, set, now } = stand()
    alarm.share({ name: "near", due: () => now + 5_000, work: async () => {}, mend: () => undefined })
    alarm.look()
    expect(set).toEqual([])
  })
})
