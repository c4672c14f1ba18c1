// Where `cache` may stand [R39].

import { expect, test } from "vitest"
import { validateFlow } from "../../../../src/core/language/check-flow.ts"
import { agentOf, tool } from "../../../support/kernel/builders.ts"

const TOOLS = new Map([tool("looks", "read"), tool("writes", "write")].map((one) => [one.name, one]))
const AGENTS = new Map(
  [
    agentOf("reader", { tools: { kind: "list", names: ["looks"] } }),
    agentOf("writer", { tools: { kind: "list", names: ["looks", "writes"] } }),
    agentOf("planner", { tools: { kind: "list", names: [] }, role: "planner" }),
  ].map((one) => [one.name, one]),
)
const world = { agents: AGENTS, tools: new Map([...TOOLS, ["storePlan", tool("storePlan", "write")]]) }
const found = (steps: string): string[] =>
  validateFlow(`name: f\ndescription: d\nsteps:\n${steps}`, "f", world).diagnostics.flatMap(({ code, severity, line, message }) =>
    code === "FV-CODE-HANDLER" ? [] : [`${line} ${severity} ${code}: ${message}`],
  )

test("[R39] `cache` stands at the four types that ask, for 1m to 30d", () => {
  for (const cache of ["1m", "60000", "30d"])
    expect(
      found(
        `  - { id: a, type: agent, agent: reader, cache: ${cache} }
  - { id: c, type: code, cache: ${cache} }
  - { id: d, type: agent-decision, agent: reader, branches: { x: e, y: e }, cache: ${cache} }
  - { id: e, type: code-decision, branches: { x: g, y: g }, cache: ${cache} }
  - { id: g, type: agent, agent: reader }
`,
      ),
    ).toEqual([])
  for (const cache of ["59s", "31d", "1ms"])
    expect(found(`  - { id: a, type: agent, agent: reader, cache: ${cache} }\n`)).toEqual([
      '4 error FV-CACHE: step "a": a result is kept for 1m to 30d',
    ])
  expect(found("  - { id: a, type: agent, agent: reader, cache: soon }\n")[0]).toContain("error FV-PARSE")
})

test("[R39] another type, a sticky session and an agent that always changes something are faults", () => {
  const others = [
    "type: wait, for: 5s",
    "type: flow-ref, flow: x",
    'type: map, do: x, over: "${{task}}"',
    "type: fork, question: Q, options: [x, y], branches: { x: z, y: z }",
    "type: conditional, check: z, present: z, absent: z",
    "type: tool, tool: looks",
  ]
  for (const other of others)
    expect(
      found(`  - { id: a, ${other}, cache: 1h }\n  - { id: z, type: agent, agent: reader }\n`).filter((line) => /cache/i.test(line)),
    ).toEqual([
      `4 error FV-CACHE: step "a": only agent, agent-decision, code, code-decision keep results, and it is of type ${/type: ([a-z-]+)/.exec(other)?.[1] ?? ""}`,
    ])
  expect(found('  - { id: a, type: agent, agent: reader, session: "${{task}}", cache: 1h }\n')).toEqual([
    '4 error FV-CACHE: step "a": its conversation goes on from run to run, so no two passes ask the same',
  ])
  expect(found("  - { id: a, type: agent, agent: writer, cache: 1h }\n")).toEqual([
    '4 error FV-CACHE: step "a": its agent lists writes, which always changes something: a pass that calls it is never kept',
  ])
  expect(found("  - { id: a, type: agent, agent: planner, cache: 1h }\n").join()).toContain("its agent lists storePlan")
})
