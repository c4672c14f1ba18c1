// Rounds of a loop, the longest path, and what a fork keeps, as the graph and its twin show them.

import { describe, expect, test } from "vitest"
import type { GraphEdge, GraphView } from "../../src/core/flow/check/graph-view.ts"
import type { Fact, RunEvent } from "../../src/core/run/event.ts"
import { keptSteps, longestPath } from "../../web/run/path.ts"
import { loopsOf, roundsOf, roundWords } from "../../web/run/rounds.ts"
import { outlineOf } from "../../src/core/run/views/read-outline.ts"

const journal = (...facts: readonly Fact[]): RunEvent[] =>
  facts.map((fact, i) => ({ ...fact, seq: i + 1, at: 1_000 + i * 10, v: 1, prev: "" }))
const opened = (step: string, pass = 1): Fact => ({ type: "step.opened", step, stepType: "agent", agent: "a", pass, tools: [] })
const finished = (step: string, pass = 1, status: "complete" | "error" = "complete"): Fact => ({
  type: "step.finished",
  step,
  pass,
  status,
  summary: "done",
  files: [],
  outputs: {},
})
const graph = (ids: readonly string[], edges: readonly GraphEdge[], most?: number): Pick<GraphView, "nodes" | "edges"> => ({
  nodes: ids.map((id, segment) => ({ id, type: "agent", segment, ...(most === undefined ? {} : { max_iterations: most }) })),
  edges,
})
const next = (from: string, to: string): GraphEdge => ({ from, to, kind: "next" })
const loop = (from: string, to: string): GraphEdge => ({ from, to, kind: "loop", label: "loop" })

const FLOW = graph(
  ["start", "plan", "act", "judge", "end"],
  [next("start", "plan"), next("plan", "act"), next("act", "judge"), loop("judge", "plan"), next("judge", "end")],
  2,
)
const AROUND = journal(
  opened("start"),
  finished("start"),
  opened("plan"),
  finished("plan"),
  opened("act"),
  finished("act"),
  opened("judge"),
  finished("judge"),
  opened("plan", 2),
  finished("plan", 2),
  opened("act", 2),
)

describe("the rounds of a loop", () => {
  test("a loop has the steps from its target to what leads back, and says how often it may go around", () => {
    const [only, ...others] = loopsOf(FLOW)
    expect(others).toEqual([])
    expect(only).toEqual({ first: "plan", deciders: ["judge"], steps: ["plan", "act", "judge"], most: 3 })
  })

  test("loops that share steps count as one, and separate ones as two", () => {
    const ids = ["a", "b", "c", "d", "e"]
    expect(loopsOf(graph(ids, [loop("b", "a"), loop("c", "a")])).map(({ steps, deciders }) => [steps, deciders])).toEqual([
      [
        ["a", "b", "c"],
        ["b", "c"],
      ],
    ])
    expect(loopsOf(graph(ids, [loop("b", "a"), loop("e", "d")])).map(({ steps }) => steps)).toEqual([
      ["a", "b"],
      ["d", "e"],
    ])
    expect(loopsOf(graph(ids, [next("a", "b"), { from: "gone", to: "a", kind: "loop" }]))).toEqual([])
  })

  test("each round has its own passes, and what goes on is not over", () => {
    const [only] = loopsOf(FLOW)
    if (!only) throw new Error("no loop")
    const rounds = roundsOf(only, outlineOf(AROUND))
    expect(
      rounds.map(({ no, isOver, passes }) => ({ no, isOver, passes: [...passes].map(([id, all]) => [id, all.map(({ pass }) => pass)]) })),
    ).toEqual([
      {
        no: 1,
        isOver: true,
        passes: [
          ["plan", [1]],
          ["act", [1]],
          ["judge", [1]],
        ],
      },
      {
        no: 2,
        isOver: false,
        passes: [
          ["plan", [2]],
          ["act", [2]],
        ],
      },
    ])
    expect(roundsOf(only, outlineOf(AROUND, 2))).toEqual([])
    expect([roundWords(2, only), roundWords(4, only), roundWords(2, { most: undefined })]).toEqual(["pass 2 of 3", "pass 4", "pass 2"])
  })

  test("a step that is tried again before anything led back begins no round", () => {
    const [only] = loopsOf(FLOW)
    if (!only) throw new Error("no loop")
    const again = journal(
      opened("start"),
      finished("start"),
      opened("plan"),
      finished("plan", 1, "error"),
      opened("plan", 2),
      finished("plan", 2),
    )
    expect(roundsOf(only, outlineOf(again)).map(({ passes }) => passes.get("plan")?.length)).toEqual([2])
  })
})

describe("the longest path", () => {
  const wide = graph(["a", "fast", "slow", "z"], [next("a", "fast"), next("a", "slow"), next("fast", "z"), next("slow", "z")])
  const run = journal(
    opened("a"),
    finished("a"),
    opened("fast"),
    opened("slow"),
    finished("fast"),
    finished("slow"),
    opened("z"),
    finished("z"),
  )

  test("leads through what the next step waited for last", () => {
    expect(longestPath(wide, outlineOf(run), 2_000).map(({ step }) => step)).toEqual(["a", "slow", "z"])
  })

  test("of a run that goes on, it leads to what runs", () => {
    expect(longestPath(wide, outlineOf(run, 5), 2_000).map(({ step }) => step)).toEqual(["a", "slow"])
    expect(longestPath(wide, outlineOf([]), 2_000)).toEqual([])
  })

  test("goes around a loop pass by pass", () => {
    expect(longestPath(FLOW, outlineOf(AROUND), 2_000).map(({ step, pass }) => `${step} ${pass}`)).toEqual([
      "start 1",
      "plan 1",
      "act 1",
      "judge 1",
      "plan 2",
      "act 2",
    ])
  })
})

describe("what a fork keeps", () => {
  test("of a run that failed: what was complete before the step that failed", () => {
    const failed = journal(opened("a"), finished("a"), opened("b"), finished("b", 1, "error"), {
      type: "run.ended",
      status: "failed",
      error: { step: "b", message: "no", source: "api_error" },
    })
    expect(keptSteps(outlineOf(failed))).toEqual({ steps: new Set(["a"]), events: 2 })
  })

  test("of a fork: what its source had done; of any other run nothing", () => {
    const forked: Fact = {
      type: "run.forked",
      run: "run_b",
      source: { run: "run_a", seq: 3, head: "", at: 1_020 },
      by: "ann",
      effects: "staged",
    } as Fact
    const story = outlineOf(journal(opened("a"), finished("a"), opened("b"), forked, finished("b")))
    expect(keptSteps(story)).toEqual({ steps: new Set(["a"]), events: 3 })
    expect(keptSteps(outlineOf(journal(opened("a"), finished("a"))))).toEqual({ steps: new Set(), events: 0 })
  })
})
