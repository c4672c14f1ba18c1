// The single alarm of an object, derived from what the object waits for and owes.

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { AlarmOwners } from "../../../src/cloudflare/platform/alarm-owners.ts"

const NOW = 1_000_000
const DAY = 86_400_000

beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ["Date"] }))
afterEach(() => void vi.useRealTimers())

async function stand(stored: number | null = null) {
  /** What was asked of the platform; null: the alarm was deleted. */
  const asked: (number | null)[] = []
  const alarm = new AlarmOwners({
    getAlarm: async () => stored,
    setAlarm: async (at: number | Date) => void asked.push(Number(at)),
    deleteAlarm: async () => void asked.push(null),
  })
  await alarm.look()
  return { alarm, asked }
}

describe("the alarm of an object", () => {
  test("[J12] rings for the earliest of its owners, and is not moved for a later one", async () => {
    const { alarm, asked } = await stand()
    alarm.want("a", NOW + 500)
    alarm.want("b", NOW + 900)
    alarm.want("c", NOW + 100)
    expect(asked).toEqual([NOW + 500, NOW + 100])
  })

  test("[J12] an alarm that is overdue is not put off by an owner that wants a later time", async () => {
    const { alarm, asked } = await stand()
    alarm.share("rows", () => NOW + 100)
    alarm.settle()
    vi.setSystemTime(NOW + 2_000)
    alarm.want("messages", NOW + 15_000)
    expect(asked).toEqual([NOW + 100, NOW + 2_001])
    alarm.rang()
    alarm.want("messages", NOW + 16_000)
    expect(asked.at(-1)).toBe(NOW + 2_001)
  })

  test("[J12] an alarm that rings before its time by the object's clock is set again for the platform's", async () => {
    const { alarm, asked } = await stand()
    alarm.want("run", NOW + 5_000)
    vi.setSystemTime(NOW + 3_100)
    alarm.rang()
    alarm.settle()
    expect(asked).toEqual([NOW + 5_000, NOW + 6_900])
  })

  test("[J12] an owner removes its own time only", async () => {
    const { alarm, asked } = await stand()
    alarm.want("watchdog", NOW + 10_000)
    alarm.want("asks again", NOW + 12_000)
    alarm.drop("watchdog")
    alarm.rest()
    expect(asked).toEqual([NOW + 10_000, NOW + 12_000])
    alarm.want("asks again", undefined)
    alarm.rest()
    expect(asked).toEqual([NOW + 10_000, NOW + 12_000, null])
  })

  test("[J12] after it rang for one owner it is set for the others", async () => {
    const { alarm, asked } = await stand()
    alarm.want("soon", NOW + 100)
    alarm.want("late", NOW + 5_000)
    vi.setSystemTime(NOW + 100)
    alarm.rang()
    alarm.settle()
    expect([asked, alarm.next]).toEqual([[NOW + 100, NOW + 5_000], NOW + 5_000])
  })

  test("[J12] is set as long as something is owed, however often it rings", async () => {
    const { alarm, asked } = await stand()
    let isOwed = true
    alarm.share("messages", () => (isOwed ? Date.now() + 10_000 : undefined))
    alarm.settle()
    for (const ring of [1, 2]) {
      vi.setSystemTime(NOW + ring * 10_000)
      alarm.rang()
      expect(alarm.unkept).toBe("messages")
      alarm.settle()
      expect(alarm.unkept).toBe(undefined)
    }
    isOwed = false
    vi.setSystemTime(NOW + 30_000)
    alarm.rang()
    alarm.settle()
    expect(asked).toEqual([NOW + 10_000, NOW + 20_000, NOW + 30_000])
  })

  test("[J12] what before the object restarted set stays until it rings", async () => {
    const { alarm, asked } = await stand(NOW + 300)
    alarm.want("watchdog", NOW + 10_000)
    alarm.drop("watchdog")
    alarm.rest()
    expect(asked).toEqual([])
    alarm.want("retention", NOW + DAY)
    vi.setSystemTime(NOW + 300)
    alarm.rang()
    alarm.settle()
    expect(asked).toEqual([NOW + DAY])
  })

  test("[J12] before the stored alarm is known, rows count beside what is said", () => {
    const asked: number[] = []
    const alarm = new AlarmOwners({ setAlarm: async (at: number | Date) => void asked.push(Number(at)) })
    alarm.share("rows", () => NOW + 10)
    alarm.want("said", NOW + 500)
    expect(asked).toEqual([NOW + 10])
  })

  test("[J12] a time that has passed rings at once, and is not lost at rest", async () => {
    const { alarm, asked } = await stand()
    alarm.want("retry", NOW + 50)
    // The platform's alarm is late.
    vi.setSystemTime(NOW + 80)
    alarm.rest()
    expect(asked).toEqual([NOW + 50, NOW + 81])
  })

  test("[J12] a far time is approached in steps, and a moment of a far one costs nothing", async () => {
    const { alarm, asked } = await stand()
    alarm.want("far", Number.MAX_SAFE_INTEGER)
    alarm.want("watchdog", NOW + 10_500)
    alarm.want("watchdog", NOW + 10_000)
    alarm.want("timer", NOW + 5_000)
    alarm.want("timer", NOW + 4_999)
    expect(asked).toEqual([NOW + 30 * DAY, NOW + 10_500, NOW + 5_000, NOW + 4_999])
  })

  test("[J12] deleted storage has no alarm and no owners that said a time", async () => {
    const { alarm, asked } = await stand()
    alarm.want("a", NOW + 500)
    alarm.forget()
    alarm.settle()
    expect([asked, alarm.next, alarm.unkept]).toEqual([[NOW + 500], undefined, undefined])
  })
})
