// What agent and flow files say of approvals, effects and commands; and the lint that names three tools.

import { describe, expect, test } from "vitest"
import { parseAgent } from "../../../../src/core/language/parse-agent.ts"
import { parseFlow } from "../../../../src/core/language/parse-flow.ts"
import { WORLD } from "../../../support/kernel/fixtures.ts"

const agentOf = (head: string) => parseAgent(`---\nname: a\ndescription: d\nmodel: "@fast"\n${head}---\n\${{task}}`, WORLD)
const codes = (head: string) => agentOf(head).diagnostics.map((d) => d.code)

describe("an agent's file", () => {
  test("[Q4] approvals, by channel and by tool", () => {
    const { agent, diagnostics } = agentOf(`tools: read, write
approvals: { tools: always, plans: never }
tool_approvals:
  write: { kind: dynamic, value: 'args.path == "x"' }
  file.read: default
  "mcp:files:*": always
  "group:web": never
  "send": { kind: dynamic, value: writes_outside }
`)
    expect(diagnostics).toEqual([])
    expect([agent?.approvals, agent?.tool_approvals]).toEqual([
      { tools: "always", plans: "never" },
      {
        write: { kind: "dynamic", value: 'args.path == "x"' },
        "file.read": "default",
        "mcp:files:*": "always",
        "group:web": "never",
        send: { kind: "dynamic", value: "writes_outside" },
      },
    ])
  })

  test("[Q4] unset stays unset: it is not never", () => {
    const { agent } = agentOf("tools: read\n")
    expect([agent?.approvals, agent?.tool_approvals, agent?.effects, agent?.denied_commands]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })

  test.each([
    ["approvals: { tools: perhaps }", ["AV-APPROVAL"]],
    ["approvals: always", ["AV-FIELD"]],
    ["approvals: { tool: always }", ["AV-MISSPELLED-KEY"]],
    ["tool_approvals: { write: { kind: dynamic, value: no_such_predicate } }", ["AV-APPROVAL"]],
    ["tool_approvals: { write: { kind: dynamic, value: args.a } }", ["AV-APPROVAL"]],
    ["tool_approvals: { write: [always] }", ["AV-APPROVAL"]],
    ["tool_approvals: { wriet: always }", ["AV-RULE"]],
    ["effects: { after_untrusted: perhaps }", ["AV-FIELD"]],
    ["effects: { after_untrustd: ask }", ["AV-MISSPELLED-KEY"]],
    ["access: { bash: { deny: rm * } }", []],
    ["access: { bash: [rm] }", ["AV-FIELD"]],
    ["access: { bash: { denied: [rm] } }", ["AV-UNKNOWN-KEY"]],
  ])("[Q4] %s", (line, expected) => {
    expect(codes(`tools: read\n${line}\n`)).toEqual(expected)
  })

  test("[G7] commands that are denied, commas and all", () => {
    const { agent } = agentOf('tools: read\naccess: { read: [a/**], bash: { deny: ["rm -rf *", "cut -d, *"] } }\n')
    expect([agent?.access, agent?.denied_commands]).toEqual([{ read: ["a/**"] }, ["rm -rf *", "cut -d, *"]])
  })

  test("[G8] tools of other roles may be named: calls of them are refused", () => {
    const { agent, diagnostics } = agentOf("tools: read, subagent, agent_write, flow_write\n")
    expect(agent?.tools).toEqual({ kind: "list", names: ["read", "subagent", "agent_write", "flow_write"] })
    expect(diagnostics.map((d) => `${d.code} ${d.severity}`)).toEqual([
      "AV-TOOL-ROLE warning",
      "AV-TOOL-ROLE warning",
      "AV-TOOL-ROLE warning",
    ])
  })

  test("[F53] a pattern names tools; a pattern that matches none is a warning", () => {
    expect(codes('tools: [read, "memory.*"]\n')).toEqual([])
    expect(agentOf('tools: [read, "mcp:x:*"]\n').diagnostics.map((d) => `${d.code} ${d.severity}`)).toEqual(["AV-TOOL warning"])
  })
})

describe("a flow's file", () => {
  const flowOf = (line: string) => parseFlow(`name: f\ndescription: d\n${line}\nsteps:\n  - { id: a, type: agent, agent: worker }\n`, "f")

  test("[Q4] approvals of every step", () => {
    const { flow } = flowOf("approvals: { tools: { kind: dynamic, value: writes } }")
    expect(flow?.approvals).toEqual({ tools: { kind: "dynamic", value: "writes" } })
    expect(flowOf("").flow?.approvals).toBeUndefined()
  })

  test.each([
    ["approvals: { tools: maybe }", ["FV-APPROVAL"]],
    ["approvals: { plan: always }", ["FV-MISSPELLED-KEY"]],
    ["approvals: [always]", ["FV-PARSE"]],
  ])("[Q4] %s", (line, expected) => {
    expect(flowOf(line).diagnostics.map((d) => d.code)).toEqual(expected)
  })
})

describe("the three together", () => {
  const ALL = "tools: memory.read, web.fetch, send\n"
  const says = (head: string) => codes(head).includes("AV-TRIFECTA")

  test("[G11] the warning names the three tools and what to change", () => {
    const [found] = agentOf(ALL).diagnostics
    expect([found?.code, found?.severity]).toEqual(["AV-TRIFECTA", "warning"])
    for (const name of ["memory.read", "web.fetch", "send"]) expect(found?.message).toContain(`(${name})`)
    expect(found?.suggestion).toContain("tool_approvals: { send: always }")
  })

  test("[G11] a look at the one host that the data came from is no leak: what is said is that it waits", () => {
    const [found, ...more] = agentOf("tools: shop.order\n").diagnostics
    expect([found?.code, more]).toEqual(["AV-WAITS", []])
    expect(found?.suggestion).toContain("network: { allow: [shop.example.com] }")
    expect(codes("tools: shop.order\neffects: { after_untrusted: allow }\n")).toEqual([])
    expect(codes("tools: shop.order\ntool_approvals: { shop.order: always }\n")).toEqual([])
    // What one host knows can leave by another way, and what the memory knows by this one.
    expect(codes("tools: shop.order, send\n")).toEqual(["AV-TRIFECTA"])
    expect(codes("tools: shop.order, memory.read\n")).toEqual(["AV-TRIFECTA"])
  })

  test.each([
    ["two of them", "tools: memory.read, send\n", false],
    ["files are private too", "tools: read, web.fetch, send\n", true],
    ["a fetch can carry things away by itself", "tools: memory.read, web.fetch\n", true],
    ["nothing private", "tools: web.fetch, send\n", false],
    ["all that is not denied", "denied_tools: [write]\n", true],
    ["the sender denied by a pattern", 'denied_tools: ["se*", "web.*"]\n', false],
    ["by pattern", 'tools: ["memory.*", "group:web", send]\n', true],
    ["asking is what the author wants", `${ALL}effects: { after_untrusted: ask }\n`, false],
    ["allowing is not asking", `${ALL}effects: { after_untrusted: allow }\n`, true],
    ["both ways out approved", `${ALL}tool_approvals: { send: always, web.fetch: always }\n`, false],
    ["one way out approved", `${ALL}tool_approvals: { send: always }\n`, true],
    ["every call approved", `${ALL}approvals: { tools: always }\n`, false],
    ["approved under a condition", `${ALL}approvals: { tools: { kind: dynamic, value: leaves_run } }\n`, false],
    ["one of them excepted", `${ALL}approvals: { tools: always }\ntool_approvals: { send: never }\n`, true],
  ])("[G11] %s", (_what, head, expected) => {
    expect(says(head)).toBe(expected)
  })
})
