// Feedback in the kernel [V19]: of one giver the newest counts, and a request that comes again is not newer.

import { expect, test } from "vitest"
import type { EventOf } from "../../../src/core/run/event.ts"
import { feedbackGiven, feedbackHeard } from "../../../src/core/run/said/said.ts"
import type { Run } from "../../../src/core/run/state.ts"

test("[V19] a request that comes again, after its giver has said something else, says nothing", () => {
  const run = {} as Run
  const say = (id: string, thumb: "up" | "down" | "none"): number => {
    const fact = { type: "feedback.given", id, by: "key", user: "u", thumb } as const
    const told = feedbackGiven(run, fact)
    if (!told.ok) throw new Error(told.error.code)
    for (const [i] of told.value.entries())
      feedbackHeard(run, { ...fact, seq: i, at: 1, v: 1, prev: "" } satisfies EventOf<"feedback.given">)
    return told.value.length
  }
  expect([say("a", "up"), say("a", "up"), say("b", "none"), say("a", "up"), say("b", "none")]).toEqual([1, 0, 1, 0, 0])
  expect(run.said?.feedback).toEqual({})
  expect(run.said?.given).toEqual({ keys: 2, pages: 0, grades: 0 })
})
