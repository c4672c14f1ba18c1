// What the check says of maps whose calls go through the batch API [R32]: whatever below them takes several rounds.

import { expect, test } from "vitest"
import { faceOf, type FlowFace } from "../../../../src/core/flow/flow-face.ts"
import type { Agent } from "../../../../src/core/flow/agent.ts"
import { validateFlow } from "../../../../src/core/language/check-flow.ts"
import { parseFlow } from "../../../../src/core/language/parse-flow.ts"
import { catalog } from "../../../support/kernel/fixtures.ts"

const agents = catalog()
const [agent = ""] = agents.keys()
const bare = new Map([...agents].map(([name, one]): [string, Agent] => [name, { ...one, tools: { kind: "list", names: [] } }]))
const head = (name: string): string => `name: ${name}\ndescription: d\ninputs: { list: { type: array } }\nsteps:\n`
const faces = (texts: Readonly<Record<string, string>>): Map<string, FlowFace> =>
  new Map(
    Object.entries(texts).flatMap(([id, text]) => {
      const { flow } = parseFlow(text, id)
      return flow ? [[id, faceOf(flow)] as const] : []
    }),
  )
const MAP = `${head("x")}  - { id: m, type: map, over: "\${{flow.input.list}}", do: c, batch_api: true }\n`

test("[R32] FV-MAP-BATCH names steps with `until` at any depth below the map, and no others", () => {
  const plain = `  - { id: p, agent: ${agent} }\n`
  const judged = `  - { id: draft, agent: ${agent}, until: { scorer: good, at_least: 1 } }\n`
  const said = (texts: Readonly<Record<string, string>>): readonly string[] =>
    validateFlow(MAP, "x", { agents: bare, flows: faces(texts) })
      .diagnostics.filter((d) => d.code === "FV-MAP-BATCH")
      .map((d) => `${d.severity} ${d.message}`)
  expect(said({ c: head("c") + plain })).toEqual([])
  const below = { c: `${head("c")}${plain}  - { id: k, type: flow-ref, flow: e }\n`, e: head("e") + judged }
  expect(said(below)).toEqual(['warning step "m": the step "draft" of "e" has `until`, and each round waits for a batch of up to a day'])
})
