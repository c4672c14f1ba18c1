// Work that may take only so long, and the timers that are gone when it is done.

import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { deadline, every, inTime, later, pause } from "../../src/ports/timers.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = new Promise<string>(() => {})

test("work in time is answered, and leaves no timer", async () => {
  expect(await inTime(Promise.resolve("done"), 1_000, () => "late")).toBe("done")
  await expect(inTime(Promise.reject(new Error("no")), 1_000, () => "late")).rejects.toThrow("no")
  expect(vi.getTimerCount()).toBe(0)
})

test("late work is answered by what was agreed: a value or an error", async () => {
  const value = inTime(never, 1_000, () => "late")
  const error = inTime(never, 1_000, () => {
    throw new Error("too late")
  }).catch((e: unknown) => String(e))
  await vi.advanceTimersByTimeAsync(999)
  expect(vi.getTimerCount()).toBe(2)
  await vi.advanceTimersByTimeAsync(1)
  expect([await value, await error]).toEqual(["late", "Error: too late"])
})

test("a deadline aborts with its message, unless it ended before", async () => {
  const [kept, missed] = [deadline(10, "timed out"), deadline(10, "timed out")]
  kept.end()
  await vi.advanceTimersByTimeAsync(10)
  expect([kept.signal.aborted, missed.signal.reason]).toEqual([false, new Error("timed out")])
  expect(vi.getTimerCount()).toBe(0)
})

test("a pause ends when it is over or aborted", async () => {
  const stop = new AbortController()
  const paused = [pause(50), pause(1_000, stop.signal), pause(1_000, AbortSignal.abort())]
  await vi.advanceTimersByTimeAsync(50)
  stop.abort()
  await Promise.all(paused)
  expect(vi.getTimerCount()).toBe(0)
})

test("work is done later, or again and again, until it is canceled", async () => {
  const done: string[] = []
  const cancels = [later(() => done.push("later"), 10), later(() => done.push("never"), 10), every(() => done.push("again"), 10)]
  cancels[1]?.()
  await vi.advanceTimersByTimeAsync(20)
  cancels[2]?.()
  expect([done, vi.getTimerCount()]).toEqual([["later", "again", "again"], 0])
})
