// Roles, routes and toolkits in the kernel [C33, C40–C42, T42, T43]: the tools of a role, and the run that a call started.

import { describe, expect, test } from "vitest"
import type { Agent } from "../../../../src/core/flow/agent.ts"
import { CALL_AGENT, TOOLKITS, toolkitTools } from "../../../../src/core/tool/toolkits.ts"
import { DEFAULT_POLICY } from "../../../../src/core/tool/policy/policy.ts"
import { grantOf } from "../../../../src/core/run/session/grant.ts"
import { compile } from "../../../../src/core/run/plan.ts"
import { SPECS } from "../../../../src/tools/toolbox.ts"
import { agent, agentOf, flowOf } from "../../../support/kernel/builders.ts"
import { call, finish, Shell, type StartOptions } from "../../../support/kernel/shell.ts"

const granted = (more: Partial<Agent>, policy = DEFAULT_POLICY): string[] => {
  const worker = agentOf("worker", { tools: { kind: "list", names: [] }, ...more })
  const plan = compile({ flow: flowOf([agent("a")]), agents: { worker }, skills: {}, tools: [...SPECS.values()] })
  return grantOf(plan, worker, true, policy)
    .filter((name) => name !== "finish")
    .toSorted()
}

describe("toolkits", () => {
  test("[T43] every tool of a toolkit exists", () => {
    expect(
      Object.values(TOOLKITS)
        .flat()
        .filter((name) => !SPECS.has(name)),
    ).toEqual([])
  })

  test("[T42] a role brings its tools: a planner cannot execute, a coordinator only calls, a specialist has the tools it declares", () => {
    expect(granted({ role: "planner" })).toEqual(["getPlan", "storePlan"])
    expect(granted({ role: "executor" })).toEqual(["executePlan", "getPlan", "glimpseRef", "resolveRef"])
    expect(granted({ role: "coordinator" })).toEqual(["call_agent"])
    expect(granted({ role: "specialist" })).toEqual([])
    expect(granted({})).toEqual([])
    expect(granted({ role: "constructor" })).toEqual([])
  })

  test("[T43] a toolkit adds to the role's and the agent's own tools; `plans` covers the whole life of a plan", () => {
    expect(granted({ role: "planner", toolkits: ["references"], tools: { kind: "list", names: ["read"] } })).toEqual([
      "getPlan",
      "glimpseRef",
      "read",
      "resolveRef",
      "storePlan",
    ])
    expect(granted({ role: "planner", toolkits: ["catalog"] })).toEqual([...(TOOLKITS["catalog"] ?? []), "getPlan", "storePlan"].toSorted())
    expect(granted({ toolkits: ["plans"] })).toEqual(["executePlan", "getPlan", "storePlan"])
    expect(toolkitTools({ toolkits: ["toString", "nothing"] })).toEqual([])
  })

  test("[T43] toolkit tools are not inherited, and the policy can deny them like any tool", () => {
    const inherited = granted({ tools: { kind: "inherit", denied: [] } })
    expect(inherited).toContain("read")
    expect(inherited.filter((name) => Object.values(TOOLKITS).flat().includes(name))).toEqual([])
    const policy = { ...DEFAULT_POLICY, tools: { ...DEFAULT_POLICY.tools, deny: ["storePlan"] } }
    expect(granted({ role: "planner" }, policy)).toEqual(["getPlan"])
  })
})

function lead(options: StartOptions = {}, names: readonly string[] = []): Shell {
  const worker = agentOf("worker", { role: "coordinator", routes: ["mate"], tools: { kind: "list", names } })
  return new Shell(
    compile({ flow: flowOf([agent("a")]), agents: { worker, mate: agentOf("mate") }, skills: {}, tools: [...SPECS.values()] }),
    options,
  )
}
const USED = { tokens: 40, usd: null, tool_calls: 2, steps: 1 }

describe("a run that a call started", () => {
  test("[T42] its usage counts for the caller, which lists it among its children", () => {
    const shell = lead()
    shell.reply("a", call(CALL_AGENT, { agent: "mate", prompt: "go" }))
    const key = shell.flying("a", "/tool/c0")
    const content = [{ type: "text" as const, text: "done" }]
    shell.tell({ type: "tool.result", key, result: { isError: false, content, child: { run: "run_x", usage: USED } } })
    expect(shell.run.children).toEqual(["run_x"])
    expect(shell.run.usage).toMatchObject({ children: 40, tool_calls: 3, steps: 2 })
  })

  test("[T42] a lost call is made again; a run that its caller abandons is canceled by its key", () => {
    const shell = lead()
    shell.reply("a", call(CALL_AGENT, { agent: "mate", prompt: "go" }))
    shell.crash()
    expect(shell.keys()).toEqual(["a/1/0/tool/c0"])
    expect(shell.events("tool.uncertain")).toEqual([])
    shell.tell({ type: "cancel", by: "ann" })
    expect(shell.run.orphans).toEqual(["a/1/0/tool/c0"])
  })

  test("[J5] a lost call is made again before calls approved meanwhile, which wait for its reservation", () => {
    const policy = { ...DEFAULT_POLICY, hooks: { ...DEFAULT_POLICY.hooks, confirm: ["write"] } }
    const shell = lead({ started: { budget: { tool_calls: 10 } }, rules: { policy, scopes: [], version: 1 } }, ["write"])
    shell.reply("a", call("write", { path: "a", content: "b" }), call(CALL_AGENT, { agent: "mate", prompt: "go" }))
    shell.answer("i1", { decision: "approve" })
    shell.crash()
    expect(shell.keys()).toEqual(["a/1/0/tool/c1"])
    const child = { run: "run_x", usage: USED }
    shell.tell({ type: "tool.result", key: "a/1/0/tool/c1", result: { isError: false, content: [], child } })
    expect(shell.keys()).toEqual(["a/1/0/tool/c0"])
  })

  test("[G1] a call lost in a pause and forbidden by then is canceled, its reservation is spent, and its caller continues", () => {
    const shell = lead({ started: { budget: { tokens: 50_000 } } })
    shell.reply("a", call(CALL_AGENT, { agent: "mate", prompt: "go" }))
    shell.tell({ type: "pause", reason: "operator" })
    shell.crash()
    const policy = { ...DEFAULT_POLICY, denylist: [{ tool: CALL_AGENT, reason: "an incident" }] }
    shell.tell({ type: "resume", reason: "operator", rules: { policy, scopes: [], version: 2 } })
    expect([shell.events("tool.uncertain").length, shell.run.orphans]).toEqual([1, ["a/1/0/tool/c0"]])
    expect(shell.run.budget.holds).not.toHaveProperty(["a/1/0/tool/c0/child"])
    expect(shell.pending().map((i) => i.kind)).toEqual(["budget"])
  })

  test("[T42] [F23d] a run whose call failed before its end is canceled by its key", () => {
    const shell = lead()
    shell.reply("a", call(CALL_AGENT, { agent: "mate", prompt: "go" }))
    const content = [{ type: "text" as const, text: "the connection was lost" }]
    shell.tell({ type: "tool.result", key: "a/1/0/tool/c0", result: { isError: true, content, child: { run: "run_x" } } })
    expect(shell.run.orphans).toEqual(["a/1/0/tool/c0"])
  })

  test("[T42] a run that returned is not an orphan", () => {
    const shell = lead()
    shell.reply("a", call(CALL_AGENT, { agent: "mate", prompt: "go" }))
    shell.returns("a", "c0")
    shell.reply("a", finish())
    expect([shell.run.status, shell.run.orphans]).toEqual(["succeeded", []])
  })

  test("[B5] it gets the rest of the budget, reserved until its cost is known", () => {
    const shell = lead({ started: { budget: { tokens: 50_000, tool_calls: 10 } } })
    shell.reply("a", call(CALL_AGENT, { agent: "mate", prompt: "go" }))
    const key = shell.flying("a", "/tool/c0")
    const held = shell.run.budget.holds[`${key}/child`]?.amount
    const ledger = shell.run.budget.run
    expect(held).toEqual({ tokens: 50_000 - (ledger?.spent.tokens ?? 0), tool_calls: 9 })
    shell.crash()
    expect(shell.run.budget.holds[`${key}/child`]?.amount).toEqual(held)
    const child = { run: "run_x", usage: USED, spent: { tokens: 40, tool_calls: 2 } }
    shell.tell({ type: "tool.result", key, result: { isError: false, content: [{ type: "text", text: "x" }], child } })
    expect(shell.run.budget.holds).not.toHaveProperty([`${key}/child`])
    expect(shell.run.budget.run?.spent).toMatchObject({ tokens: 55, tool_calls: 3 })
  })

  test("[B5] a run that reports no usage spends its whole budget; a run that never began costs nothing", () => {
    for (const [child, calls] of [
      [{ run: "run_x" }, 10],
      [undefined, 1],
    ] as const) {
      const shell = lead({ started: { budget: { tool_calls: 10 } } })
      shell.reply("a", call(CALL_AGENT, { agent: "mate", prompt: "go" }))
      const key = shell.flying("a", "/tool/c0")
      shell.tell({
        type: "tool.result",
        key,
        result: { isError: true, content: [{ type: "text", text: "x" }], ...(child ? { child } : {}) },
      })
      expect(shell.run.budget.run?.spent.tool_calls).toBe(calls)
    }
  })
})
