// What a changed policy would have refused of recorded calls [T30].

import { describe, expect, test } from "vitest"
import { parsePolicy } from "../../src/core/tool/policy/parse-policy.ts"
import type { Policy } from "../../src/core/tool/policy/policy.ts"
import type { RunEvent } from "../../src/core/run/event.ts"
import { callsIn, newlyRefused } from "../../web/policy/refused-calls.ts"

function policy(body: object): Policy {
  const read = parsePolicy(body)
  if (!read.ok) throw new Error(JSON.stringify(read.error))
  return read.value
}
const event = (seq: number, more: object): RunEvent => ({ seq, at: seq, v: 1, prev: "0".repeat(64), ...more }) as unknown as RunEvent
const opened = (seq: number, step: string, agent: string, model: string): RunEvent =>
  event(seq, { type: "step.opened", step, stepType: "agent", agent, model, pass: 1, tools: [] })
const called = (seq: number, step: string, tool: string, args: object = {}): RunEvent =>
  event(seq, { type: "tool.called", step, callId: `c${seq}`, tool, args })

const CALLS = [
  ...callsIn("run_2", [
    opened(1, "a", "helper", "one/m"),
    called(2, "a", "bash", { cmd: "rm -rf build" }),
    called(3, "a", "bash", { cmd: "ls" }),
    called(4, "a", "finish"),
    opened(5, "b", "reviewer", "two/m:high"),
    called(6, "b", "write", { path: "a.md" }),
  ]),
  ...callsIn("run_1", [opened(1, "a", "helper", "one/m"), called(2, "a", "shell.exec", { cmd: "ls" })]),
]
const refused = (after: object, before: object = {}) => newlyRefused(CALLS, policy(before), policy(after))

describe("what a policy would have refused", () => {
  test("[T30] is nothing where nothing is narrower", () => {
    expect(refused({})).toEqual([])
    expect(refused({ tools: { deny: ["memory.*"] } })).toEqual([])
  })

  test("[T30] says the rule, who called, how often, and in how many runs; finish is outside", () => {
    expect(refused({ tools: { profile: "minimal" } })).toEqual([
      { tool: "bash", agent: "helper", rule: "not in profile minimal", calls: 2, runs: 1, run: "run_2" },
      { tool: "write", agent: "reviewer", rule: "not in profile minimal", calls: 1, runs: 1, run: "run_2" },
      { tool: "shell.exec", agent: "helper", rule: "not in profile minimal", calls: 1, runs: 1, run: "run_1" },
    ])
  })

  test("[T30] covers all names of a tool, one agent's rules and one provider's", () => {
    expect(refused({ tools: { deny: ["bash"] } }).map(({ tool, rule }) => [tool, rule])).toEqual([
      ["bash", "deny bash"],
      ["shell.exec", "deny bash"],
    ])
    expect(refused({ tools: { agents: { reviewer: { deny: ["write"] } } } })).toMatchObject([
      { tool: "write", rule: "tools.agents: reviewer: deny write" },
    ])
    expect(refused({ tools: { providers: { two: { deny: ["*"] } } } })).toMatchObject([{ tool: "write", agent: "reviewer" }])
  })

  test("[T30] judges the arguments by the denylist", () => {
    expect(refused({ denylist: [{ tool: "bash", args: "rm -rf", reason: "Nothing is wiped." }] })).toEqual([
      { tool: "bash", agent: "helper", rule: "Nothing is wiped.", calls: 1, runs: 1, run: "run_2" },
    ])
  })

  test("[T30] leaves out what the saved policy refuses too", () => {
    expect(refused({ tools: { deny: ["bash", "write"] } }, { tools: { deny: ["bash"] } }).map(({ tool }) => tool)).toEqual(["write"])
  })
})
