// Which tools a rule names: profiles as tables, groups, globs, and all names of a tool as one.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  GROUPS,
  inProfile,
  matchesGlob,
  matchesTool,
  namesOf,
  PROFILES,
  type NamedTool,
} from "../../../../src/core/tool/policy/tool-names.ts"
import { cpuClock } from "../../../support/cpu-clock.ts"

const MINIMAL = ["read", "file.read", "ls", "file.list", "grep", "find", "glob", "web.fetch", "system.info", "ask_user", "skill_read"]
const MESSAGING = [
  "memory.read",
  "memory.write",
  "memory.search",
  "web.search",
  "web.search.news",
  "r2.share",
  "r2.ingest",
  "r2.sync",
  "minio.share",
  "minio.ingest",
  "minio.sync",
  "k8s.pods",
  "k8s.deployments",
  "k8s.logs",
  "subagent",
  "agent_catalog",
]
const CODING = [
  "write",
  "file.write",
  "edit",
  "file.edit",
  "bash",
  "shell.exec",
  "process.start",
  "process.kill",
  "browser.navigate",
  "browser.eval",
  "agent_write",
  "flow_write",
]
const FULL = ["media.send", "image.analyze", "audio.transcribe", "sessions.delete", "mcp:files:read", "my_own_tool"]
const ALL = [...MINIMAL, ...MESSAGING, ...CODING, ...FULL]

describe("profiles", () => {
  test.each([
    ["minimal", MINIMAL],
    ["messaging", [...MINIMAL, ...MESSAGING]],
    ["coding", [...MINIMAL, ...MESSAGING, ...CODING]],
    ["full", ALL],
  ] as const)("[T30] %s has exactly these", (profile, expected) => {
    expect(ALL.filter((name) => inProfile(profile, { name }))).toEqual(expected)
  })

  test("[T30] each includes the previous one", () => {
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom(...ALL), fc.string()), (name) => {
        const held = PROFILES.map((profile) => inProfile(profile, { name }))
        expect(held).toEqual([...held].sort((a, b) => Number(a) - Number(b)))
      }),
    )
  })
})

describe("groups", () => {
  test.each([
    ["fs", ["read", "file.read", "write", "file.write", "edit", "file.edit", "ls", "file.list", "grep", "find", "glob"]],
    ["runtime", ["bash", "shell.exec", "process.start", "process.list"]],
    ["web", ["web.fetch", "web.search", "browser.click"]],
    ["memory", ["memory.read", "memory.write", "memory.search"]],
    ["mcp", ["mcp:files:read", "mcp:a:b"]],
    ["media", ["media.send", "image.analyze", "audio.transcribe"]],
    ["flow", ["subagent", "agent_catalog", "agent_write", "flow_write", "sessions.list", "sessions.delete"]],
  ] as const)("[T30] group:%s has exactly these", (group, members) => {
    for (const name of members) expect([name, ...GROUPS.filter((g) => matchesTool(`group:${g}`, { name }))]).toEqual([name, group])
  })

  test("[T30] a tool may declare its groups; an unknown group has no tools", () => {
    expect(matchesTool("group:web", { name: "my_search", groups: ["web"] })).toBe(true)
    expect(matchesTool("group:gmail", { name: "gmail.list" })).toBe(false)
    expect(matchesTool("group:*", { name: "read" })).toBe(false)
  })
})

describe("patterns", () => {
  test.each<[string, string, boolean]>([
    ["file.*", "file.read", true],
    ["file.*", "profile.read", false],
    ["*.read", "memory.read", true],
    ["mcp:filesystem:*", "mcp:filesystem:read.text", true],
    ["mcp:*", "mcp:a:b:c", true],
    ["*", "anything:at.all", true],
    ["**", "x", true],
    ["se*d", "send", true],
    ["se*d", "sends", false],
    ["s.nd", "send", false],
    ["[a-z]*", "send", false],
    ["", "send", false],
  ])("[T30] %s and %s: %s", (pattern, name, expected) => {
    expect(matchesGlob(pattern, name)).toBe(expected)
  })

  test("[T30] a glob matches what the same regular expression matches", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", ".", ":"), maxLength: 12 })
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", "b", ".", "*"), maxLength: 8 }), text, (pattern, name) => {
        const same = new RegExp(`^${pattern.replaceAll(".", "\\.").replaceAll("*", "[^]*")}$`).test(name)
        expect(matchesGlob(pattern, name)).toBe(same)
      }),
      { numRuns: 2000 },
    )
  })

  test("[T30] many stars do not make it slow", () => {
    const spent = cpuClock()
    expect(matchesGlob("*a".repeat(100), "a".repeat(10_000).concat("b"))).toBe(false)
    expect(spent()).toBeLessThan(2_000)
  })
})

test.each<[NamedTool, string]>([
  [{ name: "write" }, "file.write"],
  [{ name: "file.write", same: "write" }, "write"],
  [{ name: "file.write" }, "write"],
  [{ name: "bash" }, "shell.*"],
  [{ name: "shell.exec", same: "bash" }, "bash"],
  [{ name: "ls" }, "file.list"],
  [{ name: "r2.share" }, "minio.*"],
  [{ name: "minio.sync" }, "r2.*"],
  [{ name: "their_write", same: "write" }, "file.write"],
])("[T30] a rule for one name covers all names: %j matches %s", (tool, pattern) => {
  expect(matchesTool(pattern, tool)).toBe(true)
  expect(namesOf(tool)[0]).toBe(tool.name)
})
