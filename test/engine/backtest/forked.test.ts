// [K23] A backtest reads forked runs: their history, the fork's own decision, and what followed. Tried on the definitions that they ran with,
// random forks of random runs with everything in them are all the same.

import fc from "fast-check"
import { expect, test } from "vitest"
import type { Flow } from "../../../src/core/flow/flow.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
import { CutFinder } from "../../../src/core/run/fork/cut.ts"
import type { Plan } from "../../../src/core/run/plan.ts"
import { backtestRun, type BacktestVerdict } from "../../../src/engine/backtest/backtest-run.ts"
import { agent, agentOf, flowOf, planOf } from "../../support/kernel/builders.ts"
import { CAST } from "../../support/kernel/generate.ts"
import { digestsOf } from "../../support/kernel/fork-digests.ts"
import { liveRich, richFlows, RULES } from "../../support/kernel/rich-world.ts"
import { call, finish, Shell } from "../../support/kernel/shell.ts"
import { diceOf } from "../../support/kernel/world.ts"

/** As the shell of these tests hashes: an event names its place before it. */
const hash = (text: string): string => text.slice('{"seq":'.length, text.indexOf(","))
const PINS = { revision: 1, flow: { id: "f", hash: "h" }, agents: {}, skills: {}, models: {} }

const tried = (events: readonly RunEvent[], plan: Plan, now = plan, more: Plan = plan): Promise<BacktestVerdict> =>
  backtestRun(
    {
      hash,
      plan: async ({ revision }) => (revision === 3 ? more : revision === 2 ? now : plan),
      code: async () => ({ ok: false, source: "code_error", message: "no handler changed", logs: [] }),
      breathe: async () => {},
    },
    { flow: "f", events, children: new Map() },
    { ...PINS, revision: now === plan ? 1 : 2 },
    "position",
  )

function forkedOf(source: Shell, seq: number) {
  const prefix = source.log.slice(0, seq)
  const at = prefix.at(-1)?.at ?? 0
  const forked = { type: "run.forked", run: "run_2", source: { run: "run_1", seq, head: "h", at }, by: "ann", effects: "live" } as const
  return { prefix, signal: { type: "fork", at: at + 100_000, forked, digests: digestsOf(source.plan, prefix) } as const }
}

test("[K23] random forks at random cuts are the same on the definitions that they ran with", async () => {
  let forks = 0
  await fc.assert(
    fc.asyncProperty(richFlows(5), fc.nat(2 ** 31), async (flow: Flow, seed) => {
      const plan = planOf(flow, CAST)
      const life = { world: { seed, post: false }, rules: RULES, started: {} }
      const source = liveRich(plan, life)
      const finder = new CutFinder()
      for (const e of source.log) finder.take(e)
      const cuts = source.log.flatMap(({ seq }) => (finder.find({ seq }, source.cuts).ok ? [seq] : []))
      const roll = diceOf(`cuts:${seed}`)
      for (const seq of cuts.filter(() => roll() < 3 / cuts.length)) {
        const fork = liveRich(plan, { ...life, fork: forkedOf(source, seq) })
        expect([seq, await tried(fork.log, plan)]).toEqual([seq, { result: "same" }])
        forks += 1
      }
    }),
    { numRuns: 15 },
  )
  expect(forks).toBeGreaterThan(15)
})

test("[K23] a fork with definitions of its own is read by them, and tried on those of now", async () => {
  const flow = flowOf([agent("a"), agent("b", { agent: "second", blockedBy: ["a"] })])
  const plan = planOf(flow, [agentOf("second")])
  const source = new Shell(plan)
  source.reply("a", finish())
  const { seq = 0 } = source.events("step.finished")[0] ?? {}
  const patched = planOf(flow, [agentOf("second", { body: "You are mended." })])
  const { signal, prefix } = forkedOf(source, seq)
  const mended = { ...signal, forked: { ...signal.forked, pinned: { ...PINS, revision: 3 } } }
  const fork = new Shell(patched, { fork: { prefix, signal: mended } })
  fork.reply("b", call("look"))
  fork.returns("b", "c0")
  fork.reply("b", finish())
  expect(fork.run.status).toBe("succeeded")
  expect(await tried(fork.log, plan, patched, patched)).toEqual({ result: "same" })
  expect(await tried(fork.log, plan, plan, patched)).toEqual({ result: "changed", step: "b", pass: 1, turn: 0, why: "prompt" })
  const strict = planOf(flow, [agentOf("second", { tools: { kind: "list", names: [] }, body: "You are mended." })])
  expect(await tried(fork.log, plan, strict, patched)).toMatchObject({ result: "diverged", step: "b", why: "tools" })
  const broken = fork.log.map((e) => (e.type === "run.forked" ? { ...e, by: "bob" } : e))
  expect(await tried(broken.slice(1), plan)).toMatchObject({ result: "failed" })
})
