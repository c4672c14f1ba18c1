// The steps that no agent works on: what a right file becomes, and what is known of children, lists and handlers.

import { describe, expect, test } from "vitest"
import { validateFlow, type FlowWorld } from "../../../src/core/language/check-flow.ts"
import type { Diagnostic } from "../../../src/core/diagnostic.ts"
import { faceOf, literalOf, type FlowFace } from "../../../src/core/flow/flow-face.ts"
import type { Step } from "../../../src/core/flow/flow.ts"
import { parseFlow } from "../../../src/core/language/parse-flow.ts"
import { catalog, children } from "../../support/kernel/fixtures.ts"

const agents = catalog()
const file = (steps: string, head = ""): string => `name: n\ndescription: d\n${head}steps:\n${steps}`
const stepOf = (fields: string): Step | undefined => parseFlow(file(`  - { id: a, ${fields} }\n`), "n").flow?.steps[0]
const check = (steps: string, world: Partial<FlowWorld> = {}, head = ""): readonly Diagnostic[] =>
  validateFlow(file(steps, head), "n", { agents, ...world }).diagnostics
const codes = (list: readonly Diagnostic[]): string[] => list.map((d) => `${d.severity} ${d.code}`)

describe("a file becomes a step", () => {
  const common = { id: "a", blockedBy: [] }

  test("[F24] code: outputs in any spelling, inputs as they are written", () => {
    const steps = ["outputs: [sum, rows]", "outputs: 'sum, rows'", "outputs: [{ name: sum, type: number }, { name: rows }]"].map((o) =>
      stepOf(`type: code, inputs: { text: "\${{task}}" }, ${o}, target: lib/x.ts, timeout: 5s`),
    )
    for (const step of steps)
      expect(step).toEqual({
        ...common,
        type: "code",
        inputs: { text: "${{task}}" },
        outputs: ["sum", "rows"],
        target: "lib/x.ts",
        timeout: 5000,
      })
    expect(stepOf("type: code")).toEqual({ ...common, type: "code", inputs: {}, outputs: [] })
  })

  test("[F25] code-decision: branches in the file's order, with a cap", () => {
    expect(stepOf("type: code-decision, outputs: [n], branches: { b: a, a: a }, max_iterations: 2, on_exhausted: a")).toEqual({
      ...common,
      type: "code-decision",
      inputs: {},
      outputs: ["n"],
      branches: [
        { label: "b", target: "a" },
        { label: "a", target: "a" },
      ],
      max_iterations: 2,
      on_exhausted: "a",
    })
  })

  test("[F23] flow-ref: by id, or by the path of its file however it was written", () => {
    expect(stepOf("type: flow-ref, flow: legal:nda, task: t, inputs: { n: 3 }")).toEqual({
      ...common,
      type: "flow-ref",
      flow: "legal:nda",
      task: "t",
      inputs: { n: "3" },
    })
    for (const path of [
      "flows/legal/nda.yaml",
      "./flows/legal/nda.yaml",
      ".pi/flows/flows/legal/nda.yaml",
      "legal/nda.yaml",
      "flows/legal/nda/flow.yaml",
    ])
      expect(stepOf(`type: flow-ref, path: ${path}`)).toMatchObject({ flow: "legal:nda" })
    for (const path of ["flows/*.yaml", "'flows/{a,b}.yaml'", "'flows/${{task}}.yaml'", "../x.yaml", "/etc/x.yaml", "flows/x.md", "x"])
      expect([path, codes(check(`  - { id: a, type: flow-ref, path: ${path} }\n`))]).toEqual([path, ["error FV-FLOW-PATH"]])
    expect(check("  - { id: a, type: flow-ref, flow: flows/x.yaml }\n")[0]?.suggestion).toBe("flow: x")
  })

  test("[F4] a flow-ref of the seed gives itself away by its path; the others say their type", () => {
    expect(codes(check("  - { id: a, path: flows/child.yaml }\n"))).toEqual(["warning FV-TYPE-INFER"])
    const untyped: Readonly<Record<string, string>> = {
      "flow: child": "flow-ref",
      'over: "${{task}}", do: child': "map",
      "for: 30s": "wait",
      "signal: go": "wait",
      "outputs: [x]": "code",
      "branches: { x: a, y: a }, outputs: [x]": "code-decision",
      "command: ls": "code",
    }
    for (const [fields, type] of Object.entries(untyped)) {
      const [d, ...more] = check(`  - { id: a, ${fields} }\n`)
      expect([d?.code, d?.suggestion, more]).toEqual(["FV-TYPE-MISSING", `type: ${type}`, []])
    }
  })

  test("[F4] a type of another time comes with lines that load", () => {
    for (const type of [
      "shell",
      "script",
      "python",
      "if",
      "loop",
      "subflow",
      "foreach",
      "parallel",
      "sleep",
      "ask",
      "switch",
      "decision",
    ]) {
      const [d] = check(`  - { id: a, type: ${type} }\n`)
      expect(d?.code).toBe("FV-TYPE-REMOVED")
      const lines = (d?.suggestion ?? "").replaceAll("step-id", "a").replaceAll("NAME", "worker").replaceAll("…", "x").split("\n")
      const { diagnostics } = parseFlow(file(`  - id: a\n${lines.map((l) => `    ${l}`).join("\n")}\n`), "n")
      expect([type, codes(diagnostics)]).toEqual([type, []])
    }
  })

  test("[F23g] map: four at once, a count or a share of failures", () => {
    const map = (more: string) => stepOf(`type: map, over: "\${{result.x.y}}", do: child${more}`)
    expect(map("")).toEqual({ ...common, type: "map", over: "${{result.x.y}}", do: "child", inputs: {}, max_concurrent: 4 })
    expect(map(", tolerate: 3")).toMatchObject({ tolerate: { count: 3 } })
    expect(map(", tolerate: 12.5%, max_concurrent: 100")).toMatchObject({ tolerate: { percent: 12.5 }, max_concurrent: 100 })
    for (const wrong of ["101%", "-1", "some", "1.5", "10001", "[3]", "%"])
      expect([wrong, map(`, tolerate: "${wrong}"`)]).toEqual([wrong, undefined])
  })

  test("[F30] wait: a duration, a time, or a signal with a way out", () => {
    expect(stepOf("type: wait, for: 30s")).toEqual({ ...common, type: "wait", for: "30s" })
    expect(stepOf('type: wait, until: "2027-01-31T09:00:00Z"')).toEqual({ ...common, type: "wait", until: "2027-01-31T09:00:00Z" })
    expect(stepOf('type: wait, until: "${{flow.input.at}}"')).toMatchObject({ until: "${{flow.input.at}}" })
    const text = "  - { id: w, type: wait, signal: paid, timeout: 1h, on_timeout: late }\n  - { id: late, type: agent, agent: worker }\n"
    expect(check(text)).toEqual([])
    for (const wrong of [
      "",
      "for: 0",
      "for: soon",
      "until: tomorrow",
      "until: '2027-02-30T00:00:00Z'",
      "signal: a/b",
      "for: 1s, until: 2027-01-01",
      "signal: s, on_timeout: a",
      "for: 1s, timeout: 2s, on_timeout: a",
    ])
      expect([wrong, stepOf(`type: wait${wrong === "" ? "" : `, ${wrong}`}`)]).toEqual([wrong, undefined])
  })

  test("[F21] a fork may allow several options, or words of one's own when an agent can route them", () => {
    const fork = "type: fork, question: q, options: [x], branches: { x: a }"
    expect(stepOf(`${fork}, multiSelect: true`)).toMatchObject({ multiSelect: true, allowCustom: false })
    expect(stepOf(`${fork}, allowCustom: true, agent: judge`)).toMatchObject({ multiSelect: false, allowCustom: true })
  })
})

describe("children", () => {
  const flows = children()
  const ref = (inputs: string): string[] => codes(check(`  - { id: a, type: flow-ref, flow: child, inputs: { ${inputs} } }\n`, { flows }))

  test("[F23c] inputs are held to the child's: there, of its type, none beyond", () => {
    expect(ref("doc: some text")).toEqual([])
    expect(ref('doc: "${{task}}", count: 3, tags: \'["x"]\'')).toEqual([])
    expect(ref("count: 3")).toEqual(["error FV-FLOW-INPUT"])
    expect(ref("doc: d, count: many")).toEqual(["error FV-FLOW-INPUT"])
    expect(ref('doc: d, count: "${{task}}"')).toEqual(["error FV-FLOW-INPUT"])
    expect(ref('doc: d, tags: "all of ${{task}}"')).toEqual(["error FV-FLOW-INPUT"])
    expect(ref("doc: d, cuont: 3")).toEqual(["error FV-FLOW-INPUT"])
  })

  test("[F23] without the catalog nothing is said of children", () => {
    expect(check("  - { id: a, type: flow-ref, flow: nobody, inputs: { x: y } }\n")).toEqual([])
  })

  test("[F41] a child's result has its declared outputs, a map's its counts, a wait's its payload, a handler's its outputs", () => {
    const uses = (step: string, field: string): string[] =>
      codes(
        check(
          `${step}  - { id: z, type: agent, agent: worker, task: "\${{result.a.${field}}}" }\n`,
          { flows },
          "inputs: { list: { type: array } }\n",
        ),
      )
    const kinds: Readonly<Record<string, readonly string[]>> = {
      "  - { id: a, type: flow-ref, flow: child, inputs: { doc: x } }\n": ["text"],
      '  - { id: a, type: map, over: "${{flow.input.list}}", do: child, inputs: { doc: x } }\n': [
        "total",
        "succeeded",
        "failed",
        "results",
      ],
      "  - { id: a, type: wait, signal: go }\n": ["payload"],
      "  - { id: a, type: code, outputs: [sum] }\n": ["sum"],
    }
    for (const [step, fields] of Object.entries(kinds)) {
      for (const field of [...fields, "summary", "status"]) expect([step, field, uses(step, field)]).toEqual([step, field, []])
      expect([step, uses(step, "other")]).toEqual([step, ["error FV-REF-FIELD"]])
    }
    expect(uses("  - { id: a, type: wait, for: 1s }\n", "payload")).toEqual(["error FV-REF-FIELD"])
  })

  test("[F23e] a flow that runs itself through others, with and without a decision", () => {
    const use = (flow: string, always: boolean, type: "flow-ref" | "map" = "flow-ref") => ({ step: "s", flow, type, always })
    const face = (...uses: FlowFace["uses"]): FlowFace => ({ inputs: {}, outputs: [], uses })
    const says = (steps: string, flows: readonly (readonly [string, FlowFace])[]): readonly Diagnostic[] =>
      check(steps, { flows: new Map(flows) })
    const runsB = "  - { id: a, type: flow-ref, flow: b }\n"
    const [d] = says(runsB, [
      ["b", face(use("c", true))],
      ["c", face(use("n", true))],
    ])
    expect([d?.severity, d?.code]).toEqual(["error", "FV-FLOW-RECURSION"])
    expect(d?.message).toContain("n → b → c → n")
    expect(
      says(runsB, [
        ["b", face(use("c", false))],
        ["c", face(use("n", true))],
      ]),
    ).toEqual([])
    expect(codes(says(runsB, [["b", face(use("n", true, "map"))]]))).toEqual(["warning FV-FLOW-RECURSION"])
    const decided =
      "  - { id: d, type: agent-decision, agent: judge, branches: { more: a, done: z } }\n  - { id: a, type: flow-ref, flow: n, on_complete: z }\n  - { id: z, type: agent, agent: worker }\n"
    expect(says(decided, [])).toEqual([])
  })

  test("[F23e] a face says whether every way runs the child", () => {
    const always = (steps: string): boolean[] => {
      const { flow, diagnostics } = parseFlow(file(steps), "n")
      if (flow === undefined) throw new Error(JSON.stringify(diagnostics))
      return faceOf(flow).uses.map((u) => u.always)
    }
    expect(always("  - { id: a, type: flow-ref, flow: b }\n  - { id: z, type: agent, agent: worker }\n")).toEqual([true])
    expect(
      always(
        "  - { id: c, type: conditional, check: c, present: a, absent: z }\n  - { id: a, type: flow-ref, flow: b }\n  - { id: z, type: agent, agent: worker }\n",
      ),
    ).toEqual([false])
    expect(
      always(
        "  - { id: x, type: agent, agent: worker, on_complete: z }\n  - { id: a, type: flow-ref, flow: b }\n  - { id: z, type: agent, agent: worker }\n",
      ),
    ).toEqual([false])
  })

  test("[F23c] text that nests deeper than 64 levels is not a value", () => {
    const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels)
    expect(literalOf(nested(64), "array")).toBeDefined()
    expect(literalOf(nested(65), "array")).toBeUndefined()
    expect(literalOf(nested(500_000), "array")).toBeUndefined()
    expect(literalOf(`{"a":${nested(500_000)}}`, "object")).toBeUndefined()
  })

  test("[F23c] text is read as a value of the input's type", () => {
    expect([
      literalOf(" 3 ", "number"),
      literalOf("true", "boolean"),
      literalOf("[1]", "array"),
      literalOf('{"a":1}', "object"),
      literalOf("3", "string"),
    ]).toEqual([3, true, [1], { a: 1 }, "3"])
    for (const [text, type] of [
      ["3x", "number"],
      ["", "number"],
      ["1e999", "number"],
      ["yes", "boolean"],
      ["{}", "array"],
      ["[]", "object"],
      ["null", "object"],
      ["[1", "array"],
    ] as const)
      expect([text, literalOf(text, type)]).toEqual([text, undefined])
  })
})

describe("maps", () => {
  const over = (template: string): string[] =>
    codes(
      check(
        `  - { id: s, type: agent, agent: scorer }\n  - { id: c, type: code, outputs: [rows] }\n  - { id: r, type: agent, agent: rich }\n  - { id: m, type: map, over: "${template}", do: child, inputs: { doc: "\${{item}} \${{item.a.b.0}} \${{index}}" }, task: "\${{item.x}}" }\n`,
        { flows: children() },
        "inputs: { list: { type: array }, topic: { type: string } }\nconfig: { some: [1, 2], tone: dry }\n",
      ).filter((d) => d.code.startsWith("FV-MAP") || d.code.startsWith("FV-REF-ITEM")),
    )

  test("[F41] over a list, by one reference and nothing else", () => {
    for (const good of ["${{flow.input.list}}", "${{config.some}}", "${{result.c.rows}}", "${{result.s.files}}", " ${{result.c.rows}} "])
      expect([good, over(good)]).toEqual([good, []])
    for (const bad of [
      "${{flow.input.topic}}",
      "${{config.tone}}",
      "${{result.s.summary}}",
      "${{result.s.score}}",
      "${{result.s.note}}",
      "${{result.s}}",
      "${{task}}",
      "${{result.c.rows}} ${{task}}",
      "x ${{result.c.rows}}",
      "a, b",
    ])
      expect([bad, over(bad)]).toEqual([bad, ["error FV-MAP-OVER"]])
    expect(over("${{item}}")).toEqual(["error FV-REF-ITEM"])
  })
})

test("[F24] a code step without a handler is a warning that says where to put it", () => {
  const text = "  - { id: have, type: code }\n  - { id: want, type: code }\n"
  const found = check(text, { code: new Set(["have"]) })
  expect(codes(found)).toEqual(["warning FV-CODE-HANDLER"])
  expect(found[0]?.suggestion).toContain("PUT /v1/code/n/want")
  expect(check(text)).toEqual([])
})

test("[F4] a flow of pi-flows 0.3 loads unchanged, with its types and code", () => {
  const text = `name: audit
description: checks and repairs until it is right
task_required: true
inputs:
  path: { type: string, required: true }
steps:
  - id: collect
    type: code
    inputs: { path: "\${{flow.input.path}}" }
    outputs:
      - name: rows
      - name: count
  - id: judge
    type: agent-decision
    agent: judge
    task: "Look at \${{result.collect.rows}}"
    branches: { repair: collect, fine: decide }
    max_iterations: 3
  - id: decide
    type: code-decision
    inputs: { count: "\${{result.collect.count}}" }
    branches: { big: report, small: report }
  - id: report
    type: agent
    agent: worker
    task: "\${{result.collect.count}}"
`
  expect(validateFlow(text, "team:audit", { agents }).diagnostics).toEqual([])
})
