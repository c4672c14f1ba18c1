// Maps in the kernel [F23]: missing values in templates, and lists without items.

import { describe, expect, test } from "vitest"
import type { Flow, MapStep, Step } from "../../../src/core/flow/flow.ts"
import type { Json, JsonObject } from "../../../src/core/json.ts"
import { flowOf, planOf } from "../../support/kernel/builders.ts"
import { Shell } from "../../support/kernel/shell.ts"

const map = (more: Partial<MapStep>): MapStep => ({
  type: "map",
  id: "m",
  over: "${{flow.input.list}}",
  do: "c",
  blockedBy: [],
  inputs: {},
  max_concurrent: 4,
  ...more,
})
const over = (list: readonly Json[], more: Partial<MapStep> = {}): Shell =>
  new Shell(
    planOf(flowOf([map(more)], { inputs: { list: { type: "array", required: true }, gone: { type: "string", required: false } } })),
    {
      inputs: { list: [...list] },
    },
  )
const empties = (s: Shell): string[] => s.events("warning").flatMap((e) => (e.code === "template_empty" ? [e.message] : []))

describe("missing values", () => {
  test("[F40] a value missing in items gives one warning with the number of items and the first one", () => {
    const s = over([{ a: 1 }, {}, null, { a: null }], { task: "${{item.a}} ${{index}}", inputs: { whole: "${{item}}" } })
    expect(empties(s)).toEqual([
      '${{item.a}} has no value for 3 of 4 items, first for index 1, in step "m"; it became the empty string',
      '${{item}} has no value for 1 of 4 items, first for index 2, in step "m"; it became the empty string',
    ])
  })

  test("[F40] a missing value of the run gives one warning, not one per item", () => {
    const s = over([1, 2, 3], { task: "${{flow.input.gone}}${{item}}", inputs: { x: "${{flow.input.gone}}" } })
    expect(empties(s)).toEqual(['${{flow.input.gone}} has no value in step "m"; it became the empty string'])
  })

  test("[F40] no warning when nothing is missing, and none for a list without items", () => {
    expect(empties(over([0, false, ""]))).toEqual([])
    expect(empties(over([], { task: "${{item.a}}" }))).toEqual([])
  })
})

describe("the file of results", () => {
  test("[F23h] a list without items has a file too: results of an earlier pass are not read as this pass's", () => {
    const s = over([])
    expect([...s.flights.keys()]).toEqual(["m/1/0/collect"])
    const outputs = { total: 0, succeeded: 0, failed: 0, results: [] }
    s.tell({ type: "collected", key: "m/1/0/collect", outputs, files: [{ path: "map/m.jsonl", action: "created" }] })
    expect(s.run.status).toBe("succeeded")
    expect(s.state("m").result).toMatchObject({ status: "complete", summary: "No items: nothing to do.", outputs })
  })
})

describe("results that are too large for an output", () => {
  const base = { blockedBy: ["m"], inputs: {} }
  const OUTPUTS = { total: 1, succeeded: 1, failed: 0, bytes: 2_000_000 }
  const collected = (steps: Step[], more: Partial<Flow> = {}, outputs: JsonObject = OUTPUTS): Shell => {
    const s = new Shell(planOf(flowOf([map({ over: "${{config.none}}" }), ...steps], { config: { none: [] }, ...more })), {})
    s.tell({ type: "collected", key: "m/1/0/collect", outputs, files: [{ path: "map/m.jsonl", action: "created" }] })
    return s
  }
  const failures = (s: Shell) => s.events("step.finished").flatMap((e) => (e.status === "error" ? [[e.step, e.source, e.summary]] : []))
  const said = expect.stringMatching(/\$\{\{ ?result\.m\.results ?\}\} has 2000000 bytes, .* map\/m\.jsonl/)

  const all = "${{result.m.results}}"
  test.each<[string, Step]>([
    ["a code step", { ...base, id: "z", type: "code", inputs: { n: "1", list: all }, outputs: [] }],
    ["a map over them", map({ id: "z", over: all, blockedBy: ["m"] })],
    ["a map's inputs", map({ id: "z", over: "${{config.none}}", inputs: { x: "${{ result.m.results }}" }, blockedBy: ["m"] })],
    ["a child", { ...base, id: "z", type: "flow-ref", flow: "c", inputs: { x: all } }],
    ["a task", { ...base, id: "z", type: "agent", agent: "worker", task: `Merge ${all}.` }],
    ["a wait", { ...base, id: "z", type: "wait", until: all }],
  ])("[F23h] %s fails with their size and their file, and can be caught", (_, step) => {
    expect(failures(collected([step]))).toEqual([["z", "config", said]])
    const caught = collected([
      { ...step, on_error: "y" },
      { ...base, id: "y", type: "wait", signal: "go" },
    ])
    expect([failures(caught).length, caught.state("y").status, caught.run.status]).toEqual([1, "running", "waiting"])
  })

  test("[F23h] an output of the flow fails the run; other outputs of the map have their values", () => {
    const s = collected([], { outputs: { list: all } })
    expect(s.run).toMatchObject({ status: "failed", error: { source: "config", message: said } })
    const counts = collected([], { outputs: { n: "${{result.m.succeeded}}", size: "${{result.m.bytes}}" } })
    expect(counts.run).toMatchObject({ status: "succeeded", output: { n: 1, size: 2_000_000 } })
  })

  test("[F22] they are present for a conditional", () => {
    const check: Step = { ...base, id: "z", type: "conditional", check: { step: "m", field: "results" }, present: "y", absent: "x" }
    const wait = (id: string): Step => ({ ...base, blockedBy: [], id, type: "wait", signal: id })
    expect(collected([check, wait("y"), wait("x")]).state("z").result).toMatchObject({ branch: "present" })
  })
})

test("[F23g] the failure of a map names the item", () => {
  const s = over(["a", "b"], { max_concurrent: 1 })
  s.tell({ type: "child.start", key: "m/1/0/child", index: 0, run: "run_a" })
  s.tell({
    type: "child.end",
    step: "m",
    pass: 1,
    index: 0,
    run: "run_a",
    report: { status: "succeeded", summary: "", files: [], outputs: {} },
  })
  s.tell({ type: "child.start", key: "m/1/1/child", index: 1, run: "run_b", fault: "no such input" })
  expect(s.run.error?.message).toBe("1 of 2 children failed, 0 were tolerated; the last, index 1: no such input")
})
