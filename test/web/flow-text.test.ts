// What the editor knows of a flow from its text alone: where steps stand, what could be written, and where its steps are drawn.

import { describe, expect, test } from "vitest"
import { graphView } from "../../src/core/flow/check/graph-view.ts"
import { completions, meaning } from "../../web/flow/complete.ts"
import { BOX, draftLayout, fittedLayout } from "../../web/flow/draft-layout.ts"
import { fileKeys } from "../../web/flow/file-keys.ts"
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
  const face = (description: string, outputs: string[] = [], inputs: string[] = []) => ({ description, inputs, outputs })
  const names = {
    agents: new Map([
      ["reader", face("Reads", ["findings", "severity"], ["doc"])],
      ["writer", face("Writes")],
    ]),
    flows: ["f", "ops:g"],
  }
  const keys = fileKeys()
  /** With these lines in place of the task of the step `read`, and the cursor at their end. */
  const offered = (before: string) => {
    const at = FLOW.indexOf("    task: Read it")
    return completions(FLOW.slice(0, at) + before, FLOW.replace("    task: Read it", before), keys, names)
  }
  const labels = (before: string): string[] => offered(before).map(({ label }) => label)
  const steps = ["read", "ask", "go"]

  test.each([
    ["    agent: ", ["reader", "writer"]],
    ["  - { id: x, agent: w", ["reader", "writer"]],
    ["    flow: ", ["f", "ops:g"]],
    ["    blockedBy: ", steps],
    ["    blockedBy: [read, ", steps],
    ["    blockedBy:\n      - ", steps],
    ["    on_error: g", steps],
    ["    loop_target: ", steps],
    ["    task: ${{result.", ["result.read", "result.ask", "result.go"]],
    ["    task: ${{ flow.input.s", ["flow.input.service", "flow.input.region"]],
    ["    task: ${{config.", ["config.tone"]],
    ["    task: ${{result.read.summary ?? config.", ["config.tone"]],
    ["    task: ${{result.read ??result.", ["result.read", "result.ask", "result.go"]],
    ["    branches: { quick: ", steps],
    ["    branches:\n      quick: ", steps],
    ["    retry: { ", ["max", "backoff"]],
    ["    retry:\n      b", ["max", "backoff"]],
    ["    retry: { max: 2, ", ["backoff"]],
    ["    inputs:\n      ", ["doc"]],
    ["    task: anything", []],
    ["    task: anything that is a", []],
    ["    task: |\n      any words typ", []],
  ])("[F54] after %j", (before, expected) => {
    expect(labels(before)).toEqual(expected)
  })

  test("[F54] types, template roots, fields of a result, and keys of a step", () => {
    expect(labels("    type: ")).toContain("agent-loop-decision")
    expect(labels("    task: ${{")).toEqual(expect.arrayContaining(["task", "result.", "flow.input.", "input."]))
    expect(labels("    task: ${{result.read.")).toContain("result.read.summary")
    expect(labels("    blo")).toContain("blockedBy")
  })

  test("[F51] a result offers the outputs that the step's agent declares, first", () => {
    expect(labels("    task: ${{result.go.").slice(0, 2)).toEqual(["result.go.findings", "result.go.severity"])
  })

  test("[F22] [F24] results of maps, waits and handlers offer what these have", () => {
    const of = (step: string): string[] => {
      const whole = `name: f\nsteps:\n  - { id: a, ${step} }\n  - id: b\n    task: \${{result.a.`
      return completions(whole, whole, keys, names).map(({ label }) => label)
    }
    expect(of("type: map, over: x, do: f")).toContain("result.a.results")
    expect(of("type: wait, signal: open")).toContain("result.a.payload")
    expect(of("type: code, outputs: [total, { name: rest }]")).toEqual(expect.arrayContaining(["result.a.total", "result.a.rest"]))
  })

  test.each(Object.keys(keys.types))("[F3] a step of type %s is offered all of its keys and no other", (type) => {
    const whole = `name: f\nsteps:\n  - id: a\n    type: ${type}\n    `
    const own = [...Object.keys(keys.step), ...Object.keys(keys.types[type]?.fields ?? {})]
    expect(
      completions(whole, whole, keys, names)
        .map(({ label }) => label)
        .toSorted(),
    ).toEqual([...new Set(own)].filter((key) => key !== "id" && key !== "type").toSorted())
  })

  test("[F3] the top of a flow offers its keys, and each is written with its colon", () => {
    const offer = completions("max", "max", keys, names)
    expect(offer.map(({ label }) => label)).toEqual(expect.arrayContaining(Object.keys(keys.flow)))
    expect(offer.find(({ label }) => label === "outputs")?.apply).toBe("outputs: ")
    const nested = "name: f\ninputs:\n  who: { type: string, "
    expect(completions(nested, nested, keys, names).map(({ label }) => label)).toEqual(["required", "default", "description"])
  })

  test("[F3] keys below the cursor in the same step are not offered again", () => {
    const [upTo, rest] = ["name: f\nsteps:\n  - id: a\n    ty", "\n    agent: reader\n  - id: b\n"]
    const found = completions(upTo, upTo + rest, keys, names).map(({ label }) => label)
    expect(found).toContain("type")
    expect(found).not.toContain("agent")
  })

  test("[F3] a key, a type and an agent say what they mean", () => {
    const said = (upTo: string): string | undefined => meaning(/[\w-]+$/.exec(upTo)?.[0] ?? "", upTo, keys, names)
    expect(said("name: f\nmax_concurrent")).toContain("Default: 4.")
    expect(said("steps:\n  - id: a\n    type: wait\n    signal")).toContain("signal")
    expect(said("steps:\n  - id: a\n    type: wait")).toContain("for a time or a signal")
    expect(said("steps:\n  - id: a\n    agent: reader")).toBe("Reads")
    expect(said("steps:\n  - id: a\n    task: some signal")).toBeUndefined()
  })
})

type Point = { readonly x: number; readonly y: number }

/** The straight parts of a path of `M`, `H` and `V`. */
function legsOf(path: string): (readonly [Point, Point])[] {
  let [x, y] = [0, 0]
  const legs: (readonly [Point, Point])[] = []
  for (const [, word, a = "0", b = "0"] of path.matchAll(/([MHV])(-?[\d.]+)(?: (-?[\d.]+))?/g)) {
    const from = { x, y }
    if (word === "M") [x, y] = [Number(a), Number(b)]
    else if (word === "H") x = Number(a)
    else y = Number(a)
    if (word !== "M") legs.push([from, { x, y }])
  }
  return legs
}

const crosses = (a: Point, b: Point, box: Point): boolean =>
  Math.max(a.x, b.x) > box.x + 1 &&
  Math.min(a.x, b.x) < box.x + BOX.width - 1 &&
  Math.max(a.y, b.y) > box.y + 1 &&
  Math.min(a.y, b.y) < box.y + BOX.height - 1

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

  test("[F10] what is too tall goes on beside itself: every step is in the picture, and none on another", () => {
    const tall = Array.from({ length: 20 }, (_, i) => step(`s${i}`, i === 0 ? "" : `, blockedBy: s${i - 1}`)).join("")
    const { value } = readFlow(`name: f\ndescription: d\nsteps:\n${tall}`, "f")
    if (value === undefined) throw new Error("the flow does not load")
    const room = { width: 700, height: 320 }
    const { spots, edges, width, height } = fittedLayout(graphView(value), room)
    expect(Math.min(room.width / width, room.height / height)).toBeGreaterThan(0.6)
    expect(new Set(spots.map(({ x, y }) => `${x} ${y}`)).size).toBe(20)
    expect(new Set(spots.map(({ x }) => x)).size).toBeGreaterThan(2)
    for (const { x, y } of spots)
      expect([x >= 0, x + BOX.width <= width, y >= 0, y + BOX.height <= height]).toEqual([true, true, true, true])
    // No way leads through a step.
    for (const { path } of edges)
      for (const [from, to] of legsOf(path)) for (const { x, y } of spots) expect(crosses(from, to, { x, y }), path).toBe(false)
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
