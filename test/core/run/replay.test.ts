// Replay purity [J6]: a history and the pinned definitions give one state, whichever tools the folding build has.

import { describe, expect, test } from "vitest"
import { canonical } from "../../../src/core/json.ts"
import type { JsonObject } from "../../../src/core/json.ts"
import { apply } from "../../../src/core/run/apply.ts"
import { compile, type Plan } from "../../../src/core/run/plan.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
import { newRun, type Run } from "../../../src/core/run/state.ts"
import type { ToolSpec } from "../../../src/core/tool/tool-spec.ts"
import { agent, agentOf, flowOf, loop, TOOLS } from "../../support/kernel/builders.ts"
import { call, choose, finish, roundTrip, Shell } from "../../support/kernel/shell.ts"

const READ_OUTPUT: ToolSpec = {
  name: "read_output",
  description: "Reads on in a result that was cut.",
  parameters: { type: "object", properties: { handle: { type: "string" } }, required: ["handle"], additionalProperties: false },
  effect: "read",
  contexts: ["agent"],
}
const FLOW = flowOf([agent("a"), loop("l", "a", "z", 2), agent("z")])
const AGENTS = Object.fromEntries([agentOf("worker"), agentOf("flow-decision")].map((a) => [a.name, a]))
const planWith = (tools: readonly ToolSpec[]): Plan => compile({ flow: FLOW, agents: AGENTS, skills: {}, tools })

/** Returns a cut result to the step. */
function cut(shell: Shell, step: string, callId: string, handle: string): void {
  const truncated = { handle, totalBytes: 90_000, totalLines: 3_000, outputBytes: 50_000, outputLines: 1_500, kept: "tail" as const }
  const told = shell.tell({
    type: "tool.result",
    key: shell.flying(step, `/tool/${callId}`),
    result: { isError: false, content: [{ type: "text", text: "the end of it" }], digest: handle, truncated },
  })
  expect(told.ok).toBe(true)
}

/** Two passes of a step, each with a result that was cut, and a few more turns. */
function life(tools: readonly ToolSpec[]): Shell {
  const shell = new Shell(planWith(tools))
  for (const handle of ["h1", "h2"]) {
    shell.reply("a", call("look", { n: 1 }, "x"))
    cut(shell, "a", "x", handle)
    shell.reply("a", call("look", { n: 2 }, "y"))
    cut(shell, "a", "y", `${handle}b`)
    if (tools.includes(READ_OUTPUT)) {
      shell.reply("a", call("read_output", { handle }, "r"))
      shell.returns("a", "r")
    }
    shell.reply("a", finish())
    shell.reply("l", choose(handle === "h1" ? "loop" : "exit"))
  }
  shell.reply("z", call("look", { n: 3 }, "x"))
  return shell
}

const fold = (plan: Plan, log: readonly RunEvent[]): Run => roundTrip(log).reduce((run, e) => apply(run, e), newRun(plan))
const stateOf = (run: Run): string => {
  const { plan: _plan, touched: _touched, ...rest } = run
  return canonical(roundTrip(rest) as unknown as JsonObject)
}
const ALL = [...TOOLS, READ_OUTPUT]
const others: readonly [string, readonly ToolSpec[]][] = [
  ["no tool at all", []],
  ["the same tools with longer descriptions", ALL.map((t) => ({ ...t, description: `${t.description}, and much more than that` }))],
  ["no read_output", TOOLS],
  ["read_output", ALL],
]

describe("a journal folded on a build with other tools", () => {
  for (const [made, tools] of [
    ["with read_output", ALL],
    ["without read_output", TOOLS],
  ] as const)
    test(`[J6] a journal made ${made} gives the same state at each event`, () => {
      const shell = life(tools)
      for (const [what, other] of others)
        for (let n = 1; n <= shell.log.length; n++) {
          const part = shell.log.slice(0, n)
          expect(stateOf(fold(planWith(other), part)), `${what}, up to ${n}`).toBe(stateOf(fold(shell.plan, part)))
        }
    })

  test("[J6] [T5] from its first cut result on, a session has read_output, and its journal says so", () => {
    const shell = life(ALL)
    const folded = fold(planWith([]), shell.log.slice(0, shell.log.findIndex((e) => e.type === "tool.returned") + 1))
    expect(folded.steps["a"]?.tools).toContain("read_output")
    expect(shell.events("tool.returned").map((e) => e.tools !== undefined)).toEqual([true, false, false, true, false, false])
  })
})
