// Scores without a model: an expectation, what a handler answers, and the draw of the sample.

import { expect, test } from "vitest"
import type { Json } from "../../../src/core/json.ts"
import type { Account } from "../../../src/core/score/account.ts"
import { codeAnswer } from "../../../src/core/score/code-answer.ts"
import { expectScore } from "../../../src/core/score/expect-score.ts"
import { isLevels, levelsOf } from "../../../src/core/score/levels.ts"
import { drawOf } from "../../../src/core/score/sample.ts"
import { ruleFor, scoringFaults } from "../../../src/core/score/scoring-setting.ts"
import { builtInScorer } from "../../../src/core/score/built-in.ts"

test("[V5] a handler answers a number, null, or { score, reason }; anything else is an error, which is no score", () => {
  expect(codeAnswer(0.5)).toEqual({ score: 0.5 })
  expect(codeAnswer(null)).toEqual({ score: null })
  expect(codeAnswer({ score: 1, reason: "short" })).toEqual({ score: 1, reason: "short" })
  const wrongs: readonly (Json | undefined)[] = [2, -1, "1", true, [1], { score: 2 }, { score: 1, why: "x" }, { reason: "x" }, undefined]
  for (const wrong of wrongs) expect(codeAnswer(wrong)).toMatchObject({ score: null, error: expect.any(String) })
})

test("[V1] a run that fits is 1, one that does not is 0 with its first misfit", () => {
  const account = { status: "failed", output: { n: 1 }, files: {} } as unknown as Account
  expect(expectScore({ status: "failed" }, account)).toEqual({ score: 1 })
  expect(expectScore({ status: "succeeded", output: { n: 2 } }, account)).toEqual({
    score: 0,
    reason: '/status: expected "succeeded", found "failed"',
  })
})

test("[V2] levels are 2 to 10 numbers from 0 to 1 with different texts", () => {
  const fits = (value: Record<string, unknown>): boolean => {
    const levels = levelsOf(value)
    return levels !== undefined && isLevels(levels)
  }
  expect(fits({ "0": "no", "0.5": "half", "1": "yes" })).toBe(true)
  for (const wrong of [{ "0": "no" }, { "0": "a", "1": "a" }, { "0": "a", "2": "b" }, { no: "a", "1": "b" }, { "0": "a", "0.0": "b" }])
    expect(fits(wrong)).toBe(false)
})

test("[V13] the draw follows from the id alone, and a larger sample contains a smaller one", () => {
  expect(drawOf("8000000000000" + "0".repeat(51))).toBe(0.5)
  expect(drawOf("0".repeat(64))).toBe(0)
  expect(drawOf("f".repeat(64))).toBeLessThan(1)
})

test("[V13] the first rule that matches counts; a scorer that is not there, and a judge without a budget, are faults", () => {
  const setting = {
    flows: [
      { match: "support*", scorers: ["tools-worked"], sample: 1 },
      { match: "*", scorers: ["criteria", "nope"], sample: 0.1 },
    ],
  }
  expect(ruleFor(setting, "support:mail")?.sample).toBe(1)
  expect(ruleFor(setting, "sales")?.sample).toBe(0.1)
  expect(scoringFaults(setting, builtInScorer).map(({ pointer }) => pointer)).toEqual(["/flows/1/scorers/0", "/flows/1/scorers/1"])
})
