// The cost of an event, counted in reads of the run's state instead of milliseconds.

import { expect, test } from "vitest"
import type { Step } from "../../../src/core/flow/flow.ts"
import type { Run } from "../../../src/core/run/state.ts"
import { agent, conditional, flowOf, planOf } from "../../support/kernel/builders.ts"
import { call, finish, Shell } from "../../support/kernel/shell.ts"

/** Counts every read of `record` through the proxy: a key, or the list of keys. */
function counted<T extends object>(record: T, look: () => void): T {
  return new Proxy(record, {
    get(target, key, self): unknown {
      look()
      return Reflect.get(target, key, self)
    },
    getOwnPropertyDescriptor(target, key) {
      look()
      return Reflect.getOwnPropertyDescriptor(target, key)
    },
    has(target, key) {
      look()
      return Reflect.has(target, key)
    },
  })
}

/** A chain of segments, each with a question, an answer and a choice that excludes; none of them may be read again. */
function chain(links: number): Step[] {
  const steps: Step[] = []
  for (let i = 0; i < links; i++) {
    const next = i + 1 < links ? `a${i + 1}` : "end"
    steps.push(
      agent(`a${i}`),
      conditional(`k${i}`, `a${i}`, next, `b${i}`, "summary"),
      agent(`b${i}`),
      conditional(`m${i}`, `b${i}`, next, next),
    )
  }
  return [...steps, agent("end")]
}

/** Reads of the state in each segment of the chain. */
function looks(links: number): number[] {
  const shell = new Shell(planOf(flowOf(chain(links), { autonomous: false })))
  let count = 0
  const look = (): void => void (count += 1)
  const watched = (run: Run): Run => ({
    ...run,
    steps: counted(run.steps, look),
    exclusions: counted(run.exclusions, look),
    interactions: counted(run.interactions, look),
    begun: counted(run.begun, look),
    underway: counted(run.underway, look),
    forks: counted(run.forks, look),
  })
  shell.run = watched(shell.run)
  const byLink: number[] = []
  for (let i = 0; i < links; i++) {
    const before = count
    shell.reply(`a${i}`, call("look"), call("ask_user", { question: "?", type: "input" }))
    shell.returns(`a${i}`, "c0")
    shell.answer(`i${i + 1}`, { answer: "x" })
    shell.reply(`a${i}`, finish())
    byLink.push(count - before)
  }
  shell.reply("end", finish())
  expect(shell.run.status).toBe("succeeded")
  return byLink
}

test("[J8] a step costs the same at the end of 400 segments as at the start", () => {
  const byLink = looks(100)
  const [first, last] = [byLink[1] ?? 0, byLink.at(-2) ?? Infinity]
  expect(first).toBeGreaterThan(20)
  expect(last).toBeLessThanOrEqual(first)
})

test("[J8] a step costs the same in a long flow as in a short one", () => {
  expect(Math.max(...looks(100))).toBeLessThanOrEqual(Math.max(...looks(12)))
})
