// The page of a flow: runs of ways, revisions of the flow, and whether the last one is worse.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { together } from "../../web/overview/changes.ts"
import { compared } from "../../web/flow-overview/compared.ts"
import { runsOfWays, type StepRuns, type WayEnds } from "../../web/flow-overview/edge-runs.ts"
import { ownRevisions } from "../../web/flow-overview/own-revisions.ts"
import { revisionScores } from "../../web/flow-overview/revision-scores.ts"
import { callPlot, costOf, failedShare, flowPlots } from "../../web/flow-overview/plots.ts"

const step = (id: string, reached: number, failed = 0, left = 0): StepRuns => ({ step: id, reached, failed, left })
const way = (from: string, to: string, kind = "branch"): WayEnds => ({ from, to, kind })

describe("runs of ways", () => {
  test("a way past a step has what the step has not, where both lead to the same one", () => {
    const ways = [way("decide", "approve"), way("decide", "refund"), way("approve", "refund", "next")]
    const steps = [step("decide", 838, 31), step("approve", 219, 3), step("refund", 775)]
    expect(runsOfWays(ways, steps)).toEqual([219, 588, 187])
  })

  test("what waits for two steps has been come to by both, and nobody takes a way from what was never reached", () => {
    const ways = [way("a", "c", "blockedBy"), way("b", "c", "blockedBy"), way("x", "c", "next")]
    expect(runsOfWays(ways, [step("a", 10, 1), step("b", 10), step("c", 9)])).toEqual([9, 9, 0])
  })

  test("runs that fail take the way of errors", () => {
    expect(runsOfWays([way("a", "mend", "on_error")], [step("a", 10, 4), step("mend", 4)])).toEqual([4])
  })

  test("in a flow of branches and joins they are those that were taken, where each step has one way in or out that is not known; never more than both ends", () => {
    const branch = fc.record({ runs: fc.nat(50), path: fc.constantFrom("ab", "acb", "ad") })
    fc.assert(
      fc.property(fc.array(branch, { maxLength: 12 }), (taken) => {
        const ways = [way("a", "b"), way("a", "c"), way("a", "d"), way("c", "b", "next")]
        const of = (path: string): number => taken.filter((one) => one.path === path).reduce((sum, { runs }) => sum + runs, 0)
        const [ab, acb, ad] = [of("ab"), of("acb"), of("ad")]
        const steps = [step("a", ab + acb + ad), step("b", ab + acb), step("c", acb), step("d", ad)]
        expect(runsOfWays(ways, steps)).toEqual([ab, acb, ad, acb])
      }),
    )
  })
})

test("revisions of others between two of the flow count with the one before, and what is older apart", () => {
  const rows = [20, 19, 18, 17, 15, "(other)"].map((revision) => ({ revision }))
  expect(ownRevisions(rows, [16, 18]).map(({ revision, rows: of }) => [revision, of.map((row) => row.revision)])).toEqual([
    [18, [20, 19, 18]],
    [16, [17]],
    [undefined, [15, "(other)"]],
  ])
  expect(ownRevisions([], [3])).toEqual([{ revision: 3, rows: [] }])
})

test("[V44] a revision has the mean of each scorer over its runs that were scored, people among them, and a run without scores counts for none", () => {
  const means = revisionScores(
    [
      { revision: 20, scores: { helpful: 1, fits: null }, feedback: { up: 1, down: 1 } },
      { revision: 18, scores: { helpful: 0.5, fits: 0 } },
      { revision: 19 },
      { revision: 17, scores: { helpful: 0 } },
      { revision: 3, scores: { old: 1 }, feedback: { up: 0, down: 0 } },
      { scores: { lost: 1 } },
    ],
    [16, 18],
  )
  expect([...means]).toEqual([
    [
      18,
      [
        { scorer: "feedback", mean: 0.5, n: 1 },
        { scorer: "fits", mean: 0, n: 1 },
        { scorer: "helpful", mean: 0.75, n: 2 },
      ],
    ],
    [16, [{ scorer: "helpful", mean: 0, n: 1 }]],
    [undefined, [{ scorer: "old", mean: 1, n: 1 }]],
  ])
})

const runs = (succeeded: number, failed: number, p95 = 100_000) =>
  together([{ revision: 1, runs: { succeeded, failed, canceled: 0 }, usd: 1, ms: { n: succeeded + failed, p50: 1, p95 } }])

test.each([
  [runs(286, 5), runs(33, 31), true, "r18 fails 28 times as often as r17, and is as fast"],
  [runs(290, 0), runs(33, 31), true, "r18 fails 48% of the time, which r17 never did, and is as fast"],
  [runs(50, 50), runs(99, 1, 140_000), false, "r18 fails less often than r17, and is slower"],
  [runs(95, 5), runs(96, 4, 60_000), false, "r18 fails as often as r17, and is faster"],
  [runs(95, 5), runs(1, 3), false, "r18 has too few runs to compare with r17"],
] as const)("whether the last revision is worse: %#", (before, now, isWorse, words) => {
  expect(compared("r18", now, "r17", before)).toEqual({ isWorse, words })
})

describe("plots of a flow", () => {
  const none = { succeeded: 0, failed: 0, canceled: 0 }
  const day = {
    at: "2026-11-24T00:00:00.000Z",
    partial: false,
    runs: { ...none, succeeded: 3, failed: 1 },
    children: none,
    usd: 2,
    ms: { p50: 1_000, p95: 2_000 },
  }
  const quiet = { ...day, runs: none, usd: null, ms: null }

  test("a day without runs is a gap in each of them", () => {
    expect([costOf(day), failedShare(day), costOf(quiet), failedShare(quiet)]).toEqual([0.5, 0.25, null, null])
    const { time, cost, failed } = flowPlots([day, quiet], "day", [], { time: String, money: String })
    expect([time, cost, failed].map(({ series }) => series[0]?.values)).toEqual([
      [1_000, null],
      [0.5, null],
      [25, null],
    ])
  })
})

test("calls of models are drawn a line each; a slice without one is a gap", () => {
  const at = (hour: number): string => new Date(Date.UTC(2026, 10, 1, hour)).toISOString()
  const data = [
    { at: at(0), partial: false, models: [{ model: "a/m", ms: { p95: 900 } }] },
    { at: at(1), partial: true, models: [{ model: "b/m", ms: null }] },
  ]
  expect(callPlot({ data, each: "hour" }, "models", ["a/m", "b/m"], String).series.map(({ label, values }) => [label, values])).toEqual([
    ["a/m", [900, null]],
    ["b/m", [null, null]],
  ])
})
