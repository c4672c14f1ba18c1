// What a changed policy would have asked a person about, and which hosts it lists no more [T30].

import { describe, expect, test } from "vitest"
import { parsePolicy } from "../../src/core/tool/policy/parse-policy.ts"
import type { JsonObject } from "../../src/core/json.ts"
import type { Policy } from "../../src/core/tool/policy/policy.ts"
import type { ToolSpec } from "../../src/core/tool/tool-spec.ts"
import { newlyAsked, newlyUnlisted } from "../../web/policy/asked-calls.ts"
import { bareSpec, newlyRefused, type PastCall } from "../../web/policy/refused-calls.ts"

function policy(body: object): Policy {
  const read = parsePolicy(body)
  if (!read.ok) throw new Error(JSON.stringify(read.error))
  return read.value
}
const SPECS: Readonly<Record<string, ToolSpec>> = {
  pay: { ...bareSpec("pay"), effect: "write", reach: { to: { host: "pay.example" }, method: { fixed: "POST" } } },
  look: { ...bareSpec("look"), effect: "read", reach: { to: { arg: "url" }, method: { arg: "method", fallback: "GET" } } },
  careful: { ...bareSpec("careful"), effect: "write", approval: "always" },
  "crm.find": { ...bareSpec("crm.find"), effect: "read", groups: ["mcp"] },
}
const specOf = (name: string): ToolSpec => SPECS[name] ?? bareSpec(name)
const call = (run: string, tool: string, args: JsonObject, agent = "clerk"): PastCall => ({
  run,
  tool,
  args,
  holder: { agent },
})
const CALLS = [
  call("run_2", "pay", { amount: 500 }),
  call("run_2", "pay", { amount: 5 }, "junior"),
  call("run_2", "look", { url: "https://news.example/a" }),
  call("run_1", "look", { url: "https://news.example:8443/b", method: "POST" }),
  call("run_1", "careful", {}),
  call("run_1", "crm.find", { q: "x" }),
  call("run_1", "gone", { url: "https://news.example" }),
]
const asked = (after: object, before: object = {}) => newlyAsked(CALLS, policy(before), policy(after), specOf)
const unlisted = (after: object, before: object) => newlyUnlisted(CALLS, policy(before), policy(after), specOf)

describe("what a policy would have asked about", () => {
  test("[T30] is nothing where nothing more asks, and not what was asked before", () => {
    expect(asked({})).toEqual([])
    expect(asked({ approvals: { tools: "always" } }, { approvals: { tools: "always" } })).toEqual([])
    expect(asked({ approvals: { tools: "always" } }).map(({ tool }) => tool)).not.toContain("careful")
  })

  test("[T30] [Q4] reads conditions on the recorded arguments, by agent, with the runs", () => {
    expect(asked({ approvals: { tools: { kind: "dynamic", value: "args.amount > 100" } } })).toMatchObject([
      // A missing argument asks.
      { tool: "look", calls: 2, runs: 2, run: "run_2" },
      { tool: "pay", agent: "clerk", rule: "an approval rule asks", calls: 1, runs: 1, run: "run_2" },
      { tool: "crm.find" },
      { tool: "gone" },
    ])
  })

  test("[T30] [Q5] names hooks, and autonomy by what each call changes", () => {
    expect(asked({ hooks: { confirm: ["crm.*"] } })).toMatchObject([{ tool: "crm.find", rule: "hooks.confirm names it" }])
    expect(asked({ autonomy: "conservative" }).map(({ tool, calls }) => [tool, calls])).toEqual([
      ["pay", 1],
      ["pay", 1],
      ["look", 1],
    ])
  })

  test("[T30] leaves out what it refuses, and a tool's groups are known to both", () => {
    expect(asked({ tools: { deny: ["pay", "look", "gone"] }, approvals: { tools: "always" } }).map(({ tool }) => tool)).toEqual([
      "crm.find",
    ])
    expect(newlyRefused(CALLS, policy({}), policy({ tools: { deny: ["group:mcp"] } }), specOf)).toMatchObject([{ tool: "crm.find" }])
  })

  test("[T30] [G11] names hosts that are listed no more, from the tool or its arguments", () => {
    const all = { network: { allow: ["*.example", "other.test"] } }
    expect(unlisted(all, all)).toEqual([])
    expect(unlisted({}, {})).toEqual([])
    expect(unlisted({ network: { allow: ["pay.example"] } }, all)).toMatchObject([{ tool: "news.example", calls: 2, runs: 2 }])
    expect(unlisted({}, all).map(({ tool }) => tool)).toEqual(["pay.example", "news.example"])
  })
})
