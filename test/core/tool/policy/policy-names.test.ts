import { describe, expect, test } from "vitest"
import { parsePolicy } from "../../../../src/core/tool/policy/parse-policy.ts"
import { gateNameFaults, policyNameFaults, type KnownNames } from "../../../../src/core/tool/policy/policy-names.ts"

const KNOWN: KnownNames = {
  tools: new Set(["bash", "read", "write", "refund", "memory.search", "browser.eval", "mcp:shop:pay"]),
  agents: new Set(["reviewer", "desk"]),
  flows: new Set(["support", "sales:lead"]),
  providers: ["openai"],
}

function faultsOf(body: unknown, known = KNOWN) {
  const policy = parsePolicy(body)
  if (!policy.ok) throw new Error(JSON.stringify(policy.error))
  return policyNameFaults(policy.value, known)
}

describe("names in a policy", () => {
  test.each<readonly [string, unknown, string, string]>([
    ["hooks.confirm", { hooks: { confirm: ["write", "refundd"] } }, "/hooks/confirm/1", 'did you mean "refund"?'],
    ["hooks.log", { hooks: { log: ["wrte"] } }, "/hooks/log/0", 'did you mean "write"?'],
    ["hooks.silent", { hooks: { silent: ["Read "] } }, "/hooks/silent/0", 'did you mean "read"?'],
    ["deny", { tools: { deny: ["bahs"] } }, "/tools/deny/0", 'did you mean "bash"?'],
    ["allow", { tools: { profile: "minimal", allow: ["browser.evla"] } }, "/tools/allow/0", 'did you mean "browser.eval"?'],
    [
      "deny of an agent",
      { tools: { agents: { desk: { deny: ["xyzzy"] } } } },
      "/tools/agents/desk/deny/0",
      "write the name of a tool that exists, or remove it",
    ],
    ["an agent", { tools: { agents: { reviwer: { deny: ["bash"] } } } }, "/tools/agents/reviwer", 'did you mean "reviewer"?'],
    [
      "deny of a provider",
      { tools: { providers: { openai: { deny: ["file.wrte"] } } } },
      "/tools/providers/openai/deny/0",
      'did you mean "file.write"?',
    ],
    ["the denylist", { denylist: [{ tool: "bsh", reason: "no" }] }, "/denylist/0/tool", 'did you mean "bash"?'],
    ["effects", { effects: [{ flows: "suport", mode: "dry" }] }, "/effects/0/flows", 'did you mean "support"?'],
  ])("[T30b] %s with a name that fits nothing is an error with the nearest", (_, body, pointer, suggestion) => {
    expect(faultsOf(body)).toEqual([{ pointer, message: expect.stringMatching(/^names no (?:tool|agent|flow): there is no /), suggestion }])
  })

  test.each<readonly [string, unknown, string]>([
    ["a pattern of tools", { tools: { deny: ["shopp.*"] } }, "matches no tool here"],
    ["a pattern of flows", { effects: [{ flows: "sale:*", mode: "dry" }] }, "matches no flow here"],
    ["a tool that a server may bring", { hooks: { confirm: ["mcp:shop:refund"] } }, "names no tool of a server now"],
    ["a provider that may come", { tools: { providers: { opnai: { deny: ["bash"] } } } }, "names no provider yet"],
  ])("[T30b] %s that fits nothing is a warning", (_, body, message) => {
    expect(faultsOf(body)).toEqual([expect.objectContaining({ message: expect.stringContaining(message), isWarning: true })])
  })

  test("[T30b] every name of a tool, a group, a pattern that matches, and what no policy restricts fit", () => {
    const names = ["bash", "shell.exec", "file.write", "group:fs", "mem*", "*", "mcp:shop:pay", "mcp:*", "finish", "read_output"]
    expect(
      faultsOf({ tools: { allow: names, deny: names }, hooks: { confirm: names }, effects: [{ flows: "sales:*", mode: "dry" }] }),
    ).toEqual([])
    expect(faultsOf({ tools: { providers: { nobody: {} } } }, { tools: KNOWN.tools, agents: KNOWN.agents, flows: KNOWN.flows })).toEqual([])
  })

  test("[T30b] a name of a member of objects is no name of a tool", () => {
    for (const name of ["constructor", "toString", "__proto__"]) expect(faultsOf({ tools: { deny: [name] } })).toHaveLength(1)
  })

  test("[T30b] a gate whose flow does not exist protects nothing: an error, and a warning for a pattern", () => {
    expect(gateNameFaults({ flows: [{ match: "support" }, { match: "suport" }, { match: "x*" }, { match: "*" }] }, KNOWN)).toEqual([
      { pointer: "/flows/1/match", message: expect.stringContaining("names no flow"), suggestion: 'did you mean "support"?' },
      expect.objectContaining({ pointer: "/flows/2/match", isWarning: true }),
    ])
  })

  test("[T30b] a large policy over many tools is judged with a bound: 100 faults, 200 patterns", () => {
    const known = { ...KNOWN, tools: new Set(Array.from({ length: 5_000 }, (_, i) => `tool_${i}`)) }
    const patterns = Array.from({ length: 500 }, (_, i) => `*no${i}*`)
    const faults = faultsOf({ hooks: { confirm: patterns, log: patterns, silent: patterns }, tools: { deny: patterns } }, known)
    expect(faults).toHaveLength(100)
  })
})
