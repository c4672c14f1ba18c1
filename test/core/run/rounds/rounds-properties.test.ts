// `until` over random flows, scores, schedules and kills [V23–V27]. A failure prints its seed and path.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { amount } from "../../../support/amount.ts"
import { detours } from "../../../support/kernel/course-laws.ts"
import { CAST } from "../../../support/kernel/generate.ts"
import { judgedFlows, roundFaults } from "../../../support/kernel/judged.ts"
import { breaches } from "../../../support/kernel/laws.ts"
import { planOf } from "../../../support/kernel/builders.ts"
import { diceOf, live, outcomeOf } from "../../../support/kernel/world.ts"

const quick = process.env["SLUICE_MUTANT"] !== undefined
const runs = (numRuns: number): fc.Parameters<unknown> => ({
  numRuns: quick ? Math.ceil(numRuns / 2) : amount(numRuns, Math.ceil(numRuns / 3)),
  endOnFailure: quick,
})
const seeds = fc.nat(2 ** 31)
const by = (what: string, luck: number): (() => number) => diceOf(`${what}:${luck}`)

describe("until, over random flows and scores", () => {
  test("[V23, V25] no step ends complete below its threshold, none passes its rounds, no dependent begins early, and a failed step has its best round's outputs", () => {
    let [enough, again, failed, putBack] = [0, 0, 0, 0]
    fc.assert(
      fc.property(judgedFlows, seeds, seeds, (flow, seed, luck) => {
        const plan = planOf(flow, CAST)
        const [order, crash] = [by("order", luck), by("crash", luck)]
        const shell = live(plan, {
          world: { seed, post: true, files: true },
          order: (n) => Math.floor(order() * n),
          crash: () => crash() < 0.05,
          snapshotEvery: luck % 2 === 0 ? 7 : 0,
        })
        expect([...roundFaults(plan, shell.log), ...breaches(plan, shell.log), ...detours(plan, shell.log)]).toEqual([])
        enough += shell.events("step.scored").filter((e) => e.enough).length
        again += shell.events("step.reopened").filter((e) => e.by === e.step).length
        failed += shell.events("step.finished").filter((e) => e.source === "score").length
        putBack += shell.events("file.changed").filter((e) => e.hash?.startsWith("put back") === true).length
      }),
      runs(1_000),
    )
    // The worlds are not tame.
    if (!quick) expect(Math.min(enough, again, failed, putBack)).toBeGreaterThan(2)
  })

  test("[V23, J10] a kill at any moment changes nothing but time", () => {
    fc.assert(
      fc.property(judgedFlows, seeds, seeds, (flow, seed, luck) => {
        const plan = planOf(flow, CAST)
        const crash = by("crash", luck)
        const calm = live(plan, { world: { seed, post: false } })
        const stormy = live(plan, { world: { seed, post: false }, crash: () => crash() < 0.2 })
        fc.pre(!stormy.log.some((e) => e.type === "tool.returned" && e.isError === true && e.digest === undefined))
        expect(outcomeOf(stormy)).toEqual(outcomeOf(calm))
      }),
      runs(200),
    )
  })

  test("[V23, F14] the order in which parallel work ends changes nothing", () => {
    fc.assert(
      fc.property(judgedFlows, seeds, seeds, seeds, (flow, seed, one, other) => {
        const plan = planOf(flow, CAST)
        const [first, second] = [by("order", one), by("order", other)]
        const a = live(plan, { world: { seed, post: true }, order: (n) => Math.floor(first() * n) })
        const b = live(plan, { world: { seed, post: true }, order: (n) => Math.floor(second() * n) })
        expect(outcomeOf(b)).toEqual(outcomeOf(a))
      }),
      runs(200),
    )
  })
})
