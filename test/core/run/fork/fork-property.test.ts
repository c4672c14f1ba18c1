// [K16] At every cut of a random run, a fork whose models and tools answer as before ends as its source did, and no call runs that the
// source's guard had not let through.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Flow } from "../../../../src/core/flow/flow.ts"
import type { RunEvent } from "../../../../src/core/run/event.ts"
import { toolKey } from "../../../../src/core/run/key.ts"
import { CutFinder } from "../../../../src/core/run/fork/cut.ts"
import { amount } from "../../../support/amount.ts"
import { planOf } from "../../../support/kernel/builders.ts"
import { CAST, flows } from "../../../support/kernel/generate.ts"
import { pauses } from "../../../support/kernel/noise.ts"
import type { Shell } from "../../../support/kernel/shell.ts"
import { diceOf, live, outcomeOf, type World } from "../../../support/kernel/world.ts"

const seeds = fc.nat(2 ** 31)

const forkAt = (source: Shell, cut: number, world: World): Shell => {
  const prefix = source.log.slice(0, cut)
  const at = prefix.at(-1)?.at ?? 0
  return live(source.plan, {
    world,
    fork: {
      prefix,
      signal: {
        type: "fork",
        at: at + 100_000,
        forked: {
          type: "run.forked",
          run: "run_2",
          source: { run: "run_1", seq: cut, head: String(cut), at },
          by: "ann",
          effects: "live",
        },
      },
    },
  })
}

/** Where the source can be forked, by the finder that the API uses. */
function cutsOf({ log, cuts }: Shell): number[] {
  const finder = new CutFinder()
  for (const e of log) finder.take(e)
  // Not at all of them, and at other places in each history.
  return log.flatMap(({ seq }) => ((seq + log.length) % amount(1, 3) === 0 && finder.find({ seq }, cuts).ok ? [seq] : []))
}

/** Which calls ran: step, pass, turn and call. */
function ran(log: readonly RunEvent[]): Set<string> {
  return new Set(log.flatMap((e) => (e.type === "action.begun" && e.kind === "tool" ? [e.key] : [])))
}

/** Which calls the guard refused. */
function refused(log: readonly RunEvent[]): Set<string> {
  const turns = new Map<string, { readonly pass: number; readonly turn: number }>()
  const keys = new Set<string>()
  for (const e of log) {
    if (e.type === "model.replied") turns.set(e.step, e)
    const at = e.type === "tool.refused" ? turns.get(e.step) : undefined
    if (at && e.type === "tool.refused") keys.add(toolKey(e.step, at.pass, at.turn, e.callId))
  }
  return keys
}

function laws(source: Shell, world: World): void {
  const head = JSON.stringify(source.log)
  // When a run fails, it depends on the order of its steps how far the others were, and a fork is later than its source: a retry that had to wait
  // begins at once.
  const [allowed, closed] = [ran(source.log), refused(source.log)]
  const isNew = (key: string): boolean => (source.run.status === "succeeded" ? !allowed.has(key) : closed.has(key))
  for (const cut of cutsOf(source)) {
    const fork = forkAt(source, cut, world)
    expect([cut, outcomeOf(fork)]).toEqual([cut, outcomeOf(source)])
    expect([...ran(fork.log)].filter(isNew)).toEqual([])
    expect(fork.run.fork).toEqual({ run: "run_1", seq: cut })
    expect(JSON.stringify(fork.log.slice(0, cut))).toBe(JSON.stringify(source.log.slice(0, cut)))
  }
  expect(JSON.stringify(source.log)).toBe(head)
}

describe("forks of random runs", () => {
  test("[K16] at any cut, a fork ends as its source did", () => {
    fc.assert(
      fc.property(flows(5), seeds, (flow: Flow, seed) => {
        const world = { seed, post: false }
        laws(live(planOf(flow, CAST), { world }), world)
      }),
      { numRuns: amount(40, 20) },
    )
  })

  test("[K16] also when the source crashed and was paused in between", () => {
    fc.assert(
      fc.property(flows(4), seeds, seeds, (flow: Flow, seed, luck) => {
        const world = { seed, post: false }
        const [crashes, stops] = [diceOf(`crash:${luck}`), diceOf(`pause:${luck}`)]
        const source = live(planOf(flow, CAST), { world, crash: () => crashes() < 0.1, meddle: (shell) => pauses(shell, stops()) })
        laws(source, world)
      }),
      { numRuns: amount(30, 15) },
    )
  })
})
