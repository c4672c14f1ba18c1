// `decide` by what has changed: the same as deciding everything, and linear in a fan.

import fc from "fast-check"
import { expect, test } from "vitest"
import type { Flow } from "../../../src/core/flow/flow.ts"
import { decide } from "../../../src/core/run/decide.ts"
import type { Plan } from "../../../src/core/run/plan.ts"
import type { Run } from "../../../src/core/run/state.ts"
import { amount } from "../../support/amount.ts"
import { agent, flowOf, planOf } from "../../support/kernel/builders.ts"
import { CAST, flows } from "../../support/kernel/generate.ts"
import { finish, Shell } from "../../support/kernel/shell.ts"
import { diceOf, live } from "../../support/kernel/world.ts"

const seeds = fc.nat(2 ** 31)
const planFor = (flow: Flow): Plan => planOf(flow, CAST)

/** Nothing is remembered of a run that has just been made. */
const decidedAnew = (run: Run): unknown => decide({ ...run })

test("[J8] what is decided by what changed is what is decided by everything, after every event of any run", () => {
  fc.assert(
    fc.property(flows(), seeds, seeds, (flow, seed, luck) => {
      const order = diceOf(`order:${luck}`)
      const crash = diceOf(`crash:${luck}`)
      const look = diceOf(`look:${luck}`)
      const watch = (shell: Shell): void => {
        shell.watch = (run, event) => {
          // Not after each event: what is remembered must outlive several of them.
          if (look() < 0.5) expect(decide(run), `after event ${event.seq}, ${event.type}`).toEqual(decidedAnew(run))
        }
      }
      live(planFor(flow), {
        world: { seed, post: true },
        order: (n) => Math.floor(order() * n),
        crash: () => crash() < 0.03,
        watch,
      })
    }),
    { numRuns: amount(150, 50) },
  )
})

/** Reads of the states of steps, and of lists of what is under way, while a fan of this width and its join run. */
function looks(width: number, order: (ids: string[]) => string[]): number {
  const ids = Array.from({ length: width }, (_, i) => `b${i}`)
  const join = agent("join", { blockedBy: ids })
  return looksOf(flowOf([...ids.map((id) => agent(id)), join], { max_concurrent: width }), [...order(ids), "join"])
}

/** The same of a chain, in which each step waits for the one before it. */
function looksOfChain(length: number): number {
  const ids = Array.from({ length }, (_, i) => `c${i}`)
  return looksOf(flowOf(ids.map((id, i) => agent(id, i === 0 ? {} : { blockedBy: [`c${i - 1}`] }))), ids)
}

function looksOf(flow: Flow, replies: readonly string[]): number {
  const shell = new Shell(planOf(flow), { atOnce: flow.max_concurrent })
  let count = 0
  const counted = <T extends object>(record: T): T =>
    new Proxy(record, {
      get: (target, key, self): unknown => {
        count += 1
        return Reflect.get(target, key, self)
      },
    })
  // One key of what is under way costs nothing to look up, and the shell does it for all; a list of them costs each key.
  const listed = <T extends object>(record: T): T =>
    new Proxy(record, {
      ownKeys: (target) => {
        const keys = Reflect.ownKeys(target)
        count += keys.length
        return keys
      },
    })
  shell.run = { ...shell.run, steps: counted(shell.run.steps), underway: listed(shell.run.underway), begun: listed(shell.run.begun) }
  for (const id of replies) shell.reply(id, finish())
  expect(shell.run.status).toBe("succeeded")
  return count
}

const shuffled = (ids: string[]): string[] => {
  const dice = diceOf("fan")
  return ids
    .map((id) => ({ id, at: dice() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ id }) => id)
}

test.each([
  ["in the order of the file", (ids: string[]) => ids],
  ["from the last to the first", (ids: string[]) => ids.toReversed()],
  ["in any order", shuffled],
])("[J8] a reply of a fan costs the same in a fan of 400 as in a fan of 50, %s", (_, order) => {
  const [narrow, wide] = [looks(50, order) / 50, looks(400, order) / 400]
  expect(narrow).toBeGreaterThan(5)
  expect(wide).toBeLessThanOrEqual(narrow * 1.2)
})

test("[J8] the end of a step costs the same in a chain of 400 as in a chain of 50", () => {
  const [short, long] = [looksOfChain(50) / 50, looksOfChain(400) / 400]
  expect(short).toBeGreaterThan(5)
  expect(long).toBeLessThanOrEqual(short * 1.2)
})

test("[F11] while no further step may open, a step that waits still comes before those after it", () => {
  const steps = [agent("x", { on_error: "rescue" }), agent("late", { blockedBy: ["first"] }), agent("first"), agent("rescue")]
  const shell = new Shell(planOf(flowOf(steps, { max_concurrent: 1 })))
  shell.watch = (run) => expect(decide(run)).toEqual(decidedAnew(run))
  shell.reply("x", finish())
  expect(shell.running()).toEqual(["first"])
  expect(shell.state("rescue").status).toBe("pending")
  shell.reply("first", finish())
  shell.reply("late", finish())
  expect(shell.state("rescue").status).toBe("skipped")
  expect(shell.run.status).toBe("succeeded")
})
