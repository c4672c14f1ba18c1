// What a child run's typed inputs make of the text that its parent wires [F23c].

import { expect, test } from "vitest"
import { validateFlow } from "../../../../src/core/language/check-flow.ts"
import { literalsOf } from "../../../../src/core/flow/flow-face.ts"
import type { InputSpec } from "../../../../src/core/flow/flow.ts"
import { catalog } from "../../../support/kernel/fixtures.ts"

const spec = (type: InputSpec["type"]): InputSpec => ({ type, required: false })
const specs = { s: spec("string"), n: spec("number"), b: spec("boolean"), o: spec("object"), l: spec("array") }

test("[F23c] text is read as the type that the child declares; unreadable text is kept, and the child refuses it", () => {
  expect(literalsOf(specs, { s: "5", n: "5", b: "true", o: '{"a":1}', l: "[1]", strange: "5" })).toEqual({
    s: "5",
    n: 5,
    b: true,
    o: { a: 1 },
    l: [1],
    strange: "5",
  })
  expect(literalsOf(specs, { n: "five", l: "{}" })).toEqual({ n: "five", l: "{}" })
})

test("[F23c] a number and a boolean that are wired to text become text, as the check promises; lists and objects do not", () => {
  expect(literalsOf(specs, { s: 0 })).toEqual({ s: "0" })
  expect(literalsOf(specs, { s: 1e21 })).toEqual({ s: "1e+21" })
  expect(literalsOf(specs, { s: false, n: 3, b: true, l: [1], o: { a: 1 }, strange: 5 })).toEqual({
    s: "false",
    n: 3,
    b: true,
    l: [1],
    o: { a: 1 },
    strange: 5,
  })
  expect(literalsOf(specs, { s: [1], n: true, b: 1 })).toEqual({ s: [1], n: true, b: 1 })
})

test("[F23c] null is a value that is not there", () => {
  expect(literalsOf(specs, { s: null, n: null, b: null, o: null, l: null })).toEqual({ s: "" })
})

test("[F23c] a value that is not there leaves the input out, so that the child's default holds; text stays empty text", () => {
  expect(literalsOf(specs, { s: "", n: "", b: " ", o: "", l: "\n" })).toEqual({ s: "" })
})

test("[F23c] a count of rounds may be wired to a number", () => {
  const agents = catalog()
  const [agent = ""] = agents.keys()
  const text = `name: x
description: d
steps:
  - { id: k, type: agent-decision, agent: ${agent}, max_iterations: 2, branches: { again: k, on: r } }
  - { id: r, type: flow-ref, flow: c, inputs: { n: "\${{loop.k.iteration}}", s: "\${{loop.k.max}}", l: "\${{loop.k.max}}" } }
`
  const flows = new Map([["c", { inputs: { n: spec("number"), s: spec("string"), l: spec("array") }, outputs: [], uses: [] }]])
  const { diagnostics } = validateFlow(text, "x", { agents, flows })
  expect(diagnostics.flatMap((d) => (d.severity === "error" ? [d.message] : []))).toEqual([
    'step "r", input "l": the flow "c" expects a list, but ${{loop.k.max}} is a number',
  ])
})
