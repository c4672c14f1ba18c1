// [K20] The file of a flow's tests: every fault with its line, all at once.

import { builtInScorer } from "../../../src/core/score/built-in.ts"
import { describe, expect, test } from "vitest"
import { parseTests } from "../../../src/core/case/parse-tests.ts"

const faults = (text: string) => parseTests(text).diagnostics.map(({ code, line, severity }) => [code, line, severity])

describe("a file of tests", () => {
  test.each([
    ["cases:\n  - nam: x\n    expect: { status: succeeded }\n", 2],
    ["cases:\n  - name: x\n    expect: { statu: succeeded }\n", 3],
    ["cases:\n  - { name: x, expect: {} }\n  - { name: x, expect: {} }\n", 3],
    ["cases: 5\n", 1],
    ["cases:\n  - { name: x }\n", 2],
    ["case: []\n", 1],
    ["cases:\n  - x\n", 2],
    ["cases:\n  - name: ''\n    expect: {}\n", 2],
    ["cases:\n  - name: x\n    expect: {}\n    inputs: [1]\n", 4],
    ["cases:\n  - name: x\n    expect: {}\n    trigger: body\n", 4],
    ["cases:\n  - name: x\n    expect: {}\n    autonomous: maybe\n", 4],
    ["cases:\n  - name: x\n    expect: {}\n    rehearsal:\n      a:\n        - calls: [ { tool: read, resul: x } ]\n", 6],
    ["cases:\n  - name: x\n    expect: {}\n    rehearsal:\n      a:\n        - calls: [ { tool: read, untrusted: true } ]\n", 6],
    ["cases:\n  - name: x\n    expect: {}\n    answers:\n      - { answer: y }\n      - { notes: y }\n", 6],
    ["cases:\n  - name: x\n    expect:\n      status: done\n", 4],
    ["cases:\n  - name: x\n    expect:\n      turns: many\n", 4],
    ["cases:\n  - name: x\n    expect:\n      steps:\n        a: { stat: complete }\n", 5],
    ["cases:\n  - name: x\n    expect:\n      steps:\n        a: { called: read }\n", 5],
    ["cases:\n  - name: x\n    expect:\n      files:\n        a.md: { contains: x, equals: x }\n", 5],
    ["cases:\n  - name: x\n    expect:\n      output: { a: { matches: '(?=x)' } }\n", 4],
    ["cases:\n  - name: x\n    expect:\n      output: { a: { schema: 5 } }\n", 4],
    ["cases:\n  - name: x\n    expect:\n      tool_calls: { at_most: few }\n", 4],
  ])("[K20] %j has its first error in line %i", (text, line) => {
    const { tests, diagnostics } = parseTests(text)
    expect(tests).toBeUndefined()
    expect(diagnostics.find((d) => d.severity === "error")?.line).toBe(line)
  })

  test("[K20] more than 100 cases are one fault", () => {
    const many = Array.from({ length: 101 }, (_, i) => `  - { name: c${i}, expect: {} }\n`)
    expect(faults(`cases:\n${many.join("")}`)).toEqual([["TV-LIMIT", 102, "error"]])
    expect(parseTests(`cases:\n${many.slice(1).join("")}`).tests?.cases).toHaveLength(100)
  })

  test("[K20] a case is read whole: results of calls are text, JSON or an error", () => {
    const { tests, diagnostics } = parseTests(`cases:
  - name: whole
    task: go
    inputs: { n: 1 }
    trigger: { body: { x: 1 } }
    autonomous: false
    rehearsal:
      a:
        - calls:
            - { tool: one, args: { x: 1 }, result: text }
            - { tool: two, result: { a: [1] }, untrusted: true }
            - { tool: three, result: { error: no } }
            - { tool: four }
        - { text: hm, last: true }
      child/b: [ { finish: { status: complete } } ]
    answers: [ { answer: y, step: a }, { decision: approve } ]
    expect: { status: succeeded, output: { n: { at_least: 2, at_most: 3 } } }
`)
    expect(diagnostics).toEqual([])
    const [one] = tests?.cases ?? []
    expect(one).toMatchObject({ name: "whole", task: "go", inputs: { n: 1 }, trigger: { body: { x: 1 } }, autonomous: false })
    expect(one?.rehearsal.get("a")?.[0]?.calls?.map(({ result }) => result)).toEqual([
      { text: "text", isError: false },
      { text: '{"a":[1]}', isError: false, untrusted: true },
      { text: "no", isError: true },
      undefined,
    ])
    expect(one?.rehearsal.get("a")?.[1]).toEqual({ text: "hm", last: true })
    expect([...(one?.rehearsal.keys() ?? [])]).toEqual(["a", "child/b"])
    expect(one?.answers).toEqual([{ step: "a", body: { answer: "y" } }, { body: { decision: "approve" } }])
  })

  test("[V39] a scorer of `scores` exists and asks no model, and a score is a number from 0 to 1, null or a matcher", () => {
    const of = (scores: string): string[] =>
      parseTests(`cases:\n  - { name: x, expect: { scores: ${scores} } }\n`, { scorers: builtInScorer }).diagnostics.map((d) => d.code)
    expect(of("{ tools-worked: 1, succeeded: { at_least: 0.5 }, expected: null }")).toEqual([])
    expect(of("{ criteria: 1 }")).toEqual(["TV-SCORER"])
    expect(of("{ nobody: 1 }")).toEqual(["TV-SCORER"])
    expect([of("{ succeeded: 2 }"), of("{ succeeded: yes please }"), of("5")]).toEqual([["TV-EXPECT"], ["TV-EXPECT"], ["TV-EXPECT"]])
    const row = parseTests("cases:\n  - { name: x, expect: { scores: { succeeded: 1 } } }\n", { scorers: "none" })
    expect(row.diagnostics.map((d) => d.code)).toEqual(["TV-EXPECT"])
  })

  test("[K20] a step and a tool that do not exist are warnings", () => {
    const text = `cases:
  - name: x
    rehearsal:
      b: [ { calls: [ { tool: raed } ] } ]
    expect: { branches: { c: left }, steps: { a: { refused: [raed] } } }
`
    const { tests, diagnostics } = parseTests(text, { steps: ["a"], tools: new Set(["read"]) })
    expect(tests).toBeDefined()
    expect(diagnostics.map(({ code, line }) => [code, line])).toEqual([
      ["TV-STEP", 4],
      ["TV-TOOL", 4],
      ["TV-STEP", 5],
      ["TV-TOOL", 5],
    ])
  })

  test("[K20] a name that is too long, and a file of nothing but commas", () => {
    expect(faults(`cases:\n  - { name: ${"n".repeat(201)}, expect: {} }\n`)).toEqual([["TV-NAME", 2, "error"]])
    expect(faults(`cases: [${"1,".repeat(210_000)}1]\n`)[0]?.[0]).toBe("TV-LIMIT")
  })

  test("[K20] 2,000 keys are not too many for tests, and 20,000 are", () => {
    const keys = (n: number) => Array.from({ length: n }, (_, i) => `k${i}: 1`).join(", ")
    const text = (n: number) => `cases:\n  - name: x\n    inputs: { ${keys(n)} }\n    expect: {}\n`
    expect(parseTests(text(5_000)).tests).toBeDefined()
    expect(faults(text(20_001)).map(([code]) => code)).toEqual(["TV-LIMIT"])
    const long = (n: number) => `cases:\n  - name: x\n    task: ${"x".repeat(n)}\n    expect: {}\n`
    expect(parseTests(long(500_000)).tests).toBeDefined()
    expect(faults(long(525_000)).map(([code]) => code)).toEqual(["TV-LIMIT"])
  })
})
