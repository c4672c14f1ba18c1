import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { codeScaffold, driftOf } from "../../../src/engine/code/code-scaffold.ts"
import { stripTypes } from "../../../src/engine/code/strip-types.ts"

const step = {
  type: "code-decision",
  id: "check",
  inputs: { doc: "${{result.read.total}}", who: "hello ${{task}}", status: "${{result.read.status}}", "odd-name": "${{flow.input.x}}" },
  outputs: ["score", "why"],
  branches: [
    { label: "ok", target: "a" },
    { label: "not ok", target: "b" },
  ],
} as const
const code = { type: "code", id: "check", inputs: { doc: "x" }, outputs: ["score"] } as const
const lines = (text: string, of: Parameters<typeof driftOf>[1]): string[] => driftOf(text, of).map((d) => `${d.line} ${d.message}`)

describe("scaffold", () => {
  test("[F24] [F27] its context is the client's HandlerContext, and has `call` only with tools", () => {
    const membersOf = (text: string, name: string): string =>
      new RegExp(`^(?:export )?interface ${name} \\{\\n(.*?)^\\}`, "ms").exec(text)?.[1] ?? ""
    const client = membersOf(readFileSync(new URL("../../../src/client/handler-context.ts", import.meta.url), "utf8"), "HandlerContext")
    expect(membersOf(codeScaffold("f", { ...code, tools: ["shop.reply"] }), "Context")).toBe(client)
    const without = membersOf(codeScaffold("f", code), "Context")
    expect(client.startsWith(without)).toBe(true)
    expect(client.slice(without.length)).toMatch(/^ {2}\/\*\* Calls a tool of the step's `tools`/)
  })

  test("[F24] the scaffold has the step's inputs and outputs, passes the checks of a write, and does not drift", () => {
    const text = codeScaffold("legal:nda", step)
    expect(text).toContain('readonly doc?: Json\n  readonly who: string\n  readonly status?: string\n  readonly "odd-name"?: Json')
    expect(text).toContain('score: Json\n  why: Json\n  branch: "ok" | "not ok"')
    expect(stripTypes(text, "ts")).toMatchObject({ code: expect.any(String), diagnostics: [] })
    expect(driftOf(text, step)).toEqual([])
    expect(stripTypes(codeScaffold("f", { ...code, inputs: {}, outputs: [] }), "ts").diagnostics).toEqual([])
  })

  test("[F24] webhook data arrives as JSON, so its type is not string", () => {
    expect(codeScaffold("f", { ...code, inputs: { doc: "${{trigger.body}}" } })).toContain("readonly doc?: Json")
  })
})

describe("drift", () => {
  test("[F24] names that only one side has get warnings at their line", () => {
    const text = "export interface Input {\n  doc: string\n  extra: string\n}\ntype Output = {\n  scor: number\n}\n"
    expect(driftOf(text, code)).toEqual([
      {
        code: "FV-DRIFT",
        line: 3,
        column: 3,
        severity: "warning",
        message: 'Input has "extra", which is not among the inputs of the step "check"',
        suggestion: "take it out, or add it to the step's inputs",
      },
      {
        code: "FV-DRIFT",
        line: 5,
        column: 1,
        severity: "warning",
        message: 'Output lacks "score", which is among the outputs of the step "check"',
        suggestion: "score: Json",
      },
      {
        code: "FV-DRIFT",
        line: 6,
        column: 3,
        severity: "warning",
        message: 'Output has "scor", which is not among the outputs of the step "check"',
        suggestion: 'did you mean "score"?',
      },
    ])
  })

  test("[F25] the labels of a decision are compared", () => {
    expect(lines('interface Output { score: 1; why: 2\n branch: "ok" | "bad" }', step)).toEqual([
      '2 the labels of Output.branch are not the branches of the step "check"',
    ])
    expect(lines("interface Output { score: 1; why: 2; branch: string }", step)).toEqual([])
    expect(lines("interface Output { score: 1; why: 2 }", step)).toEqual([
      '1 Output lacks "branch", which is among the outputs of the step "check"',
    ])
  })

  test("[F24] inherited and open types miss nothing, and a file that cannot be parsed does not drift", () => {
    expect(lines("interface Output extends Base {}\ninterface Input { [key: string]: string }", code)).toEqual([])
    expect(lines("export default () => ({})", code)).toEqual([])
    expect(lines("interface Output {", code)).toEqual([])
  })

  test.each([
    ["export default function (input) { return { scroe: 1 } }", ['1 the handler returns "scroe"', '1 the handler returns no "score"']],
    ["export default (input) => ({ score: 1, more: 2 })", ['1 the handler returns "more"']],
    ["const run = async () => {\n  return { } as const }\nexport default run", []],
    [
      "const run = async () => {\n  if (1) return { a: 1 }\n  return { score: 2 }\n}\nexport default run",
      ['2 the handler returns "a"', '2 the handler returns no "score"'],
    ],
    [
      "export default () => Math.random() > 0.5 ? { score: 1 } : { other: 1 }",
      ['1 the handler returns "other"', '1 the handler returns no "score"'],
    ],
    ["export default () => ({ ...rest })", []],
    ["export default () => ({ [key]: 1 })", []],
    ["export default () => made()", []],
    ["export default function () { const f = () => { return { x: 1 } }; return f() }", []],
    ["function run() { return { 'score': 1 } satisfies Output }\nexport default run", []],
  ])("[F24] what a handler visibly returns is compared with the outputs: %s", (text, expected) => {
    const found = lines(text, code)
    expect(found).toHaveLength(expected.length)
    for (const start of expected) expect(found.filter((line) => line.startsWith(start))).toHaveLength(1)
  })

  test("[F25] a visible branch is one of the labels", () => {
    expect(lines('export default () => ({ score: 1, why: 2, branch: "maybe" })', step)).toEqual([
      '1 the handler returns the branch "maybe", which is not a branch of the step "check"',
    ])
    expect(lines('export default () => ({ score: 1, why: 2, branch: "ok" })', step)).toEqual([])
  })
})
