// The first decision of a fork, over the conductor [K9].

import { expect, test } from "vitest"
import { DEFAULT_RULES } from "../../../src/core/tool/policy/policy.ts"
import { apply } from "../../../src/core/run/apply.ts"
import type { ForkSignal } from "../../../src/core/run/signal.ts"
import { newRun } from "../../../src/core/run/state.ts"
import { agent, done, flow, Stand } from "../../support/engine/stand.ts"

const waits = flow("  - { id: a, type: agent, agent: a }\n  - { id: w, type: wait, for: 5s }\n")

test("[K18] a fork's events have the time of its signal, from which its waits are counted", async () => {
  const source = new Stand(waits, [agent("a")])
  source.start()
  await (await source.next("a")).answer(done("A"))
  const events = source.events()
  const prefix = events.slice(0, events.findIndex((e) => e.type === "step.finished") + 1)
  const last = prefix.at(-1)
  const fork = new Stand(waits, [agent("a")])
  const signal: ForkSignal = {
    type: "fork",
    at: 50_000,
    rules: DEFAULT_RULES,
    added: [],
    forked: {
      type: "run.forked",
      run: "run_2",
      source: { run: "run_1", seq: last?.seq ?? 0, head: "", at: 1 },
      by: "ann",
      effects: "live",
    },
    instead: { step: "w", finish: { status: "complete", summary: "no need to wait" } },
  }
  // Its journal is the source's and its own, which no stand replays: see test/worker/run/fork/fork-edges.test.ts.
  fork.foreign = true
  // The tenant's object takes a moment to answer between the signal and its commit.
  fork.now = 50_007
  const run = prefix.reduce((state, e) => apply(state, e), newRun(fork.plan))
  const row = { first: 1, last: prefix.length, cuts: "", body: JSON.stringify(prefix) }
  const adopted = fork.conductor.adopt(run, signal, { rows: [row], files: [], states: [], pinned: [1] })
  if (!adopted.ok) throw new Error(JSON.stringify(adopted.error))
  expect(new Set(adopted.value.map(({ at }) => at))).toEqual(new Set([50_000]))
  expect(adopted.value.find((e) => e.type === "step.opened")).toMatchObject({ step: "w", until: 55_000 })
})
