// A flow as nodes and edges.

import { describe, expect, test } from "vitest"
import { graphView, type GraphEdge } from "../../../../src/core/flow/check/graph-view.ts"
import { parseFlow } from "../../../../src/core/language/parse-flow.ts"
import { fixtures } from "../../../support/kernel/fixtures.ts"

function view(steps: string) {
  const { flow, diagnostics } = parseFlow(`name: f\ndescription: d\nsteps:\n${steps}`, "f")
  if (!flow) throw new Error(JSON.stringify(diagnostics))
  return graphView(flow)
}
const lines = (edges: readonly GraphEdge[]) => edges.map((e) => `${e.from} ${e.kind}${e.label === undefined ? "" : `:${e.label}`} ${e.to}`)
const agent = (id: string, more = "") => `  - { id: ${id}, type: agent, agent: w${more} }\n`

describe("nodes", () => {
  test("[F10] a step is a node with its segment; neighboring agents share a segment, and a map names its list", () => {
    const { nodes } = view(
      `${agent("a")}${agent("b", ", description: reads")}  - { id: d, type: agent-decision, agent: j, max_iterations: 2, branches: { again: a, on: e } }\n${agent("e")}  - { id: k, type: flow-ref, flow: legal:nda }\n  - { id: m, type: map, over: "\${{flow.input.l}}", do: kid }\n`,
    )
    expect(nodes).toEqual([
      { id: "a", type: "agent", agent: "w", segment: 0 },
      { id: "b", type: "agent", agent: "w", description: "reads", segment: 0 },
      { id: "d", type: "agent-decision", agent: "j", segment: 1, max_iterations: 2 },
      { id: "e", type: "agent", agent: "w", segment: 2 },
      { id: "k", type: "flow-ref", flow: "legal:nda", segment: 3 },
      { id: "m", type: "map", flow: "kid", segment: 4, over: "${{flow.input.l}}" },
    ])
  })
})

describe("start", () => {
  test("[H3] a form can be made of it: the inputs with their types, and whether a task is needed", () => {
    const text = `name: f\ndescription: Greets.\ntask_required: true\ninputs:\n  who: { type: string, required: true, description: A name }\n  often: { type: number, required: false, default: 2 }\nsteps:\n${agent("a")}`
    const { flow, diagnostics } = parseFlow(text, "f")
    if (!flow) throw new Error(JSON.stringify(diagnostics))
    expect(graphView(flow).start).toEqual({
      description: "Greets.",
      inputs: { who: { type: "string", required: true, description: "A name" }, often: { type: "number", required: false, default: 2 } },
      task_required: true,
    })
  })
})

describe("edges", () => {
  test("[F12] blockedBy leads from the awaited step; the waiting step is not also fallen into", () => {
    expect(lines(view(agent("a") + agent("b", ", blockedBy: a") + "  - { id: k, type: flow-ref, flow: x }\n").edges)).toEqual([
      "a blockedBy b",
      "b next k",
    ])
  })

  test("[F10] a segment is entered at its first steps, from the last steps of the previous segment", () => {
    const ref = "  - { id: k, type: flow-ref, flow: x }\n"
    expect(lines(view(agent("a") + agent("b") + ref + agent("c") + agent("d", ", blockedBy: c")).edges)).toEqual([
      "c blockedBy d",
      "a next k",
      "b next k",
      "k next c",
    ])
  })

  test("[F17, F18, F20] every way to route is an edge of its kind; branches carry their labels", () => {
    const { edges } = view(
      `${agent("a", ", on_error: fix")}  - { id: d, type: agent-decision, agent: j, max_iterations: 2, branches: { again: a, on: b } }\n${agent("b")}  - { id: l, type: agent-loop-decision, agent: j, task: t, loop_target: b, exit_target: c, max_iterations: 2 }\n  - { id: c, type: conditional, check: b, present: e, absent: g }\n${agent("e", ", on_complete: g")}  - { id: w, type: wait, signal: go, timeout: 1h, on_timeout: g }\n${agent("g")}  - { id: z, type: flow-ref, flow: x }\n${agent("fix")}`,
    )
    expect(lines(edges)).toEqual([
      "a on_error fix",
      "d branch:again a",
      "d branch:on b",
      "l loop b",
      "l exit c",
      "c present e",
      "c absent g",
      "e on_complete g",
      "w timeout g",
      "a next d",
      "b next l",
      "w next g",
      "g next z",
    ])
  })

  test("[F15b] a branch is followed past the branches not chosen", () => {
    const f = (id: string) => `  - { id: ${id}, type: flow-ref, flow: x }\n`
    const { edges } = view(
      `  - { id: q, type: agent-decision, agent: j, branches: { l: left, r: right } }\n${f("left")}${f("right")}${f("both")}`,
    )
    expect(lines(edges).filter((l) => l.includes("next"))).toEqual(["left next both", "right next both"])
  })

  test("[F18] a decision whose branches all lead back continues when it is exhausted", () => {
    const { edges } = view(
      `${agent("a")}  - { id: d, type: agent-decision, agent: j, max_iterations: 2, branches: { x: a, y: a } }\n${agent("b")}`,
    )
    expect(lines(edges)).toContain("d next b")
  })

  test("[F10] in every flow, edges join existing nodes, and no two edges are equal", () => {
    for (const { name, text } of fixtures("flows/valid")) {
      const { flow } = parseFlow(text, name)
      if (!flow) throw new Error(name)
      const { nodes, edges } = graphView(flow)
      const ids = new Set(nodes.map((n) => n.id))
      expect(
        edges.filter((e) => !ids.has(e.from) || !ids.has(e.to)),
        name,
      ).toEqual([])
      expect(new Set(lines(edges)).size, name).toBe(edges.length)
    }
  })
})
