// What a page about agents is told: which tools an agent has in a step, by which line, and what names each agent and skill [T33].

import { describe, expect, test } from "vitest"
import { parsePolicy } from "../../../src/core/tool/policy/parse-policy.ts"
import type { ToolSpec } from "../../../src/core/tool/tool-spec.ts"
import type { ToolPlace } from "../../../src/ports/tenant/catalog.ts"
import { flow, stocked } from "../../support/engine/memory-catalog.ts"

const SETTINGS = { providers: ["p", "q"], roles: { default: "p/m" } }
const AGENT = `---
name: a
description: works
model: p/m
tools:
  - read
  - "w*"
  - grep
tool_approvals:
  write: { kind: dynamic, value: args.path == "x" }
skills: [docs]
inputs: [doc]
outputs: [findings, { name: severity, type: number }]
---
Do it.
`
const bundle = {
  agents: { "a.md": AGENT, "b.md": "---\nname: b\ndescription: other\ntools: [read]\n---\nDo it.\n" },
  skills: { "docs/SKILL.md": "---\nname: docs\ndescription: how\n---\nINDEX\n" },
  flows: {
    "f.yaml": `autonomous: false\n${flow(
      "f",
      "  - { id: x, type: agent, agent: a }\n  - { id: y, type: agent, agent: a, model: q/n }\n  - { id: z, type: agent, agent: b }\n",
    )}`,
    "g.yaml": `autonomous: true\napprovals: { tools: always }\n${flow("g", "  - { id: x, type: agent, agent: a }\n")}`,
  },
}
const spec = (name: string, more: Partial<ToolSpec> = {}): ToolSpec => ({
  name,
  description: "what it is for",
  parameters: { type: "object", properties: {} },
  effect: "read",
  contexts: ["agent"],
  ...more,
})
const tools = [
  spec("read"),
  spec("write", { effect: "write" }),
  spec("web"),
  spec("grep", { approval: "always" }),
  spec("bash"),
  spec("ask_user"),
]

async function explained(place?: ToolPlace, policy: unknown = {}) {
  const { catalog } = await stocked(bundle)
  const read = parsePolicy(policy)
  if (!read.ok) throw new Error(JSON.stringify(read.error))
  const rows = await catalog.agentTools("a", { tools, policy: read.value, settings: SETTINGS }, place)
  return rows && Object.fromEntries(rows.map((row) => [row.name, row]))
}

describe("an agent's tools", () => {
  test("[T33] each names the entry and the line that ask for it, its weight, and whether a person is asked", async () => {
    const rows = (await explained()) ?? {}
    expect(rows["read"]).toMatchObject({ granted: true, by: "read", line: 6, asks: "never" })
    expect(rows["write"]).toMatchObject({ granted: true, by: "w*", line: 7, asks: "sometimes" })
    expect(rows["web"]).toMatchObject({ granted: true, by: "w*", line: 7, asks: "never" })
    expect(rows["grep"]).toMatchObject({ granted: true, by: "grep", line: 8, asks: "always" })
    expect(rows["bash"]).toMatchObject({ granted: false, by: null, line: null })
    expect(rows["finish"]).toMatchObject({ granted: true, by: null, asks: "never" })
    expect(rows["read"]?.tokens).toBe(
      Math.ceil(("read".length + '"what it is for"'.length + '{"type":"object","properties":{}}'.length) / 4),
    )
    expect(rows["finish"]?.tokens).toBeGreaterThan(20)
  })

  test("[T33] in a step its model counts, and the flow's approvals and autonomy", async () => {
    const policy = { tools: { providers: { q: { deny: ["web"] } } } }
    expect((await explained({ flow: "f", step: "x" }, policy))?.["web"]).toMatchObject({ granted: true })
    expect((await explained({ flow: "f", step: "y" }, policy))?.["web"]).toMatchObject({
      granted: false,
      by: "w*",
      rule: expect.stringContaining("q"),
    })
    const auto = await explained({ flow: "g", step: "x" })
    expect(auto?.["read"]).toMatchObject({ asks: "always" })
    expect(auto?.["ask_user"]).toMatchObject({ granted: false })
    expect((await explained({ flow: "f", step: "x" }))?.["ask_user"]).toMatchObject({ granted: true })
  })

  test("[T33] a hook and careful autonomy ask before each call", async () => {
    expect((await explained(undefined, { hooks: { confirm: ["web"] } }))?.["web"]).toMatchObject({ asks: "always" })
    const careful = await explained(undefined, { autonomy: "conservative" })
    expect(careful?.["write"]).toMatchObject({ asks: "always" })
    expect(careful?.["read"]).toMatchObject({ asks: "never" })
  })

  test("[T33] a step of another agent, and one that is not there, have no answer", async () => {
    for (const place of [
      { flow: "f", step: "z" },
      { flow: "f", step: "none" },
      { flow: "none", step: "x" },
    ])
      expect(await explained(place)).toBe(undefined)
  })
})

describe("what names them", () => {
  test("[F76] each agent has its model, tools, skills, inputs and outputs, and every step and agent that names it", async () => {
    const { catalog } = await stocked(bundle)
    const rows = await catalog.used("agent")
    const local = rows.filter(({ tier }) => tier === "local")
    expect(local.map(({ id, used }) => [id, used])).toEqual([
      ["a", 3],
      ["b", 1],
    ])
    expect(local[0]).toMatchObject({
      description: "works",
      model: "p/m",
      tools: 3,
      skills: ["docs"],
      inputs: ["doc"],
      outputs: ["findings", "severity"],
      errors: 0,
      uses: [
        { kind: "flow", id: "f", step: "x" },
        { kind: "flow", id: "f", step: "y" },
        { kind: "flow", id: "g", step: "x" },
      ],
    })
    expect(await catalog.used("agent", "b")).toHaveLength(1)
    expect(await catalog.used("agent", "none")).toEqual([])
    expect((await catalog.used("skill", "docs"))[0]).toMatchObject({ description: "how", used: 1, uses: [{ kind: "agent", id: "a" }] })
  })
})
