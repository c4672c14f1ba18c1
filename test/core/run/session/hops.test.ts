// Where redirects may lead a call [G11, T31]: the guard judges the address that the call names, this judges the redirects.

import { describe, expect, test } from "vitest"
import { DEFAULT_POLICY } from "../../../../src/core/tool/policy/policy.ts"
import type { SkillPermissions } from "../../../../src/core/tool/policy/skill-permissions.ts"
import { hopJudge } from "../../../../src/core/run/session/hops.ts"
import { compile } from "../../../../src/core/run/plan.ts"
import type { Agent } from "../../../../src/core/flow/agent.ts"
import type { ToolSpec } from "../../../../src/core/tool/tool-spec.ts"
import { agent, agentOf, flowOf, TOOLS } from "../../../support/kernel/builders.ts"
import { call, Shell } from "../../../support/kernel/shell.ts"

const tool = (name: string, more: Partial<ToolSpec>): ToolSpec => ({
  name,
  description: name,
  parameters: { type: "object", properties: { url: { type: "string" } }, additionalProperties: false },
  effect: "read",
  contexts: ["agent"],
  ...more,
})
const FETCH = tool("fetch", { reach: { to: { arg: "url" }, method: { fixed: "GET" } } })
const OWN = [FETCH, tool("page", { untrusted: true }), tool("memory", { private: true })]
const url = "https://shop.example/x"

function session(more: Partial<Agent>, permissions: SkillPermissions | undefined, ...reads: string[]): Shell {
  const worker = agentOf("worker", { tools: { kind: "list", names: OWN.map((t) => t.name) }, ...more })
  const skills = permissions ? { s: { name: "s", description: "", text: "", permissions } } : {}
  const rules = { policy: { ...DEFAULT_POLICY, network: { allow: ["*.good.example"] } }, scopes: [], version: 0 }
  const shell = new Shell(compile({ flow: flowOf([agent("a")]), agents: { worker }, skills, tools: [...TOOLS, ...OWN] }), { rules })
  for (const name of reads) {
    shell.reply("a", call(name, {}))
    shell.returns("a", "c0")
  }
  return shell
}
const judged = (shell: Shell, host: string, port = 443) => hopJudge(shell.run, "a", FETCH, { url })(host, port)

describe("a redirect", () => {
  test("[G11] a redirect is free unless the session has read both text from outside and something private", () => {
    expect(judged(session({}, undefined), "evil.example")).toBeUndefined()
    expect(judged(session({}, undefined, "page"), "evil.example")).toBeUndefined()
    expect(judged(session({}, undefined, "memory"), "evil.example")).toBeUndefined()
  })

  test("[G11] after that, a redirect leads only to the approved host and to hosts that the policy names", () => {
    const shell = session({}, undefined, "page", "memory")
    expect(judged(shell, "shop.example")).toBeUndefined()
    expect(judged(shell, "api.good.example")).toBeUndefined()
    expect(judged(shell, "evil.example")).toContain("evil.example")
    expect(judged(session({ effects: { after_untrusted: "allow" } }, undefined, "page", "memory"), "evil.example")).toBeUndefined()
  })

  test("[G11] a tool whose address is a setting asks the service it was approved for, and is led nowhere else", () => {
    const permits = hopJudge(session({}, undefined, "page", "memory").run, "a", tool("search", { reach: { method: { fixed: "GET" } } }), {})
    expect(permits("search.example", 443)).toBeUndefined()
    expect(permits("evil.example", 443)).toContain("evil.example")
    expect(permits("search.example", 443)).toBeUndefined()
  })

  test("[T31] a redirect stays within the hosts and ports of every manifest of the agent's skills", () => {
    const permissions: SkillPermissions = {
      tools: ["*"],
      fs: { read: [], write: [] },
      net: [{ host: "*.shop.example", ports: [443] }],
      secrets: [],
      execution_environment: "sandbox",
    }
    const shell = session({ skills: ["s"] }, permissions)
    expect(judged(shell, "api.shop.example")).toBeUndefined()
    expect(judged(shell, "api.shop.example", 80)).toContain("outside")
    expect(judged(shell, "evil.example")).toContain("outside")
  })
})
