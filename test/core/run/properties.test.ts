// The kernel's promises over random flows, worlds, schedules and crashes. A failure prints its seed and path:
// `{ seed, path }` beside `numRuns` runs that case alone.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { canonical } from "../../../src/core/json.ts"
import { apply } from "../../../src/core/run/apply.ts"
import { decide } from "../../../src/core/run/decide.ts"
import { compile, type Plan } from "../../../src/core/run/plan.ts"
import type { Flow } from "../../../src/core/flow/flow.ts"
import { newRun, type Run } from "../../../src/core/run/state.ts"
import { agentOf, planOf } from "./builders.ts"
import { CAST, flows } from "./generate.ts"
import { breaches } from "./laws.ts"
import { roundTrip } from "./shell.ts"
import { diceOf, live, outcomeOf } from "./world.ts"

// A planted fault needs one counterexample, not the smallest: scripts/mutants.ts asks for it to be quick.
const check = (property: fc.IRawProperty<unknown>, numRuns: number): void =>
  void fc.assert(property, { numRuns, endOnFailure: process.env["SLUICE_MUTANT"] !== undefined })

const seeds = fc.nat(2 ** 31)
const planFor = (flow: Flow): Plan => planOf(flow, CAST)
const orderBy = (luck: number): ((n: number) => number) => {
  const roll = diceOf(`order:${luck}`)
  return (n) => Math.floor(roll() * n)
}
const crashBy = (luck: number, chance: number): (() => boolean) => {
  const roll = diceOf(`crash:${luck}`)
  return () => roll() < chance
}
/** All that a fold makes of a history, as text: plan and touched are not part of it. */
const stateOf = ({ plan: _plan, touched: _touched, ...rest }: Run): string => canonical(rest)

describe("P1 replay", () => {
  test("[J6] a history alone gives the live state at every event, after a round trip through JSON", () => {
    check(
      fc.property(flows(), seeds, seeds, (flow, seed, luck) => {
        const plan = planFor(flow)
        const states: string[] = []
        const shell = live(plan, {
          world: { seed, post: true }, order: orderBy(luck), crash: crashBy(luck, 0.03),
          watch: (s) => (s.watch = (run) => states.push(stateOf(run))),
        })
        const missing = shell.log.length - states.length
        let run = newRun(plan)
        for (const [i, event] of roundTrip(shell.log).entries()) {
          run = apply(run, event)
          if (i >= missing && stateOf(run) !== states[i - missing]) expect({ at: event.type, ...JSON.parse(stateOf(run)) }).toEqual({ at: event.type, ...JSON.parse(states[i - missing] ?? "") })
        }
      }),
      200,
    )
  })
})
