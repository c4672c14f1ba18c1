// Who gets which tool, by which rule: deny beats allow, overrides and skills only narrow.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { parsePolicy } from "../../../../src/core/tool/policy/parse-policy.ts"
import type { Policy } from "../../../../src/core/tool/policy/policy.ts"
import { providerOf, verdictOf, type Holder } from "../../../../src/core/tool/policy/resolve.ts"
import { parseManifest } from "../../../../src/core/tool/policy/skill-permissions.ts"

const policyOf = (tools: unknown): Policy => {
  const policy = parsePolicy({ tools })
  if (!policy.ok) throw new Error(JSON.stringify(policy.error))
  return policy.value
}
const NAMES = ["read", "write", "bash", "web.fetch", "memory.read", "send", "finish"]
const granted = (tools: unknown, holder: Holder = {}): string[] =>
  NAMES.filter((name) => verdictOf({ name }, policyOf(tools), holder).granted)
const rule = (name: string, tools: unknown, holder: Holder = {}): string => verdictOf({ name }, policyOf(tools), holder).rule

describe("the tenant's own rules", () => {
  test.each<[string, unknown, string[]]>([
    ["without rules, all tools", {}, NAMES],
    ["a profile", { profile: "minimal" }, ["read", "web.fetch", "finish"]],
    ["a profile and allow", { profile: "minimal", allow: ["write"] }, ["read", "write", "web.fetch", "finish"]],
    ["deny beats allow", { allow: ["*"], deny: ["write"] }, ["read", "bash", "web.fetch", "memory.read", "send", "finish"]],
    ["deny beats the profile", { profile: "minimal", deny: ["group:web"] }, ["read", "finish"]],
    ["deny by another name", { deny: ["file.write", "shell.*"] }, ["read", "web.fetch", "memory.read", "send", "finish"]],
    ["everything denied still allows finish", { deny: ["*"] }, ["finish"]],
  ])("[T30] %s", (_what, tools, expected) => {
    expect(granted(tools)).toEqual(expected)
  })
})

describe("overrides", () => {
  const base = { profile: "minimal", allow: ["write"] }
  test.each<[string, unknown, string[]]>([
    ["deny removes a tool", { deny: ["write"] }, ["read", "web.fetch", "finish"]],
    ["a wide override restores nothing", { profile: "full", allow: ["*"] }, ["read", "write", "web.fetch", "finish"]],
    ["allow without a profile is the whole list", { allow: ["read"] }, ["read", "finish"]],
    ["an empty list allows none", { allow: [] }, ["finish"]],
    ["a profile with allow is both", { profile: "minimal", allow: ["write"] }, ["read", "write", "web.fetch", "finish"]],
    ["an empty override removes nothing", {}, ["read", "write", "web.fetch", "finish"]],
  ])("[T30] %s", (_what, override, expected) => {
    expect(granted({ ...base, agents: { a: override } }, { agent: "a" })).toEqual(expected)
    expect(granted({ ...base, providers: { a: override } }, { provider: "a" })).toEqual(expected)
    expect(granted({ ...base, agents: { a: override } }, { agent: "b", provider: "a" })).toEqual(["read", "write", "web.fetch", "finish"])
  })

  test("[T30] agent and provider both narrow", () => {
    const tools = { agents: { a: { deny: ["write"] } }, providers: { p: { deny: ["bash"] } } }
    expect(granted(tools, { agent: "a", provider: "p" })).toEqual(["read", "web.fetch", "memory.read", "send", "finish"])
  })

  test("[T30] no override ever grants what the tenant's own rules do not", () => {
    const patterns = fc.array(fc.constantFrom("*", "read", "file.write", "bash", "group:fs", "group:web", "memory.*", "send"), {
      maxLength: 3,
    })
    const profile = fc.constantFrom("minimal", "messaging", "coding", "full")
    const rules = fc.record({ profile, allow: patterns, deny: patterns }, { requiredKeys: [] })
    fc.assert(
      fc.property(rules, rules, rules, (base, agent, provider) => {
        const narrowed = granted({ ...base, agents: { a: agent }, providers: { p: provider } }, { agent: "a", provider: "p" })
        const wide = granted(base)
        expect(narrowed.filter((name) => !wide.includes(name))).toEqual([])
        expect(narrowed).toContain("finish")
      }),
      { numRuns: 500 },
    )
  })

  test("[T30] an agent with the name of a method has no override", () => {
    expect(granted({ agents: { a: { deny: ["*"] } } }, { agent: "toString", provider: "constructor" })).toEqual(NAMES)
  })
})

describe("skills", () => {
  const skill = (name: string, manifest?: unknown) => {
    if (manifest === undefined) return { name }
    const permissions = parseManifest(JSON.stringify(manifest))
    if (!permissions.ok) throw new Error(JSON.stringify(permissions.error))
    return { name, permissions: permissions.value }
  }

  test("[T31] a skill without a manifest restricts nothing, and one whose manifest grants nothing leaves no tool", () => {
    expect(granted({}, { skills: [skill("plain")] })).toEqual(NAMES)
    expect(granted({}, { skills: [skill("s", {})] })).toEqual(["finish"])
    expect(granted({}, { skills: [skill("s", { permissions: {} })] })).toEqual(["finish"])
  })

  test("[T31] the list beats the groups, and every skill counts", () => {
    const fetching = skill("f", { permissions: { tool_groups: ["fs"], tools: ["web.*"] } })
    const files = skill("g", { permissions: { tool_groups: ["group:fs", "web"] } })
    expect(granted({}, { skills: [fetching] })).toEqual(["web.fetch", "finish"])
    expect(granted({}, { skills: [files] })).toEqual(["read", "write", "web.fetch", "finish"])
    expect(granted({}, { skills: [fetching, files, skill("plain")] })).toEqual(["web.fetch", "finish"])
    expect(granted({ deny: ["web.fetch"] }, { skills: [fetching] })).toEqual(["finish"])
  })
})

describe("explanations", () => {
  test.each<[string, string, unknown, Holder, string]>([
    ["in the profile", "read", { profile: "minimal" }, {}, "profile minimal"],
    ["by default", "send", {}, {}, "profile full"],
    ["beyond the profile", "write", { profile: "minimal", allow: ["file.*"] }, {}, "allow file.*"],
    ["not in the profile", "bash", { profile: "minimal" }, {}, "not in profile minimal"],
    ["denied", "bash", { deny: ["group:runtime"] }, {}, "deny group:runtime"],
    ["denied for an agent", "write", { agents: { a: { deny: ["write"] } } }, { agent: "a" }, "tools.agents: a: deny write"],
    ["not allowed for an agent", "write", { agents: { a: { allow: ["read"] } } }, { agent: "a" }, "tools.agents: a: not in allow read"],
    [
      "for a provider",
      "bash",
      { providers: { p: { profile: "minimal" } } },
      { provider: "p" },
      "tools.providers: p: not in profile minimal",
    ],
    ["the end of a session", "finish", { deny: ["*"] }, {}, "outside policy"],
  ])("[T33] %s", (_what, name, tools, holder, expected) => {
    expect(rule(name, tools, holder)).toBe(expected)
  })

  test("[T30] the provider is the part before the slash", () => {
    expect(["openai/gpt-5:high", "gpt-5", "/x", undefined].map(providerOf)).toEqual(["openai", undefined, undefined, undefined])
  })
})
