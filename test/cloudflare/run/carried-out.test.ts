// A parent lets a child carry out an effect that it kept [K32]: a slow one is asked for again, and none for ever.

import { expect, test } from "vitest"
import { carriedOut } from "../../../src/cloudflare/run/family/run-family.ts"

function stand(answers: readonly unknown[]) {
  const asked: unknown[] = []
  const object = {
    ask: async (...call: unknown[]) => {
      asked.push(call)
      return answers[Math.min(asked.length, answers.length) - 1]
    },
  }
  const RUN = { idFromName: (name: string) => name, get: () => object }
  let now = 0
  const env = { RUN } as unknown as Parameters<typeof carriedOut>[0]["env"]
  return { asked, deps: { env, tenant: "t", now: () => (now += 60_000) } }
}
const EFFECT = { run: `run_${"a".repeat(26)}`, key: "a/1/0/c1", by: "ann" }

test("[K32] an effect that is still under way is asked for again, under the same key", async () => {
  const { asked, deps } = stand([{ state: "under_way" }, { state: "under_way" }, { state: "confirmed" }])
  expect(await carriedOut(deps, EFFECT, new AbortController().signal)).toEqual({ state: "confirmed" })
  expect(asked).toEqual([1, 2, 3].map(() => ["effects", "carryOut", [EFFECT.key, "ann"]]))
})

test("[K32] an effect that is never settled counts as uncertain after an hour", async () => {
  const { asked, deps } = stand([{ state: "under_way" }])
  const done = await carriedOut(deps, EFFECT, new AbortController().signal)
  expect(done).toMatchObject({ state: "uncertain", reason: expect.stringContaining("60 minutes") })
  expect(asked.length).toBe(60)
})
