// What the editor knows of a flow from its text alone: where steps stand, what could be written, and where its steps are drawn.

import { describe, expect, test } from "vitest"
import { graphView } from "../../src/core/flow/check/graph-view.ts"
import { completions } from "../../web/flow/complete.ts"
import { BOX, draftLayout } from "../../web/flow/draft-layout.ts"
import { stepAt, stepLines } from "../../web/flow/step-lines.ts"
import { readFlow } from "../../src/engine/catalog/check/language.ts"

const FLOW = `name: f
inputs:
  service: { type: string }
  region: { type: string }
config: { tone: dry }
steps:
  # the first
  - id: read
    agent: reader
    task: Read it

  - { id: ask, type: fork, question: which?, options: [quick, "deep one"], branches: { quick: go } }
  - type: agent
    id: go
    agent: reader
on_done: x
`

describe("lines of steps", () => {
  test("[F1] each step has its lines, whichever way it is written", () => {
    expect(stepLines(FLOW)).toEqual([
      { id: "read", first: 8, last: 10, indent: 4 },
      { id: "ask", first: 12, last: 12, indent: 4 },
      { id: "go", first: 13, last: 15, indent: 4 },
    ])
    const steps = stepLines(FLOW)
    expect([9, 11, 12, 15, 16].map((line) => stepAt(steps, line)?.id)).toEqual(["read", undefined, "ask", "go", undefined])
  })

  test.each([
    ["", []],
    ["steps:", []],
    ["steps: []", []],
    ["steps:\n- id: a\n- id: b\n", ["a", "b"]],
    ["steps:\n  -\n    id: a\n", []],
    ['steps:\n  - id: "a b"\n    options:\n      - id: no\n  - agent: x\n', ["a", ""]],
    ["steps:\r\n  - id: a\r\n", ["a"]],
  ])("[F1] a text that does not load has what can be seen: %j", (text, ids) => {
    expect(stepLines(text).map(({ id }) => id)).toEqual(ids)
  })
})

describe("completion", () => {
  const names = { agents: ["reader", "writer"], flows: ["f", "ops:g"] }
  const labels = (before: string): string[] =>
    completions(before, FLOW.replace("    task: Read it", before), names).map(({ label }) => label)

  test.each([
    ["    agent: ", ["reader", "writer"]],
    ["  - { id: x, agent: w", ["reader", "writer"]],
    ["    flow: ", ["f", "ops:g"]],
    ["    blockedBy: ", ["read", "ask", "go"]],
    ["    blockedBy: [read, ", ["read", "ask", "go"]],
    ["    on_error: g", ["read", "ask", "go"]],
    ["    task: ${{result.", ["result.read", "result.ask", "result.go"]],
    ["    task: ${{ flow.input.s", ["flow.input.service", "flow.input.region"]],
    ["    task: ${{config.", ["config.tone"]],
    ["    branches: { quick: ", ["read", "ask", "go"]],
    ["    branches: { ", ["quick", "deep one"]],
    ["    task: anything", []],
    ["name: x", []],
  ])("[F54] after %j", (before, expected) => {
    expect(labels(before)).toEqual(expected)
  })

  test("[F54] types, template roots, fields of a result, and keys of a step", () => {
    expect(labels("    type: ")).toContain("agent-loop-decision")
    expect(labels("    task: ${{")).toEqual(expect.arrayContaining(["task", "result.", "flow.input.", "input."]))
    expect(labels("    task: ${{result.read.")).toContain("result.read.summary")
    expect(labels("    blo")).toContain("blockedBy")
  })
})

describe("the draft's drawing", () => {
  const drawn = (text: string) => {
    const { value } = readFlow(text, "f")
    if (value === undefined) throw new Error("the flow does not load")
    return draftLayout(graphView(value))
  }
  const step = (id: string, more: string): string => `  - { id: ${id}, type: agent, agent: a${more} }\n`

  test("[F10] steps stand in the order of the file, those of one segment beside each other, and none on another", () => {
    const { spots, width, height } = drawn(
      `name: f\ndescription: d\nsteps:\n${step("a", "")}${step("b", "")}${step("c", ", blockedBy: [a, b]")}`,
    )
    const [a, b, c] = spots
    expect(a?.y).toBe(b?.y)
    expect(c?.y).toBeGreaterThan(a?.y ?? 0)
    expect((b?.x ?? 0) - (a?.x ?? 0)).toBeGreaterThan(BOX.width)
    for (const { x, y } of spots) expect([x >= 0, x + BOX.width <= width, y + BOX.height <= height]).toEqual([true, true, true])
  })

  test("[F10] a way back and a way past other steps keep to the sides of the picture", () => {
    const { edges, spots, width } = drawn(
      `name: f\ndescription: d\nsteps:\n${step("a", "")}  - { id: l, type: agent-loop-decision, agent: a, task: again?, loop_target: a, exit_target: z, max_iterations: 2, blockedBy: a }\n${step("m", ", blockedBy: l")}${step("z", ", blockedBy: m")}`,
    )
    const across = (id: string): number[] =>
      [...(edges.find((edge) => edge.id.startsWith(id))?.path.matchAll(/H([\d.]+)/g) ?? [])].map(([, x]) => Number(x))
    const [left, right] = [Math.min(...spots.map(({ x }) => x)), Math.max(...spots.map(({ x }) => x + BOX.width))]
    expect(Math.min(...across("l a"))).toBeLessThan(left)
    expect(Math.max(...across("l z"))).toBeGreaterThan(right)
    expect(Math.max(...across("l z"))).toBeLessThan(width)
  })
})
