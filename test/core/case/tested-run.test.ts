// [K21] What came of a run, as an expectation has it.

import { describe, expect, test } from "vitest"
import { expectationOf } from "../../../src/core/case/recorded-expectation.ts"
import { failuresOf, foundIn, scoreFailures } from "../../../src/core/case/tested-run.ts"
import type { Json, JsonObject } from "../../../src/core/json.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"

const view = (more: Partial<RunView> = {}): RunView =>
  ({
    status: "succeeded",
    usage: { tokens: 0, usd: null, tool_calls: 2 },
    steps: { a: { status: "complete", type: "agent", usage: { input: 0, output: 0 }, attempts: 1, pass: 2 } },
    ...more,
  }) as unknown as RunView
const events = (...facts: object[]): RunEvent[] => facts.map((fact, i) => ({ seq: i + 1, at: 0, v: 1, prev: "", ...fact })) as RunEvent[]
const at = (expected: JsonObject, found: JsonObject, files: [string, string][] = []): string[] =>
  failuresOf(expected, { found, files: new Map(files) }).map((f) => f.at)

test("[V39] a run's answer is its output's, or the last summary, and a case made of a run does not expect it too", () => {
  const found = foundIn(view({ output: { answer: "Refunded today." } }), [])
  expect(found["answer"]).toBe("Refunded today.")
  expect(at({ answer: { matches: "Refund" } }, found)).toEqual([])
  expect(at({ answer: "Refunded" }, found)).toEqual(["/answer"])
  expect(expectationOf(found, { files: new Map(), beside: new Set(), cut: false })).not.toHaveProperty("answer")
})

test("[V39] scores are expected with the usual matchers, and one that is not there is none", () => {
  const found = new Map<string, number | null | string>([
    ["good", 0.5],
    ["none", null],
    ["broken", "the handler threw"],
  ])
  const of = (scores: JsonObject): string[] => scoreFailures({ scores }, found).map((f) => f.at)
  expect(of({ good: 0.5, none: null })).toEqual([])
  expect(of({ good: { at_least: 0.5 }, none: 0, broken: { at_least: 0 }, other: 1 })).toEqual([
    "/scores/none",
    "/scores/broken",
    "/scores/other",
  ])
  expect(scoreFailures({ scores: { broken: 1 } }, found)).toEqual([{ at: "/scores/broken", expected: 1, found: "the handler threw" }])
  expect(at({ scores: { good: 0 } }, foundIn(view(), []))).toEqual([])
})

describe("what came of a run", () => {
  test("[K21] calls in their order over all passes, the last branch, turns with those of children", () => {
    const found = foundIn(
      view(),
      events(
        { type: "step.opened", step: "a" },
        { type: "model.replied", step: "a" },
        { type: "tool.called", step: "a", tool: "read" },
        { type: "tool.refused", step: "a", tool: "bash" },
        { type: "step.finished", step: "a", branch: "left" },
        { type: "branch.taken", step: "a", branch: "left" },
        { type: "step.opened", step: "a" },
        { type: "interaction.asked", step: "a", kind: "ask_user" },
        { type: "interaction.asked", step: "a", kind: "approval.tool" },
        { type: "tool.called", step: "a", tool: "send" },
        { type: "step.finished", step: "a", branch: "right" },
      ),
      3,
    )
    expect(found).toMatchObject({
      status: "succeeded",
      error: null,
      branches: { a: "right" },
      steps: { a: { status: "complete", passes: 2, called: ["read", "ask_user", "send"], refused: ["bash"] } },
      turns: 4,
      tool_calls: 2,
    })
  })

  test("[K20] an error is a map, its message, a pattern for it, or null", () => {
    const failed = foundIn(view({ error: { source: "budget", message: "too dear" } }), [])
    for (const right of [{ source: "budget" }, "too dear", { matches: "^too" }] satisfies Json[])
      expect(at({ error: right }, failed)).toEqual([])
    for (const wrong of [{ source: "config" }, "dear", { matches: "^dear" }, null] satisfies Json[])
      expect(at({ error: wrong }, failed).length).toBe(1)
    expect(at({ error: null }, foundIn(view(), []))).toEqual([])
  })

  test("[K20] a label of a multiple choice is its first, a list all of them", () => {
    const found = foundIn(view(), events({ type: "step.finished", step: "a", branch: "x", branches: ["x", "y"] }))
    expect([at({ branches: { a: "x" } }, found), at({ branches: { a: "y" } }, found)]).toEqual([[], ["/branches/a"]])
  })

  test("[K20] files by their text", () => {
    const files: [string, string][] = [["a/b.md", "hello"]]
    expect(at({ files: { "a/b.md": { contains: "ell" } } }, {}, files)).toEqual([])
    expect(at({ files: { "a/b.md": { equals: "ell" }, c: { equals: "" } } }, {}, files)).toEqual(["/files/a~1b.md", "/files/c"])
  })

  test("[K21] at most 50 failures, and long values are told by their beginning", () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`k${i}`, i]))
    expect(at({ output: many }, { output: {} })).toHaveLength(50)
    const [first] = failuresOf({ output: "x" }, { found: { output: "y".repeat(9_000) }, files: new Map() })
    expect(String(first?.found)).toMatch(/^y{4000}… \(9000 characters\)$/)
  })
})
