// [J12] A run whose definitions are lost, from its journal alone: wherever the journal ends, the run can be read and ended.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { admit } from "../../../src/core/run/admit.ts"
import { apply } from "../../../src/core/run/apply.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
import { isOver, newRun, type Run } from "../../../src/core/run/state.ts"
import { strandedPlan } from "../../../src/core/run/stranded.ts"
import { view } from "../../../src/core/run/views/view.ts"
import { agent, decision, flowOf, fork, planOf } from "../../support/kernel/builders.ts"
import { CAST, flows } from "../../support/kernel/generate.ts"
import { meddler } from "../../support/kernel/noise.ts"
import { finish, roundTrip, Shell } from "../../support/kernel/shell.ts"
import { live } from "../../support/kernel/world.ts"

const told = (log: readonly RunEvent[]): Run => roundTrip(log).reduce(apply, newRun(strandedPlan("f", log)))

function ended(log: readonly RunEvent[]): Run {
  const run = told(log)
  const answer = admit(run, { type: "cancel", by: "ann" })
  if (!answer.ok) throw new Error(JSON.stringify(answer.error))
  return answer.value.reduce((now, fact, n) => apply(now, { seq: log.length + 1 + n, at: now.at, v: 1, prev: "", ...fact }), run)
}

describe("a run whose definitions are lost", () => {
  test("[J12] a run can be read and ended wherever its journal ends", () => {
    const quick = process.env["SLUICE_MUTANT"] !== undefined
    fc.assert(
      fc.property(flows(), fc.nat(2 ** 31), (flow, seed) => {
        const { log } = live(planOf(flow, CAST), { world: { seed, post: true }, meddle: meddler(seed) })
        for (let n = 1 + (seed % 3); n < log.length; n += 3) expect(view(ended(log.slice(0, n))).status).toBe("canceled")
      }),
      { numRuns: quick ? 10 : 40 },
    )
  })

  test("[J12] the rebuilt plan has the targets of a choice before they are opened", () => {
    const choice = fork("a", { one: "b", two: "d" }, { multiSelect: true })
    const steps = [choice, agent("b"), decision("c", { left: "d", right: "e" }), agent("d"), agent("e")]
    const shell = new Shell(planOf(flowOf(steps, { autonomous: false })))
    shell.answer("i1", { answer: ["one", "two"] })
    expect(shell.opened()).not.toContain("d")
    expect(Object.keys(view(told(shell.log)).steps)).toEqual(expect.arrayContaining(["a", "b", "d"]))
    expect(isOver(ended(shell.log))).toBe(true)
  })

  test("[J12] the rebuilt plan has a step whose budget is asked about before it is opened", () => {
    const shell = new Shell(planOf(flowOf([agent("a"), agent("b", { blockedBy: ["a"] })])), { started: { budget: { steps: 1 } } })
    shell.reply("a", finish())
    expect(shell.pending()).toMatchObject([{ kind: "budget", step: "b" }])
    expect(view(told(shell.log)).pending).toBe(1)
    expect(isOver(ended(shell.log))).toBe(true)
  })
})
