// Parsing of a policy: defaults, all faults with their positions, and PUT accepting what GET returns.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { parsePolicy, policyView } from "../../../../src/core/tool/policy/parse-policy.ts"
import { DEFAULT_POLICY } from "../../../../src/core/tool/policy/policy.ts"
import { parseManifest, skillNetFault, skillPathFault, skillScopeFault } from "../../../../src/core/tool/policy/skill-permissions.ts"

const FULL = {
  tools: {
    profile: "coding",
    allow: ["send"],
    deny: ["group:mcp"],
    agents: { a: { allow: ["read"] } },
    providers: { openai: { profile: "minimal" } },
  },
  approvals: { tools: { kind: "dynamic", value: "args.n > 1" }, plans: "always", allow_relax: true, expires: "30s" },
  hooks: { confirm: ["bash"], log: ["*"], silent: ["read"] },
  autonomy: "conservative",
  denylist: [
    { tool: "bash", args: "rm", reason: "no" },
    { tool: "k8s.*", reason: "never" },
  ],
  network: { allow: ["*.Example.com"] },
  max_timeout: "2m",
  effects: [
    { flows: "pay*", mode: "dry" },
    { flows: "*", mode: "staged" },
  ],
}

describe("a policy", () => {
  test("[T30] an empty body is the default", () => {
    expect(parsePolicy({})).toEqual({ ok: true, value: DEFAULT_POLICY })
  })

  test("[T30] all fields are read: durations in ms, hosts in lowercase", () => {
    const policy = parsePolicy(FULL)
    if (!policy.ok) throw new Error(JSON.stringify(policy.error))
    expect([policy.value.approvals.expires, policy.value.max_timeout, policy.value.network.allow]).toEqual([
      30_000,
      120_000,
      ["*.example.com"],
    ])
    expect(policyView(policy.value)).toEqual({
      ...FULL,
      approvals: { ...FULL.approvals, expires: 30_000 },
      network: { allow: ["*.example.com"] },
      max_timeout: 120_000,
    })
  })

  test("[T30] PUT accepts what GET shows and stores the same policy", () => {
    for (const body of [{}, FULL, { tools: { agents: { a: { allow: [] } } } }]) {
      const first = parsePolicy(body)
      if (!first.ok) throw new Error(JSON.stringify(first.error))
      const again = parsePolicy(policyView(first.value))
      expect(again.ok ? policyView(again.value) : again.error).toEqual(policyView(first.value))
    }
  })

  test.each<[unknown, string, string?]>([
    [{ tool: {} }, "/tool", "tools"],
    [{ tools: { porfile: "minimal" } }, "/tools/porfile", "profile"],
    [{ tools: { profile: "minmal" } }, "/tools/profile", "minimal"],
    [{ tools: { deny: ["group:runtme"] } }, "/tools/deny/0", "group:runtime"],
    [{ tools: { deny: ["read", 1] } }, "/tools/deny/1"],
    [{ tools: { deny: [""] } }, "/tools/deny/0"],
    [{ tools: { deny: "bash" } }, "/tools/deny"],
    [{ tools: { agents: { "a b": {} } } }, "/tools/agents/a b"],
    [{ tools: { agents: { a: { agents: {} } } } }, "/tools/agents/a/agents"],
    [{ tools: { agents: [] } }, "/tools/agents"],
    [{ approvals: { tools: "sometimes" } }, "/approvals/tools"],
    [{ approvals: { tools: { kind: "dynamic", value: "no_such_predicate" } } }, "/approvals/tools"],
    [{ approvals: { allow_relax: "yes" } }, "/approvals/allow_relax"],
    [{ approvals: { expires: "soon" } }, "/approvals/expires"],
    [{ approvals: { expires: 0 } }, "/approvals/expires"],
    [{ hooks: { confrim: [] } }, "/hooks/confrim", "confirm"],
    [{ hooks: { confirm: ["x".repeat(201)] } }, "/hooks/confirm/0"],
    [{ autonomy: "auto" }, "/autonomy"],
    [{ denylist: [{ tool: "bash" }] }, "/denylist/0/reason"],
    [{ denylist: [{ tool: "bash", args: "(a)\\1", reason: "r" }] }, "/denylist/0/args"],
    [{ denylist: [{ tool: "bash", args: "(", reason: "r" }] }, "/denylist/0/args"],
    [{ denylist: [{ reason: "r" }] }, "/denylist/0/tool"],
    [{ denylist: { tool: "bash" } }, "/denylist"],
    [{ network: { allow: ["https://a.example"] } }, "/network/allow/0"],
    [{ max_timeout: -1 }, "/max_timeout"],
    [[], ""],
    [null, ""],
    ["{}", ""],
  ])("[T30] %j is refused at %s", (body, pointer, near) => {
    const policy = parsePolicy(body)
    expect(policy.ok ? [] : policy.error.map((f) => f.pointer)).toEqual([pointer])
    if (!policy.ok && near !== undefined) expect(policy.error[0]?.suggestion).toContain(near)
  })

  test("[T30] all faults are returned at once", () => {
    const policy = parsePolicy({ tools: { deny: 1 }, hooks: 2, autonomy: 3 })
    expect(policy.ok ? [] : policy.error.map((f) => f.pointer)).toEqual(["/tools/deny", "/hooks", "/autonomy"])
  })

  test("[T30] any input is read or refused, and no prototype is polluted", () => {
    const keys = fc.constantFrom("tools", "approvals", "hooks", "denylist", "deny", "agents", "__proto__", "constructor", "x")
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom("bash", "always", "*", "30s", ""),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(keys, tie("value"), { maxKeys: 4 }),
      ),
    }))
    fc.assert(
      fc.property(value, (body) => {
        const policy = parsePolicy(JSON.parse(JSON.stringify(body ?? null)))
        if (!policy.ok) expect(policy.error.length).toBeGreaterThan(0)
        expect("polluted" in {}).toBe(false)
      }),
      { numRuns: 1000 },
    )
  })
})

describe("a manifest", () => {
  const of = (permissions: unknown) => parseManifest(JSON.stringify({ name: "s", permissions }))

  test("[T31] lists what its agents may touch; everything else is closed", () => {
    const read = of({
      tools: ["web.fetch"],
      fs: { read: ["docs/**"] },
      net: [{ host: "API.x.example", ports: [443] }, { host: "*.y.example" }],
      secrets: ["search"],
    })
    if (!read.ok) throw new Error(JSON.stringify(read.error))
    const skills = [{ name: "plain" }, { name: "s", permissions: read.value }]
    expect(skillPathFault(skills, "read", "docs/a/b.md")).toBeUndefined()
    expect(skillPathFault(skills, "read", "docs/../secret")).toContain('the skill "s"')
    expect(skillPathFault(skills, "write", "docs/a.md")).toContain("nothing")
    expect(skillNetFault(skills, "api.x.example", 443)).toBeUndefined()
    expect(skillNetFault(skills, "api.x.example", 8443)).toContain("outside")
    expect(skillNetFault(skills, "a.y.example", 8443)).toBeUndefined()
    expect(skillNetFault(skills, "y.example", 443)).toContain("outside")
    expect(skillScopeFault(skills, ["search"])).toBeUndefined()
    expect(skillScopeFault(skills, ["search", "k8s"])).toContain("k8s")
    expect(skillPathFault([{ name: "plain" }], "write", "x")).toBeUndefined()
  })

  test.each<[string, string]>([
    ["no JSON", ""],
    ["[]", ""],
    ['{"permissions": []}', "/permissions"],
    ['{"permissions": null}', "/permissions"],
    ['{"permissions": {"tols": []}}', "/permissions/tols"],
    ['{"permissions": {"tools": "read"}}', "/permissions/tools"],
    ['{"permissions": {"tool_groups": ["nope"]}}', "/permissions/tool_groups/0"],
    ['{"permissions": {"fs": {"exec": []}}}', "/permissions/fs/exec"],
    ['{"permissions": {"net": ["a.example"]}}', "/permissions/net/0"],
    ['{"permissions": {"net": [{"host": "https://a.example/x"}]}}', "/permissions/net/0/host"],
    ['{"permissions": {"net": [{"host": "a.example", "ports": [0]}]}}', "/permissions/net/0/ports"],
    ['{"permissions": {"execution_environment": "moon"}}', "/permissions/execution_environment"],
  ])("[T31] %s is malformed at %s", (text, pointer) => {
    const read = parseManifest(text)
    expect(read.ok ? undefined : read.error[0]?.pointer).toBe(pointer)
  })
})
