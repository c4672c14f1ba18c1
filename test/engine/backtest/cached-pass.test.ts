// A backtest and a case of a run with cached steps [R40].

import { expect, test } from "vitest"
import { recordedOf } from "../../../src/core/case/recorded-case.ts"
import type { Plan } from "../../../src/core/run/plan.ts"
import { backtestRun, type BacktestVerdict } from "../../../src/engine/backtest/backtest-run.ts"
import { agent, done, flow, sha256, Stand } from "../../support/engine/stand.ts"

const flowOf = (cache = ", cache: 1h"): string =>
  flow(
    `  - { id: a, type: agent-decision, agent: a, branches: { x: b, y: c }${cache} }\n  - { id: b, type: agent, agent: b }\n  - { id: c, type: agent, agent: b }\n`,
  )
const AGENTS = [agent("a"), agent("b")]
const pinned = (revision: number, hash: string) => ({ revision, flow: { id: "f", hash: "h" }, agents: { a: hash }, skills: {}, models: {} })

/** Two runs: the second takes its first step from the first. */
async function recorded(cache?: string): Promise<[Stand, Stand]> {
  const one = new Stand(flowOf(cache), AGENTS)
  one.start("go", true, { run: "run_1", pinned: pinned(1, "1") })
  await (await one.next("a")).answer(done("A", { branch: "x" }))
  await (await one.next("b")).answer(done("B"))
  const two = new Stand(flowOf(cache), AGENTS)
  two.cached = one.cached
  two.conductor = two.boot()
  two.start("go", true, { run: "run_2", pinned: pinned(1, "1") })
  await (await two.next(cache === "" ? "a" : "b")).answer(cache === "" ? done("A", { branch: "x" }) : done("B"))
  if (cache === "") await (await two.next("b")).answer(done("B"))
  await two.settle()
  return [one, two]
}
const tried = (
  { plan, events }: { plan: Plan; events: Stand["events"] extends () => infer E ? E : never },
  now: Plan,
  hash = "1",
): Promise<BacktestVerdict> =>
  backtestRun(
    {
      hash: sha256,
      plan: async ({ revision }) => (revision === 2 ? now : plan),
      code: async () => ({ ok: false, source: "code_error", message: "no handler changed", logs: [] }),
      breathe: async () => {},
    },
    { flow: "f", events, children: new Map() },
    pinned(2, hash),
    "position",
  )

test("[R40] in a backtest a cached pass is the same while its digest is, else diverged", async () => {
  const [one, two] = await recorded()
  expect(two.types()).toContain("step.cached")
  for (const stand of [one, two]) {
    const all = { plan: stand.plan, events: stand.events() }
    expect(await tried(all, stand.plan)).toEqual({ result: "same" })
  }
  const cached = { plan: two.plan, events: two.events() }
  expect(await tried(cached, two.plan, "2")).toEqual({ result: "diverged", step: "a", pass: 1, why: "prompt" })
  // The run that asked is judged by its request, in which nothing has changed.
  expect(await tried({ plan: one.plan, events: one.events() }, one.plan, "2")).toEqual({ result: "same" })
})

test("[R40] a backtest of a flow that has got, or lost, its `cache`", async () => {
  const [, two] = await recorded()
  const [plain] = await recorded("")
  const others = { with: two.plan, without: plain.plan }
  expect(await tried({ plan: plain.plan, events: plain.events() }, others.with)).toEqual({ result: "same" })
  expect(await tried({ plan: two.plan, events: two.events() }, others.without)).toEqual({
    result: "diverged",
    step: "a",
    pass: 1,
    why: "prompt",
  })
})

test("[R40] [K22] a case plays a cached result as the finish of its step", async () => {
  const [one, two] = await recorded()
  const of = (stand: Stand) => Object.fromEntries(recordedOf({ flow: "f", events: stand.events(), children: new Map() }).rehearsal)
  expect(of(two)["a"]).toEqual([{ finish: { status: "complete", summary: "A", branch: "x" } }])
  expect(of(two)["a"]).toEqual(of(one)["a"]?.map(({ finish }) => ({ finish: { ...finish, files: undefined } })))
})
