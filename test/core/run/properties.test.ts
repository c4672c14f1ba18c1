// The kernel's promises over random flows, worlds, schedules and crashes. A failure prints its seed and path:
// `{ seed, path }` beside `numRuns` runs only that case.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { canonical } from "../../../src/core/json.ts"
import { validateFlow } from "../../../src/core/language/check-flow.ts"
import type { Flow } from "../../../src/core/flow/flow.ts"
import { admit } from "../../../src/core/run/admit.ts"
import { apply } from "../../../src/core/run/apply.ts"
import { decide } from "../../../src/core/run/decide.ts"
import { messages } from "../../../src/core/run/session/conversation.ts"
import type { Plan } from "../../../src/core/run/plan.ts"
import { isOver, newRun, type Run } from "../../../src/core/run/state.ts"
import { amount } from "../../support/amount.ts"
import { agentOf, planOf } from "../../support/kernel/builders.ts"
import { detours } from "../../support/kernel/course-laws.ts"
import { CAST, fileOf, flows } from "../../support/kernel/generate.ts"
import { breaches } from "../../support/kernel/laws.ts"
import { garbage, meddler } from "../../support/kernel/noise.ts"
import { roundTrip, type Shell } from "../../support/kernel/shell.ts"
import { diceOf, live, outcomeOf } from "../../support/kernel/world.ts"

// scripts/mutants.ts plants dozens of faults: each needs a counterexample quickly, not the smallest one.
const quick = process.env["SLUICE_MUTANT"] !== undefined
const runs = (numRuns: number): fc.Parameters<unknown> => ({
  numRuns: quick ? Math.ceil(numRuns / 2) : amount(numRuns, Math.ceil(numRuns / 3)),
  endOnFailure: quick,
})

const seeds = fc.nat(2 ** 31)
const planFor = (flow: Flow): Plan => planOf(flow, CAST)

/** Picks what happens next; the default is the first possibility. */
function orderBy(luck: number): (n: number) => number {
  const roll = diceOf(`order:${luck}`)
  return (n) => Math.floor(roll() * n)
}

function crashBy(luck: number, chance: number): () => boolean {
  const roll = diceOf(`crash:${luck}`)
  return () => roll() < chance
}

/** The folded state as text, without the plan and the list of touched steps. */
const stateOf = ({ plan: _plan, touched: _touched, ...rest }: Run): string => canonical(rest)
const lawful = ({ plan, log }: Shell): void => expect([...breaches(plan, log), ...detours(plan, log)]).toEqual([])

describe("the kernel, over random flows and worlds", () => {
  test("[F54a] the check accepts the flows of this file", () => {
    const agents = new Map([...CAST, agentOf("flow-decision")].map((a) => [a.name, a]))
    fc.assert(
      fc.property(flows(), (flow) => {
        const { diagnostics } = validateFlow(fileOf(flow), flow.id, { agents })
        expect(diagnostics.filter((d) => d.severity === "error")).toEqual([])
      }),
      runs(60),
    )
  })

  test("[J6] a history alone gives the live state at every event, after a round trip through JSON", () => {
    fc.assert(
      fc.property(flows(), seeds, seeds, (flow, seed, luck) => {
        const plan = planFor(flow)
        const states: string[] = []
        const watch = (s: Shell): void => {
          s.watch = (run) => void states.push(JSON.stringify({ ...run, plan: 0, touched: 0 }))
        }
        const shell = live(plan, { world: { seed, post: true }, order: orderBy(luck), crash: crashBy(luck, 0.03), watch })
        let run = newRun(plan)
        const before = shell.log.length - states.length
        for (const [i, event] of roundTrip(shell.log).entries()) {
          run = apply(run, event)
          const then = states[i - before]
          if (then !== undefined && JSON.stringify({ ...run, plan: 0, touched: 0 }) !== then)
            expect(JSON.parse(stateOf(run)), `after event ${event.seq}, ${event.type}`).toEqual({
              ...JSON.parse(then),
              plan: undefined,
              touched: undefined,
            })
        }
      }),
      runs(150),
    )
  })

  test("[J8] a snapshot plus the tail after it gives the same state as the whole history, wherever it was taken", () => {
    fc.assert(
      fc.property(flows(), seeds, seeds, fc.integer({ min: 1, max: 40 }), (flow, seed, luck, snapshotEvery) => {
        const check = (shell: Shell): void => {
          if (luck % 5 > 0 && !isOver(shell.run)) return
          const whole = roundTrip(shell.log).reduce(apply, newRun(shell.plan))
          expect(stateOf(shell.refolded())).toBe(stateOf(whole))
        }
        check(
          live(planFor(flow), {
            world: { seed, post: true },
            snapshotEvery,
            order: orderBy(luck),
            crash: crashBy(luck, 0.05),
            meddle: check,
          }),
        )
      }),
      runs(150),
    )
  })

  test("[J10] a crash at any moment changes nothing but time", () => {
    fc.assert(
      fc.property(flows(), seeds, seeds, fc.constantFrom(0, 5), (flow, seed, luck, snapshotEvery) => {
        const plan = planFor(flow)
        const calm = live(plan, { world: { seed, post: false } })
        const stormy = live(plan, { world: { seed, post: false }, crash: crashBy(luck, 0.2), snapshotEvery })
        lawful(stormy)
        // A call that is lost as often as it is tried ends with an error, which its agent is told.
        fc.pre(!stormy.log.some((e) => e.type === "tool.returned" && e.isError === true && e.digest === undefined))
        expect(outcomeOf(stormy)).toEqual(outcomeOf(calm))
      }),
      runs(300),
    )
  })

  test("[J11] an unrepeatable call is never sent twice, whenever the process crashes", () => {
    fc.assert(
      fc.property(flows(), seeds, seeds, (flow, seed, luck) => {
        const shell = live(planFor(flow), { world: { seed, post: true }, order: orderBy(luck), crash: crashBy(luck, 0.25) })
        lawful(shell)
      }),
      runs(150),
    )
  })

  test("[F14] the order in which parallel work ends changes nothing", () => {
    // A failing run may fail by another step and cancel other steps, so only the failure itself is compared.
    fc.assert(
      fc.property(flows(), seeds, seeds, seeds, (flow, seed, one, other) => {
        const plan = planFor(flow)
        const a = live(plan, { world: { seed, post: true }, order: orderBy(one) })
        const b = live(plan, { world: { seed, post: true }, order: orderBy(other) })
        lawful(a)
        expect(outcomeOf(b)).toEqual(outcomeOf(a))
      }),
      runs(400),
    )
  })

  test("[J5] a run always wants, waits or asks, and ends, whatever is done to it", () => {
    fc.assert(
      fc.property(flows(), seeds, seeds, (flow, seed, luck) => {
        const timed = {
          ...flow,
          steps: flow.steps.map((s, i) => (i % 3 === luck % 3 && s.type !== "conditional" ? { ...s, timeout: 20 } : s)),
        }
        const shell = live(planFor({ ...timed, ...(luck % 4 === 0 ? { timeout: 400 } : {}) }), {
          world: { seed, post: true },
          order: orderBy(luck),
          crash: crashBy(luck, 0.05),
          meddle: meddler(luck),
          snapshotEvery: luck % 2 === 0 ? 9 : 0,
        })
        lawful(shell)
        expect(isOver(shell.run)).toBe(true)
        expect(shell.pending()).toEqual([])
        expect(Object.values(shell.run.steps).filter((s) => s.status === "running")).toEqual([])
        expect(decide(shell.run)).toEqual([])
      }),
      runs(200),
    )
  })

  test("[J3] garbage is refused with a reason, throws nothing and changes nothing", () => {
    fc.assert(
      fc.property(flows(), seeds, seeds, (flow, seed, luck) => {
        const plan = planFor(flow)
        const roll = diceOf(`garbage:${luck}`)
        const meddle = (shell: Shell): void => {
          if (roll() > 0.4) return
          const before = JSON.stringify(shell.run.steps)
          for (const signal of garbage(shell, roll)) {
            const answer = admit(shell.run, signal)
            expect(answer.ok, JSON.stringify(signal)).toBe(false)
          }
          expect(JSON.stringify(shell.run.steps)).toBe(before)
        }
        const bothered = live(plan, { world: { seed, post: true }, meddle })
        const alone = live(plan, { world: { seed, post: true } })
        expect(bothered.log).toEqual(alone.log)
      }),
      runs(150),
    )
  })

  test("[J6] decide changes nothing and returns the same result again", () => {
    fc.assert(
      fc.property(flows(), seeds, seeds, (flow, seed, luck) => {
        const meddle = ({ run }: Shell): void => {
          const before = stateOf(run)
          const first = JSON.stringify(decide(run))
          expect(JSON.stringify(decide(run))).toBe(first)
          expect(stateOf(run)).toBe(before)
        }
        live(planFor(flow), { world: { seed, post: true }, order: orderBy(luck), meddle })
      }),
      runs(60),
    )
  })

  test("[J22] the model reads one answer for each of its calls, in its own order, not in the order of return", () => {
    fc.assert(
      fc.property(flows(5), seeds, seeds, (flow, seed, luck) => {
        const meddle = (shell: Shell): void => {
          for (const s of Object.values(shell.run.steps)) {
            if (!s.session || s.session.open.length > 0) continue
            const turns = messages(
              s.session,
              s.session.seqs.flatMap((seq) => shell.log[seq - 1] ?? []),
            )
            const asked = turns.flatMap((t) => (t.role === "assistant" ? t.toolCalls.map((c) => c.id) : []))
            expect(turns.flatMap((t) => (t.role === "tool" ? [t.callId] : []))).toEqual(asked)
          }
        }
        live(planFor(flow), { world: { seed, post: true }, order: orderBy(luck), crash: crashBy(luck, 0.1), meddle })
      }),
      runs(80),
    )
  })
})
