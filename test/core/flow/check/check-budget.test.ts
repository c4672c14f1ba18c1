// A budget that the flow itself does not fit in [F54c]; and none of it said of budgets that make sense.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { validateFlow } from "../../../../src/core/language/check-flow.ts"
import { agentOf } from "../../../support/kernel/builders.ts"
import { CAST, fileOf, flows } from "../../../support/kernel/generate.ts"
import { planOf } from "../../../support/kernel/builders.ts"
import { live } from "../../../support/kernel/world.ts"

const agents = new Map(
  [
    agentOf("worker", { body: "x".repeat(488) }),
    agentOf("dear", { body: "x".repeat(488), model: "anthropic/claude-opus-4-1:high" }),
    agentOf("short", { body: "x".repeat(488), max_output_tokens: 100 }),
    agentOf("flow-decision"),
  ].map((a) => [a.name, a]),
)
const said = (budget: string, steps: string): string[] => {
  const text = `name: f\ndescription: d\n${budget === "" ? "" : `budget: ${budget}\n`}steps:\n${steps}`
  return validateFlow(text, "f", { agents }).diagnostics.flatMap((d) => (d.code.startsWith("FV-BUDGET") ? [`${d.code} ${d.line}`] : []))
}
const one = (agent: string, more = ""): string => `  - { id: a, type: agent, agent: ${agent}${more} }\n`
const loop = `${one("worker")}  - { id: l, type: agent-loop-decision, agent: worker, task: again, loop_target: a, exit_target: z, max_iterations: 2 }\n  - { id: z, type: agent, agent: worker }\n`

describe("steps", () => {
  test("[F54c] fewer than the shortest way has: no run fits", () => {
    expect([said("{ steps: 2 }", loop), said("{ steps: 0 }", one("worker"))]).toEqual([["FV-BUDGET-LEAST 3"], ["FV-BUDGET-LEAST 3"]])
  })
  test("[F54c] fewer than the worst case has: three rounds of two steps, and the last", () => {
    expect([said("{ steps: 6 }", loop), said("{ steps: 7 }", loop)]).toEqual([["FV-BUDGET-STEPS 3"], []])
  })
  test("[F35] [F54c] a retry is another step", () => {
    const steps = one("worker", ", retry: { max: 2, backoff: 1s }")
    expect([said("{ steps: 2 }", steps), said("{ steps: 3 }", steps)]).toEqual([["FV-BUDGET-STEPS 3"], []])
  })
  test("[F18] [F54c] a person who may go back without limit does not count in the worst case", () => {
    const steps = `${one("worker")}  - { id: f, type: fork, question: q, options: [back, on], branches: { back: a, on: z } }\n  - { id: z, type: agent, agent: worker }\n`
    expect(said("{ steps: 3 }", steps)).toEqual([])
  })
  test("[F54c] a choice that leads round a step does not need it", () => {
    const steps = `  - { id: d, type: agent-decision, agent: worker, task: t, branches: { x: a, y: z } }\n  - { id: a, type: agent, agent: worker, blockedBy: [] }\n  - { id: z, type: agent, agent: worker, blockedBy: [] }\n`
    expect(said("{ steps: 2 }", steps).filter((s) => s.startsWith("FV-BUDGET-LEAST"))).toEqual([])
  })
})

describe("tokens and dollars", () => {
  test("[B1] [F54c] less than one call holds back: its prompt and 512 tokens to write", () => {
    expect([said("{ tokens: 999 }", one("worker")), said("{ tokens: 1000 }", one("worker"))]).toEqual([["FV-BUDGET-LEAST 3"], []])
    expect(said("{ tokens: 588 }", one("short"))).toEqual([])
  })
  test("[B1] [F54c] a step's budget is reported at the step", () => {
    expect(said("", one("worker", ", budget: { tokens: 10 }"))).toEqual(["FV-BUDGET-LEAST 4"])
  })
  test("[B3] [F54c] dollars only of a model that is named and has a price: 512 tokens of 75 dollars are 4 cents", () => {
    expect([said("{ usd: 0.03 }", one("dear")), said("{ usd: 0.06 }", one("dear")), said("{ usd: 0.00001 }", one("worker"))]).toEqual([
      ["FV-BUDGET-LEAST 3"],
      [],
      [],
    ])
  })
  test("[F54c] a missing budget, or a budget of tool calls alone, gives no warning", () => {
    expect([said("", loop), said("{ tool_calls: 0 }", loop), said("{ usd: 1, tokens: 200000, steps: 50 }", loop)]).toEqual([[], [], []])
  })
})

test("[F54c] over random flows: a run under the number that is shown never opens more steps", () => {
  const cast = new Map([...CAST, agentOf("flow-decision")].map((a) => [a.name, a]))
  fc.assert(
    fc.property(flows(), fc.nat(2 ** 31), (flow, seed) => {
      const file = fileOf(flow)
      const worst = validateFlow(`budget: { steps: 1 }\n${file}`, flow.id, { agents: cast }).diagnostics.find((d) =>
        d.code.startsWith("FV-BUDGET"),
      )
      const shown = /^steps: (\d+)/.exec(worst?.suggestion ?? "")?.[1]
      if (shown === undefined || Number(shown) === 0) return
      const shell = live(planOf(flow, CAST), { world: { seed, post: true } })
      expect(shell.events("step.opened").length, file).toBeLessThanOrEqual(Number(shown))
    }),
    { numRuns: 60 },
  )
})
