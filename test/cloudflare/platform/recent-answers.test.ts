// Answers that an isolate has cached [S18]: their age, also when the clock is set back.

import { expect, test } from "vitest"
import { MOMENT_MS, RecentAnswers } from "../../../src/cloudflare/platform/recent-answers.ts"

test("[H1] [S18] an answer of the future is asked for again: a clock that was set back keeps no revoked key", async () => {
  const recent = new RecentAnswers<number>(MOMENT_MS, 10)
  let [now, asked] = [1_000_000, 0]
  const get = (): Promise<number> => recent.get("k", { now: () => now, ask: async () => ++asked })
  await get()
  now -= 1
  expect(recent.recent("k", now)).toBeUndefined()
  expect([await get(), await get()]).toEqual([2, 2])
  now -= 3_600_000
  expect(await get()).toBe(3)
})

test("[S18] an answer is not young again when a clock that was set back comes to its time once more", async () => {
  const recent = new RecentAnswers<number>(MOMENT_MS, 10)
  let [now, asked] = [1_000_000, 0]
  const get = (key: string): Promise<number> => recent.get(key, { now: () => now, ask: async () => ++asked })
  await get("k")
  now -= 80_000
  await get("other")
  now += 81_000
  expect([recent.recent("k", now), await get("k")]).toEqual([undefined, 3])
})
