// Calls admitted before a pause are judged again by the rules at the resume [G1]: a pause may last for days.

import { expect, test } from "vitest"
import { DEFAULT_POLICY, type Policy, type Rules } from "../../../src/core/tool/policy/policy.ts"
import { agent, flowOf, planOf } from "../../support/kernel/builders.ts"
import { Shell } from "../../support/kernel/shell.ts"
import { call, finish } from "../../support/kernel/shell.ts"

const rulesOf = (policy: Partial<Policy>, version: number, scopes: readonly string[] = []): Rules => ({
  policy: { ...DEFAULT_POLICY, ...policy },
  scopes,
  version,
})

/** Two writes in one reply: the second waits for the first, and a pause comes in between. */
function paused(): Shell {
  const shell = new Shell(planOf(flowOf([agent("a")])), { rules: rulesOf({}, 1) })
  shell.reply("a", call("post", { n: 1 }), call("post", { n: 2 }))
  shell.tell({ type: "pause", reason: "operator" })
  shell.returns("a", "c0")
  return shell
}
const ran = (shell: Shell) => shell.events("tool.called").map((e) => e.args["n"])

test("[G1] a tool denied during a pause does not run after it, even if its call was admitted before", () => {
  const shell = paused()
  const denied = rulesOf({ denylist: [{ tool: "post", reason: "an incident" }] }, 2)
  expect(shell.tell({ type: "resume", reason: "operator", rules: denied }).ok).toBe(true)
  expect([ran(shell), shell.events("tool.refused").map((e) => [e.callId, e.code])]).toEqual([[1], [["c1", "denylist"]]])
  expect(shell.run.rules.version).toBe(2)
  shell.reply("a", finish())
  expect(shell.run.status).toBe("succeeded")
})

test("[G1] rules that remove nothing let the call run, and older rules restore nothing", () => {
  for (const rules of [rulesOf({}, 2), rulesOf({ denylist: [{ tool: "post", reason: "old" }] }, 0)]) {
    const shell = paused()
    shell.tell({ type: "resume", reason: "operator", rules })
    expect([ran(shell), shell.events("tool.refused")]).toEqual([[1, 2], []])
  }
})

test("[J11] a call that began and was lost in the pause is not reported as skipped: its outcome is unknown", () => {
  const shell = new Shell(planOf(flowOf([agent("a")])), { rules: rulesOf({}, 1) })
  shell.reply("a", call("put", { n: 1 }), call("look", { n: 2 }))
  shell.tell({ type: "pause", reason: "operator" })
  shell.crash()
  const denied = rulesOf({ denylist: [{ tool: "put", reason: "an incident" }] }, 2)
  shell.tell({ type: "resume", reason: "operator", rules: denied })
  expect([shell.events("tool.uncertain").map((e) => e.callId), shell.events("tool.refused")]).toEqual([["c0"], []])
  shell.returns("a", "c1")
  shell.reply("a", finish())
  expect(shell.run.status).toBe("succeeded")
})
