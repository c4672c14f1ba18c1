// Feedback in the kernel [V19]: of one giver the newest counts, and a request that comes again is not newer.

import { expect, test } from "vitest"
import type { EventOf } from "../../../src/core/run/event.ts"
import { correctionIn, feedbackGiven, feedbackHeard, shownFeedback, thumbsOf } from "../../../src/core/run/said/said.ts"
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

test("[V30] of one giver the newest correction counts, grades apart, and `none` takes it back", () => {
  const given = (seq: number, more: object) =>
    ({ type: "feedback.given", id: `${seq}`, by: "key", user: "u", seq, at: seq, v: 1, prev: "", ...more }) as EventOf<"feedback.given">
  const [old, other, grade, back] = [
    given(1, { correction: "a" }),
    given(2, { correction: "b", user: "w" }),
    given(3, { correction: "c", scorer: "helpful", score: 1 }),
    given(4, { thumb: "none", user: "w" }),
  ] as const
  const newest = (...events: readonly EventOf<"feedback.given">[]) => correctionIn(events.toReversed())?.correction
  expect([newest(old, other), newest(old, other, grade), newest(old, other, grade, back), newest(grade)]).toEqual([
    "b",
    "b",
    "a",
    undefined,
  ])
  const run = {} as Run
  for (const e of [old, other, grade]) feedbackHeard(run, e)
  expect(run.said && shownFeedback(run.said)).toEqual({ up: 0, down: 0, corrected: 2, mean: undefined })
  feedbackHeard(run, back)
  expect(run.said && shownFeedback(run.said)).toMatchObject({ corrected: 1 })
  expect(thumbsOf(run.said ?? { feedback: {} })).toBeUndefined()
})
