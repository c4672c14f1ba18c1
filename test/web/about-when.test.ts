import { expect, test } from "vitest"
import { aboutWhen, aboutWords, usualOf } from "../../web/start/about-when.ts"
import { mergedWords } from "../../web/start/merged-words.ts"

test("[R23] about when: runs before it take as long as such runs usually do, and places are taken as they become free", () => {
  expect(usualOf([1, 2])).toBeUndefined()
  expect(usualOf([9, 1, 5])).toBe(5)
  expect(aboutWhen({ ahead: 0, limit: 1, atWork: [20] }, 60)).toBe(40)
  expect(aboutWhen({ ahead: 2, limit: 1, atWork: [20] }, 60)).toBe(160)
  expect(aboutWhen({ ahead: 0, limit: 1, atWork: [90] }, 60)).toBe(0)
  expect(aboutWhen({ ahead: 1, limit: 2, atWork: [20, 50] }, 60)).toBe(40)
  expect(aboutWhen({ ahead: 2, limit: 2, atWork: [20, 50] }, 60)).toBe(70)
  expect(aboutWhen({ ahead: 0, limit: 2, atWork: [20] }, 60)).toBe(0)
  expect([2_000, 31_000, 240_000, 7_300_000].map(aboutWords)).toEqual(["in a moment", "in about 40 s", "in about 4 min", "in about 2 h"])
})

test("[R9] a run of several starts says when the first came, and which inputs count", () => {
  const time = (at: number): string => `t${at}`
  expect(mergedWords({ merged: 4, arrived: 1, began: 9 }, false, time)).toBe(
    "One run for 4 starts. The first came at t1, and the run began at t9. The inputs of the last one count.",
  )
  expect(mergedWords({ merged: 2, arrived: 1 }, true, time)).toBe(
    "One run for 2 starts. The first came at t1. The run has what each of them brought, in the order of arrival.",
  )
})
