// Budgets through the conductor: the real model request, slices of the tenant's daily budget, and crashes in between [B1, B2, B4].

import { describe, expect, test } from "vitest"
import type { Amount } from "../../../src/core/money/amount.ts"
import type { FactOf } from "../../../src/core/run/event.ts"
import type { Lease } from "../../../src/core/run/signal.ts"
import { Stand } from "../../support/engine/stand.ts"

const AGENT = "---\nname: w\ndescription: works\ntools: read\nmax_output_tokens: 2000\n---\nDo it: ${{task}}\n"
const flowOf = (steps: string, head = ""): string => `name: f\ndescription: a flow\n${head}steps:\n${steps}`
const ONE = flowOf("  - { id: a, type: agent, agent: w }\n")
const DAY = 86_400_000

function begin(s: Stand, more: Partial<FactOf<"run.started">>, lease?: Lease): void {
  const started: FactOf<"run.started"> = {
    type: "run.started",
    tenant: "t",
    run: "run_x",
    flow: "f",
    task: "go",
    inputs: {},
    autonomous: true,
    rehearsed: false,
    trigger: { kind: "api" },
    pinned: { revision: 1, flow: { id: "f", hash: "h" }, agents: {}, skills: {}, models: {} },
    ...more,
  }
  const told = s.conductor.tell({ type: "start", started, ...(lease ? { lease } : {}) })
  if (!told.ok) throw new Error(told.error.code)
}
const of = <T extends string>(s: Stand, type: T) => s.published.filter((e) => e.type === type)
const done = { finish: { status: "complete", summary: "done" } }

describe("a budget", () => {
  test("[B2] the request's output limit is lowered to the rest of the budget", async () => {
    const free = new Stand(ONE, [AGENT])
    begin(free, {})
    expect((await free.next("a")).request.maxOutputTokens).toBe(2000)
    const s = new Stand(ONE, [AGENT])
    begin(s, { budget: { tokens: 1_000_000 } })
    const bytes = (s.conductor.run.budget.holds["a/1/0/model"]?.amount.tokens ?? 0) - 2000
    const tight = new Stand(ONE, [AGENT])
    begin(tight, { budget: { tokens: bytes + 900 } })
    const asked = await tight.next("a")
    expect(asked.request.maxOutputTokens).toBe(900)
    await asked.answer(done)
    expect(tight.conductor.run.status).toBe("succeeded")
  })

  test("[B1] a request's size in bytes never exceeds the amount reserved for it", async () => {
    const s = new Stand(ONE, [AGENT])
    begin(s, { budget: { tokens: 1_000_000 }, task: "ö😀".repeat(500) })
    for (let turn = 0; turn < 4; turn++) {
      const { request, answer } = await s.next("a")
      const { system, messages, tools } = request
      const bytes = new TextEncoder().encode(system + messages.map((m) => JSON.stringify(m)).join("") + JSON.stringify(tools)).length
      expect(s.conductor.run.budget.holds[`a/1/${turn}/model`]?.amount.tokens ?? 0).toBeGreaterThanOrEqual(bytes + request.maxOutputTokens)
      await answer({ text: "ü".repeat(100), calls: [{ name: "read", args: { path: `none${turn}.md` } }] })
      await s.settle()
    }
  })

  test("[B1] a call that was under way in a crash is made again, and both calls count", async () => {
    const s = new Stand(ONE, [AGENT])
    begin(s, { budget: { tokens: 1_000_000 } })
    await s.next("a")
    const held = s.conductor.run.budget.holds["a/1/0/model"]?.amount.tokens ?? 0
    s.crash()
    expect(s.conductor.run.budget.run?.spent.tokens).toBe(held)
    const again = await s.next("a")
    await again.answer(done)
    expect(s.conductor.run.budget.run).toMatchObject({ spent: { tokens: held + 2 }, reserved: { tokens: 0 } })
  })

  test("[B2] a run that asks for more budget continues after a crash and a raise", async () => {
    const s = new Stand(ONE, [AGENT])
    begin(s, { budget: { tokens: 10 } })
    expect([s.conductor.run.status, s.alarm]).toEqual(["waiting", undefined])
    s.crash()
    expect(s.conductor.run.pending).toEqual(["i1"])
    expect(s.conductor.tell({ type: "answer", id: "i1", body: { answer: { raise: { tokens: 90_000 } } }, by: "ann" }).ok).toBe(true)
    await (await s.next("a")).answer(done)
    expect(s.conductor.run.status).toBe("succeeded")
  })

  test("[B1] reads the budget of a step from the flow file", async () => {
    const s = new Stand(flowOf("  - { id: a, type: agent, agent: w, budget: { tokens: 20 } }\n"), [AGENT])
    begin(s, {})
    expect(Object.values(s.conductor.run.interactions)).toMatchObject([
      { kind: "budget", step: "a", payload: { scope: "step", limit: { tokens: 20 } } },
    ])
  })
})

describe("the tenant's day", () => {
  test("[B4] a slice is requested with the call, and granted once per key even if requested again", async () => {
    const s = new Stand(ONE, [AGENT])
    const asked: [string, Amount][] = []
    s.lease = (key, amount) => {
      asked.push([key, amount])
      return { granted: { tokens: 500_000 }, until: DAY }
    }
    begin(s, {}, { granted: { tokens: 9000 }, until: DAY })
    const call = await s.next("a")
    await s.settle()
    expect(asked).toMatchObject([["lease/2", { tokens: expect.any(Number) }]])
    expect(s.conductor.run.budget.lease?.limit).toEqual({ tokens: 509_000 })
    await call.answer(done)
    expect(s.conductor.run).toMatchObject({ status: "succeeded", budget: { lease: { spent: { tokens: 2 }, reserved: { tokens: 0 } } } })
  })

  test("[B4] when the day is used up, the run sleeps until midnight and its alarm continues it", async () => {
    const s = new Stand(ONE, [AGENT])
    let day = 1
    s.lease = () => (day === 1 ? { granted: { tokens: 0 }, until: DAY, retry: DAY } : { granted: { tokens: 500_000 }, until: 2 * DAY })
    begin(s, {}, { granted: { tokens: 0 }, until: DAY })
    await s.settle()
    expect([s.conductor.run.status, s.conductor.run.reason, s.alarm]).toEqual(["waiting", "interaction", DAY])
    day = 2
    s.now = DAY
    s.conductor.tick()
    await s.settle()
    await (await s.next("a")).answer(done)
    expect(s.conductor.run.status).toBe("succeeded")
    expect(of(s, "interaction.asked")).toHaveLength(1)
  })
})
