// [V41] What an experiment says of a write: all scorers must pass, and what nobody can rely on is undecided.

import { expect, test } from "vitest"
import type { RowDone, TrialDone } from "../../../src/core/experiment/counted-row.ts"
import { verdictOf, type JudgedWrite } from "../../../src/core/experiment/verdict.ts"
import { GateFailed } from "../../../src/ports/tenant/authoring/gate.ts"
import { whole } from "../statistics/whole.ts"

const trial = (variant: string, scores: TrialDone["scores"], state: TrialDone["state"] = "succeeded"): TrialDone => ({
  variant,
  repeat: 1,
  state,
  scores,
  usd: 0,
  tokens: 0,
  ms: 0,
})
const row = (i: number, was: TrialDone["scores"], is: TrialDone["scores"]): RowDone => ({
  row: `row_${String(i).padStart(3, "0")}`,
  same: false,
  trials: [trial("now", was), trial("write", is)],
})
const rows = (n: number, was: TrialDone["scores"], is: TrialDone["scores"]): RowDone[] =>
  Array.from({ length: n }, (_, i) => row(i, was, is))
const judged = (all: RowDone[], more: Partial<JudgedWrite> = {}) =>
  whole(
    verdictOf({
      dataset: "d",
      experiment: "exp_1",
      rows: all,
      pair: ["now", "write"],
      margins: { fine: 0.05 },
      repeats: 1,
      flags: [],
      tries: 1,
      seed: "ab".repeat(32),
      ...more,
    }),
  )

test("[V41] rows that are the same pass, few or many, and show no figures", () => {
  const same: RowDone[] = [{ row: "row_1", same: true, trials: [] }]
  expect(judged(same)).toEqual({ decision: "passed", dataset: "d", experiment: "exp_1", rows: 1, same: 1, tries: 1 })
})

test("[V41] few rows prove little: ten equal scores are undecided by 5 points and pass by 50", () => {
  expect(judged(rows(10, { fine: 1 }, { fine: 1 }))).toMatchObject({
    decision: "undecided",
    needs: 60,
    scorers: { fine: { n: 10, difference: 0 } },
  })
  expect(judged(rows(10, { fine: 1 }, { fine: 1 }), { margins: { fine: 0.5 } }).decision).toBe("passed")
  expect(judged(rows(80, { fine: 1 }, { fine: 1 })).decision).toBe("passed")
})

test("[V41] each scorer must pass, and one that is worse makes the write worse", () => {
  const all = rows(80, { fine: 1, kind: 1 }, { fine: 1, kind: 0 })
  const margins = { fine: 0.05, kind: 0.05 }
  expect(judged(all, { margins })).toMatchObject({
    decision: "worse",
    scorers: { fine: { decision: "passed" }, kind: { decision: "worse", difference: -1 } },
  })
  expect(judged(all, { margins: { fine: 0.05 } }).decision).toBe("passed")
})

test("[V41] [V42] with four tries the percentile is a quarter of five", () => {
  const all = rows(62, { fine: 1 }, { fine: 1 })
  expect([1, 4].map((tries) => judged(all, { tries }).decision)).toEqual(["passed", "undecided"])
})

test("[V36] [V41] an incomplete or uneven experiment is undecided, whatever its figures are", () => {
  for (const flag of ["incomplete", "uneven"] as const)
    expect(judged(rows(80, { fine: 1 }, { fine: 1 }), { flags: [flag] })).toMatchObject({ decision: "undecided", why: expect.any(String) })
  expect(judged(rows(80, { fine: 1 }, { fine: 1 }), { flags: ["few_rows", "judge_flagged"] }).decision).toBe("passed")
})

test("[V41] a refusal says the figures: what was lost, at worst, and what is allowed", () => {
  const score = judged(rows(80, { fine: 1 }, { fine: 0 }))
  expect(new GateFailed({ flows: [{ flow: "f", score }] }).message).toBe(
    "Nothing was written: the change breaks f (worse: fine -100 points, at worst -100, where -5 is allowed).",
  )
})
