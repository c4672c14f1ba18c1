import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { Waiters } from "../../../src/cloudflare/platform/waiters.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test("all wait for one change, each for its own time, and leave no timer", async () => {
  const waiters = new Waiters()
  const woken: string[] = []
  const waits = (name: string, ms: number): Promise<unknown> => waiters.wait(ms).then(() => woken.push(name))
  const all = [waits("short", 10), waits("long", 1_000), waits("longer", 2_000)]
  await vi.advanceTimersByTimeAsync(10)
  expect([woken, waiters.size]).toEqual([["short"], 2])
  waiters.wake()
  await Promise.all(all)
  expect([woken, waiters.size, vi.getTimerCount()]).toEqual([["short", "long", "longer"], 0, 0])
})
