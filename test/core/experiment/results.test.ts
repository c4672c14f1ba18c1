import { expect, test } from "vitest"
import type { RowDone, TrialDone } from "../../../src/core/experiment/counted-row.ts"
import { resultsOf, type Experimented } from "../../../src/core/experiment/results.ts"
import { whole } from "../statistics/whole.ts"

const trial = (variant: string, score: number | null | undefined, more: Partial<TrialDone> = {}): TrialDone => ({
  variant,
  repeat: 1,
  state: "succeeded",
  scores: score === undefined ? {} : { helpful: score },
  usd: 0.01,
  tokens: 100,
  ms: 1_000,
  ...more,
})
const row = (i: number, trials: TrialDone[], more: Partial<RowDone> = {}): RowDone => ({
  row: `row_${String(i).padStart(3, "0")}`,
  same: false,
  trials,
  ...more,
})
const same = (i: number): RowDone => row(i, [], { same: true })
const experiment = (rows: RowDone[], more: Partial<Experimented> = {}) =>
  whole(resultsOf({ variants: ["now", "short"], scorers: ["helpful"], repeats: 1, rows, seed: "ab".repeat(32), ...more }))
const count = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))

test("[V37] a difference is a mean over rows; rows that are the same count as 0 and cost nothing", () => {
  const rows = [...count(30, same), ...count(10, (i) => row(100 + i, [trial("now", 0), trial("short", 1, { tokens: 150, usd: 0.02 })]))]
  const { same: equal, variants, compared, flags, left_out } = experiment(rows)
  expect([equal, flags, left_out]).toEqual([30, [], []])
  expect(compared[0]).toMatchObject({
    variant: "short",
    with: "now",
    scores: { helpful: { n: 40, difference: 0.25, better: 10, worse: 0 } },
    tokens: { n: 40, difference: 12.5, better: 0, worse: 10 },
  })
  expect(compared[0]?.usd.difference).toBeCloseTo(0.0025, 9)
  expect(variants).toMatchObject([
    { name: "now", trials: 10, failed: 0, tokens: 1_000, scores: { helpful: { n: 10, mean: 0 } } },
    { name: "short", trials: 10, tokens: 1_500, scores: { helpful: { n: 10, mean: 1 } } },
  ])
})

test("[V37] a row's value is the mean of its repeats, and one of them that is missing leaves it out", () => {
  const repeated = row(1, [trial("now", 1), trial("now", 0, { repeat: 2 }), trial("short", 1), trial("short", 1, { repeat: 2 })])
  const half = row(2, [trial("now", 1), trial("now", 1, { repeat: 2 }), trial("short", 1)])
  const { compared, left_out } = experiment([repeated, half], { repeats: 2 })
  expect(compared[0]?.scores["helpful"]).toEqual({ n: 1, difference: 0.5, interval: null, better: 1, worse: 0 })
  expect(left_out).toEqual([{ row: "row_002", why: "a trial of short was not made" }])
})

test("[V36] a failed trial counts with its score, and a stopped one leaves its row out", () => {
  const failed = row(1, [trial("now", 1), trial("short", 0, { state: "failed" })])
  const stopped = row(2, [trial("now", 1), trial("short", undefined, { state: "stopped" })])
  const { variants, compared, left_out, flags } = experiment([failed, stopped])
  expect(compared[0]?.scores["helpful"]).toMatchObject({ n: 1, difference: -1, worse: 1 })
  expect(variants[1]).toMatchObject({ failed: 1, stopped: 1 })
  expect(left_out).toEqual([{ row: "row_002", why: "a trial of short was stopped" }])
  expect(flags).toEqual(["few_rows", "incomplete", "uneven"])
})

test("[V3, V36] a scorer that does not apply leaves nothing out; one that gave an error does", () => {
  const rows = [row(1, [trial("now", null), trial("short", null)]), row(2, [trial("now", 1), trial("short", undefined)])]
  const { compared, left_out } = experiment(rows)
  expect(compared[0]?.scores["helpful"]?.n).toBe(0)
  expect(left_out).toEqual([{ row: "row_002", why: "helpful gave no score" }])
})

test("[V36] exactly a tenth left out is complete, and one stopped row in fifty is even", () => {
  const stopped = (i: number) => row(i, [trial("now", 1), trial("short", undefined, { state: "stopped" })])
  const mended = (i: number) => row(i, [trial("now", undefined, { state: "stopped" }), trial("short", 1)])
  const rows = [...count(90, same), ...count(6, (i) => stopped(100 + i)), ...count(4, (i) => mended(200 + i))]
  expect(experiment(rows).flags).toEqual([])
  expect(experiment([...rows.slice(1), stopped(300)]).flags).toEqual(["incomplete", "uneven"])
})

test("[V37] rows of one thread are one unit: a hundred rows of nine threads have no interval", () => {
  const rows = count(100, (i) => row(i, [trial("now", 1), trial("short", 1)], { thread: `t${i % 9}` }))
  const { compared, flags } = experiment(rows, { isJudgeFlagged: true, isSelected: true })
  expect(compared[0]?.scores["helpful"]).toMatchObject({ n: 100, interval: null })
  expect(flags).toEqual(["few_rows", "judge_flagged", "selected"])
})

test("[V37] the same rows give the same bits, in whatever order they ended", () => {
  const rows = count(60, (i) => row(i, [trial("now", (i % 3) / 2), trial("short", (i % 5) / 4)]))
  expect(experiment(rows.toReversed())).toEqual(experiment(rows))
})

test("[V37] a model without a price leaves the money of its rows unknown, not zero", () => {
  const { variants, compared } = experiment([row(1, [trial("now", 1, { usd: null }), trial("short", 1)])])
  expect([variants[0]?.usd, compared[0]?.usd.n, compared[0]?.tokens.n]).toEqual([null, 0, 1])
})
