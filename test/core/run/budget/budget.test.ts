// Budgets in the kernel [B1, B2, B4, B5]: reservations, waiting calls, questions to a person, and counting.

import { describe, expect, test } from "vitest"
import type { FlowRefStep, MapStep } from "../../../../src/core/flow/flow.ts"
import { costOf, priceOf } from "../../../../src/core/money/prices.ts"
import { requestBytes } from "../../../../src/core/run/budget/budget-bytes.ts"
import { messages, systemPrompt } from "../../../../src/core/run/session/conversation.ts"
import type { FactOf } from "../../../../src/core/run/event.ts"
import { isOver } from "../../../../src/core/run/state.ts"
import { view } from "../../../../src/core/run/views/view.ts"
import { reportOf } from "../../../../src/core/run/steps/children.ts"
import { agent, agentOf, decision, flowOf, planOf } from "../../../support/kernel/builders.ts"
import { call, choose, failed, finish, replyOf, Shell, type StartOptions } from "../../../support/kernel/shell.ts"

const MODEL = "acme/big"
const PRICE = { input: 1000, output: 1000 }
const DAY = 86_400_000
const pins = (more: Partial<FactOf<"run.started">["pinned"]> = {}): FactOf<"run.started">["pinned"] => ({
  revision: 1,
  flow: { id: "f", hash: "h" },
  agents: {},
  skills: {},
  models: { worker: MODEL },
  ...more,
})
const money = (budget: NonNullable<FactOf<"run.started">["budget"]>, more: Partial<StartOptions> = {}): StartOptions => ({
  started: { budget, prices: { [MODEL]: PRICE }, pinned: pins() },
  ...more,
})
const used = (input: number, output: number, said = finish()) => ({ ...replyOf([said]), usage: { input, output } })
const answers = (s: Shell, step: string, input: number, output: number, said = finish()): void => {
  s.tell({ type: "model.reply", key: s.flying(step, "/model"), reply: used(input, output, said) })
}
const small = agentOf("worker", { max_output_tokens: 600 })
const one = (options: StartOptions, workers = [small]): Shell => new Shell(planOf(flowOf([agent("a")]), workers), options)
const child = (id: string, flow: string): FlowRefStep => ({ type: "flow-ref", id, flow, blockedBy: [], inputs: {} })

describe("a model call", () => {
  test("[B1] its worst case is reserved before it begins, in the same commit, and its reply settles it", () => {
    const s = one(money({ usd: 50 }))
    const [reserved] = s.events("budget.reserved")
    const [begun] = s.events("action.begun")
    expect(begun?.seq).toBe((reserved?.seq ?? 0) + 1)
    const bytes = requestBytes(s.run, "a")
    expect(reserved).toMatchObject({ key: "a/1/0/model", step: "a", scope: "run", limit: { usd: 50 }, spent: { usd: 0 } })
    expect(reserved?.amount).toEqual({ usd: (bytes + 600) / 1000 })
    expect(reserved?.reserved).toEqual(reserved?.amount)
    expect(begun?.maxOutput).toBe(600)
    answers(s, "a", 100, 20)
    expect(s.events("model.replied")[0]?.cost).toBe(0.12)
    expect(s.events("budget.settled")[0]).toMatchObject({
      amount: { usd: 0.12 },
      spent: { usd: 0.12 },
      reserved: { usd: 0 },
      limit: { usd: 50 },
    })
    expect(view(s.run)).toMatchObject({
      usage: { usd: 0.12, tokens: 120 },
      budget: { limit: { usd: 50 }, spent: { usd: 0.12 }, reserved: { usd: 0 } },
    })
  })

  test("[B2] its output limit shrinks with the budget, but not below 512 tokens", () => {
    const plan = planOf(flowOf([agent("a")]), [agentOf("worker", { max_output_tokens: 4000 })])
    const bytes = requestBytes(new Shell(plan, money({})).run, "a")
    const begun = (tokens: number): number | undefined => new Shell(plan, money({ tokens })).events("action.begun")[0]?.maxOutput
    expect(begun(bytes + 5000)).toBe(4000)
    expect(begun(bytes + 700)).toBe(700)
    expect(begun(bytes + 512)).toBe(512)
    expect(begun(bytes + 511)).toBeUndefined()
    const dollars = (usd: number): number | undefined => new Shell(plan, money({ usd })).events("action.begun")[0]?.maxOutput
    expect(dollars((bytes + 700) / 1000)).toBe(700)
    expect(dollars((bytes + 511) / 1000)).toBeUndefined()
  })

  test("[B2] an agent with a limit below 512 tokens needs no room for 512", () => {
    const plan = planOf(flowOf([agent("a")]), [agentOf("worker", { max_output_tokens: 100 })])
    const bytes = requestBytes(new Shell(plan, money({})).run, "a")
    expect(new Shell(plan, money({ tokens: bytes + 100 })).events("action.begun")[0]?.maxOutput).toBe(100)
  })

  test("[B1] the bytes of a request are an upper bound of its tokens, whatever the conversation holds", () => {
    const s = one(money({ tokens: 10_000_000 }))
    const text = "ä😀 " + "x".repeat(5000)
    s.reply("a", text, call("look", { n: 1 }, "k1"), call("nothing", {}, "k2"))
    s.returns("a", "k1", "ö".repeat(3000))
    s.steer("a", "stop ".repeat(100))
    s.reply("a", finish({ status: "unknown" }))
    const session = s.state("a").session
    if (!session) throw new Error("no session")
    const said = messages(
      session,
      s.log.filter((e) => session.seqs.includes(e.seq)),
    )
    const request = systemPrompt(s.plan, session, undefined) + JSON.stringify(said.map((m) => ("text" in m ? m.text : m.content)))
    const encoder = new TextEncoder()
    expect(requestBytes(s.run, "a")).toBeGreaterThanOrEqual(encoder.encode(request).length)
    s.crash()
    expect(requestBytes(s.refolded(), "a")).toBe(requestBytes(s.run, "a"))
  })

  test("[B1] a provider that refuses bills nothing; a silent provider or a lost call may have billed everything", () => {
    const s = one(money({ usd: 50 }))
    const held = s.events("budget.reserved")[0]?.amount.usd
    s.fail("a", { status: 529 })
    expect(s.events("budget.settled").at(-1)).toMatchObject({ amount: { usd: 0 }, spent: { usd: 0 }, reserved: { usd: 0 } })
    s.pass(s.nextDue() ?? 0)
    s.tell({ type: "model.failure", key: s.flying("a", "/model"), failure: { message: "gone", retryable: true }, at: s.now, dice: 0.5 })
    expect(s.run.budget.run?.spent.usd).toBe(held)
    s.pass(s.nextDue() ?? 0)
    s.crash()
    expect(s.run.budget.run?.spent.usd).toBeCloseTo(2 * (held ?? 0), 9)
    expect(s.events("action.lost")).toHaveLength(1)
  })

  test("[B1] a step that ends while its call is under way spends the whole reservation: the call may still be billed", () => {
    const s = new Shell(planOf(flowOf([agent("a", { timeout: 1000 })])), money({ usd: 50 }))
    const held = s.events("budget.reserved")[0]?.amount.usd ?? 0
    s.pass(s.nextDue() ?? 0)
    expect(s.statuses()["a"]).toBe("error")
    expect(s.run.budget).toMatchObject({ run: { spent: { usd: held }, reserved: { usd: 0 } }, holds: {}, steps: {} })
  })

  test("[B3] a call without a price costs null, never 0; without limits no budget event is written, but usage is counted", () => {
    const s = one({ started: { pinned: pins() } })
    answers(s, "a", 100, 20)
    expect(s.events("model.replied")[0]?.cost).toBeNull()
    expect(s.log.some((e) => e.type.startsWith("budget."))).toBe(false)
    expect(s.events("action.begun")[0]?.maxOutput).toBeUndefined()
    expect(view(s.run)).toMatchObject({ usage: { tokens: 120, usd: null }, budget: { limit: {}, spent: {}, reserved: {} } })
  })

  test("[B3] with a dollar limit, a model without a price fails its step, and no one is asked", () => {
    const s = one({ started: { budget: { usd: 9 }, pinned: pins() } })
    expect(s.run).toMatchObject({ status: "failed", error: { source: "budget" } })
    expect(s.flights.size).toBe(0)
  })

  test("[B3] the rehearsal model costs nothing and needs no price", () => {
    const s = one({ started: { budget: { usd: 1 }, pinned: pins({ models: {} }) } })
    s.reply("a", finish())
    expect(s.run.status).toBe("succeeded")
  })
})

describe("not enough left", () => {
  test("[B2] one question with the needed amount; an invalid raise is refused and leaves it open; after a raise the run continues", () => {
    const s = one(money({ usd: 0.01 }))
    expect([s.run.status, s.run.reason, s.flights.size]).toEqual(["waiting", "interaction", 0])
    const [i] = s.pending()
    expect(i).toMatchObject({
      kind: "budget",
      step: "a",
      payload: { scope: "run", limit: { usd: 0.01 }, spent: { usd: 0 }, reserved: { usd: 0 } },
    })
    expect(s.events("budget.exhausted")).toMatchObject([{ scope: "run", limit: { usd: 0.01 } }])
    for (const raise of [{ usd: 0.001 }, { usd: 0.01 }, { tokens: 9 }, {}, { usd: "50" }])
      expect(s.answer(i?.id ?? "", { answer: { raise } }).ok, JSON.stringify(raise)).toBe(false)
    expect(s.answer(i?.id ?? "", { cancelled: true }).ok).toBe(false)
    expect(s.answer(i?.id ?? "", { answer: { raise: { usd: 50 } } }).ok).toBe(true)
    expect(s.run.budget.run?.limit).toEqual({ usd: 50 })
    expect([s.run.status, s.keys()]).toEqual(["running", ["a/1/0/model"]])
    answers(s, "a", 100, 20)
    expect(s.run.status).toBe("succeeded")
  })

  test("[B2] a raise that is still too small leads to another question", () => {
    const s = one(money({ usd: 0.01 }))
    s.answer("i1", { answer: { raise: { usd: 0.02 } } })
    expect(s.pending().map((i) => [i.id, i.payload["limit"]])).toEqual([["i2", { usd: 0.02 }]])
  })

  test("[B2] stop: the run fails with source budget, and finished steps stay finished", () => {
    const s = new Shell(planOf(flowOf([agent("a"), agent("b")], { max_concurrent: 1 }), [small]), money({ tokens: 6000 }))
    answers(s, "a", 3000, 500)
    expect(s.pending()[0]?.step).toBe("b")
    s.answer("i1", { answer: "stop" })
    expect(s.run).toMatchObject({ status: "failed", error: { source: "budget", step: "b" } })
    expect(s.statuses()).toEqual({ a: "complete", b: "canceled" })
  })

  test("[B2] a call that does not fit waits while siblings hold reservations, uses refunds, and no one is asked before that", () => {
    const plan = planOf(flowOf([agent("a"), agent("b"), agent("c")]), [small])
    const need = requestBytes(new Shell(plan, money({})).run, "a") + 600
    const s = new Shell(plan, money({ tokens: Math.floor(need * 1.5) }))
    expect(s.keys()).toEqual(["a/1/0/model"])
    expect([s.run.status, s.pending()]).toEqual(["running", []])
    answers(s, "a", 10, 10)
    expect(s.keys()).toEqual(["b/1/0/model"])
    answers(s, "b", need - 600, 600)
    expect(s.keys()).toEqual([])
    expect(s.pending()).toMatchObject([{ kind: "budget", step: "c" }])
  })

  test("[B2] while a person is asked, calls that fit continue, and no one is asked twice", () => {
    const steps = [agent("a", { agent: "big" }), agent("b"), agent("c", { agent: "big" })]
    const plan = planOf(flowOf(steps), [small, agentOf("big", { body: "x".repeat(50_000) })])
    const models = { worker: MODEL, big: MODEL }
    const s = new Shell(plan, { started: { budget: { tokens: 20_000 }, pinned: pins({ models }) } })
    expect(s.keys()).toEqual(["b/1/0/model"])
    expect(s.pending()).toEqual([])
    s.reply("b", finish())
    expect(s.pending()).toHaveLength(1)
    expect(s.run.status).toBe("waiting")
    s.crash()
    expect(s.pending()).toHaveLength(1)
  })

  test("[B2] a retry that is due later delays no other call", () => {
    const plan = planOf(flowOf([agent("a"), agent("b")]), [small])
    const need = requestBytes(new Shell(plan, money({})).run, "a") + 600
    const s = new Shell(plan, money({ tokens: Math.floor(need * 1.5) }))
    s.fail("a", { status: 529, retryAfter: 60_000 })
    expect(s.keys()).toEqual(["b/1/0/model"])
  })

  test("[B1] a step has its own limit in each pass, and its question raises that limit", () => {
    const plan = planOf(flowOf([agent("a", { budget: { tokens: 100 }, retry: { max: 1, backoff: 1 } })]), [small])
    const s = new Shell(plan, money({ usd: 100 }))
    expect(s.pending()).toMatchObject([{ step: "a", payload: { scope: "step", limit: { tokens: 100 } } }])
    s.answer("i1", { answer: { raise: { tokens: 9000 } } })
    expect(s.run.budget.steps["a"]?.limit).toEqual({ tokens: 9000 })
    expect(s.run.budget.run?.limit).toEqual({ usd: 100 })
    expect(s.events("budget.reserved")[0]?.amount).toMatchObject({ usd: expect.any(Number), tokens: expect.any(Number) })
    answers(s, "a", 10, 10, failed())
    s.pass(s.nextDue() ?? 0)
    expect(s.run.budget.steps["a"]).toMatchObject({ limit: { tokens: 100 } })
    expect(s.pending()).toMatchObject([{ id: "i2", payload: { scope: "step" } }])
  })

  test("[B2] tool calls: a call beyond the limit asks before it runs; refused calls and finish do not count", () => {
    const s = one({ started: { budget: { tool_calls: 2 }, pinned: pins() } })
    s.reply("a", call("ghost", {}, "g"), call("look", { n: 1 }, "k1"), call("look", { n: 2 }, "k2"), call("look", { n: 3 }, "k3"))
    expect(s.keys()).toEqual(["a/1/0/tool/k1", "a/1/0/tool/k2"])
    s.returns("a", "k1")
    expect(s.pending()).toMatchObject([
      { kind: "budget", payload: { limit: { tool_calls: 2 }, spent: { tool_calls: 2 }, needed: { tool_calls: 1 } } },
    ])
    s.crash()
    expect(s.keys()).toEqual(["a/1/0/tool/k2"])
    s.returns("a", "k2")
    expect(s.events("tool.called")).toHaveLength(2)
    s.answer("i1", { answer: { raise: { tool_calls: 3 } } })
    expect(s.keys()).toEqual(["a/1/0/tool/k3"])
    s.returns("a", "k3")
    s.reply("a", finish())
    expect(s.run.status).toBe("succeeded")
  })

  test("[B2] steps: a step beyond the limit opens only after a person raises it, and each pass counts", () => {
    const flow = flowOf([agent("a"), decision("d", { again: "a", done: "z" }, { max_iterations: 3 }), agent("z")])
    const s = new Shell(planOf(flow), { started: { budget: { steps: 3 } } })
    s.reply("a", finish())
    s.reply("d", choose("again"))
    s.reply("a", finish())
    expect([s.run.status, s.opened()]).toEqual(["waiting", ["a", "d", "a"]])
    expect(s.pending()).toMatchObject([{ kind: "budget", step: "d", payload: { limit: { steps: 3 }, spent: { steps: 3 } } }])
    expect(s.statuses()["d"]).toBe("pending")
    s.answer("i1", { answer: { raise: { steps: 5 } } })
    expect(s.statuses()["d"]).toBe("running")
    s.reply("d", choose("done"))
    s.reply("z", finish())
    expect(s.run.status).toBe("succeeded")
    expect(view(s.run).budget).toEqual({ limit: { steps: 5 }, spent: { steps: 5 }, reserved: { steps: 0 } })
  })

  test("[B2] a retried step counts too: it has no timer while a person is asked", () => {
    const s = new Shell(planOf(flowOf([agent("a", { retry: { max: 2, backoff: 60_000 } })])), { started: { budget: { steps: 1 } } })
    s.reply("a", failed())
    expect(s.pending()).toMatchObject([{ kind: "budget", step: "a" }])
    expect(s.nextDue()).toBeUndefined()
    s.answer("i1", { answer: { raise: { steps: 2 } } })
    s.pass(s.nextDue() ?? 0)
    expect(s.opened()).toEqual(["a", "a"])
  })
})

describe("children", () => {
  const map: MapStep = { type: "map", id: "m", over: "${{flow.input.list}}", do: "c", blockedBy: [], inputs: {}, max_concurrent: 2 }
  const report = (tokens: number, usd: number | null = null) => ({
    status: "succeeded" as const,
    summary: "ok",
    files: [],
    outputs: {},
    usage: { tokens, usd, tool_calls: 1, steps: 1 },
  })

  test("[B5] a child gets the rest of the budget, and its usage is settled and counted for its parent", () => {
    const s = new Shell(planOf(flowOf([child("r", "c")])), money({ tokens: 9000, usd: 5 }))
    const effect = s.flights.get("r/1/0/child")
    expect(effect).toMatchObject({ do: "start-child", budget: { tokens: 9000, usd: 5 } })
    expect(s.run.budget.run?.reserved).toMatchObject({ tokens: 9000, usd: 5 })
    s.tell({ type: "child.start", key: "r/1/0/child", index: 0, run: "run_c" })
    s.tell({ type: "child.end", step: "r", pass: 1, index: 0, run: "run_c", report: report(700, 0.5) })
    expect(s.events("child.ended")[0]?.usage).toEqual({ tokens: 700, usd: 0.5, tool_calls: 1, steps: 1 })
    expect(view(s.run)).toMatchObject({
      status: "succeeded",
      usage: { tokens: 700, usd: 0.5, tool_calls: 1 },
      budget: { spent: { tokens: 700, usd: 0.5 }, reserved: { tokens: 0, usd: 0 } },
    })
    expect(reportOf(s.run)?.usage).toEqual({ tokens: 700, usd: 0.5, tool_calls: 1, steps: 2 })
  })

  test("[B5] a child flow with its own budget gets that budget, capped by the rest", () => {
    const started = (tokens: number) => ({ budget: { tokens }, pinned: pins({ budgets: { c: { tokens: 2000, usd: 1 } } }) })
    const carve = (tokens: number) => new Shell(planOf(flowOf([child("r", "c")])), { started: started(tokens) }).flights.get("r/1/0/child")
    expect(carve(9000)).toMatchObject({ budget: { tokens: 2000 } })
    expect(carve(1500)).toMatchObject({ budget: { tokens: 1500 } })
  })

  test("[B5] children of a map that run at once share the rest of the budget", () => {
    const s = new Shell(planOf(flowOf([map], { inputs: { list: { type: "array", required: true } } })), {
      ...money({ tokens: 9001 }),
      inputs: { list: [1, 2, 3] },
    })
    const carves = (): unknown[] => [...s.flights.values()].map((e) => (e.do === "start-child" ? e.budget : undefined))
    expect(carves()).toEqual([{ tokens: 4500 }, { tokens: 4501 }])
    for (const index of [0, 1]) s.tell({ type: "child.start", key: `m/1/${index}/child`, index, run: `run_${index}` })
    s.tell({ type: "child.end", step: "m", pass: 1, index: 0, run: "run_0", report: report(1000) })
    expect(carves()).toEqual([{ tokens: 3500 }])
  })

  test("[B5] a lost start begins again with the same part; a failed start returns its part", () => {
    const s = new Shell(planOf(flowOf([child("r", "c")])), money({ tokens: 9000 }))
    s.crash()
    expect(s.flights.get("r/1/0/child")).toMatchObject({ budget: { tokens: 9000 } })
    expect(s.events("budget.reserved")).toHaveLength(1)
    s.tell({ type: "child.start", key: "r/1/0/child", index: 0, run: "run_c", fault: "no such flow" })
    expect(view(s.run).budget).toMatchObject({ spent: { tokens: 0 }, reserved: { tokens: 0 } })
  })

  test("[B5] with nothing left for a child, its parent asks, and the child does not start", () => {
    const s = new Shell(planOf(flowOf([child("r", "c")])), money({ tokens: 100 }))
    expect([s.flights.size, s.pending()[0]?.kind, s.pending()[0]?.step]).toEqual([0, "budget", "r"])
  })

  test("[B5] a child cannot raise its budget: its only answer is stop", () => {
    const parent = { run: "run_p", step: "r", pass: 1, index: 0, depth: 1 }
    const s = one({ started: { budget: { tokens: 10 }, parent, pinned: pins() } })
    expect(s.answer("i1", { answer: { raise: { tokens: 1_000_000 } } }).ok).toBe(false)
    s.answer("i1", { answer: "stop" })
    expect(reportOf(s.run)).toMatchObject({ status: "failed", usage: { tokens: 0, steps: 1 } })
  })

  test("[B5] a child's lost calls count in full for its parent: they may be billed", () => {
    const s = one(money({ tokens: 100_000 }))
    const held = s.events("budget.reserved")[0]?.amount.tokens ?? 0
    s.crash()
    answers(s, "a", 10, 5)
    expect(reportOf(s.run)).toMatchObject({ usage: { tokens: 15 }, spent: { tokens: held + 15 } })
  })
})

describe("the tenant's day", () => {
  const until = 2_000_000
  const leased = (granted: FactOf<"budget.leased">["granted"], more: Partial<FactOf<"budget.leased">> = {}): Shell =>
    one({ started: { pinned: pins(), prices: { [MODEL]: PRICE } }, lease: { granted, until, ...more } })

  test("[B4] a retry that is due on another day takes nothing from today's slice: it requests a slice of that day", () => {
    const s = one({ ...money({}), lease: { granted: { tokens: 50_000 }, until: DAY } })
    s.now = DAY - 500
    s.fail("a", { retryAfter: 1_000 })
    expect(s.keys()).toEqual([])
    s.pass(s.nextDue() ?? 0)
    expect([s.now >= DAY, s.keys()]).toEqual([true, ["lease/2"]])
    s.tell({ type: "leased", key: "lease/2", lease: { granted: { tokens: 9_000 }, until: 2 * DAY } })
    expect([s.keys(), Object.values(s.run.budget.holds).map((h) => h.until)]).toEqual([["a/1/0/model"], [2 * DAY]])
  })

  test("[B4] a step that waits to be entered and a model call that does not fit ask for one slice together", () => {
    const s = new Shell(planOf(flowOf([agent("a"), agent("b"), agent("c")]), [small]), {
      started: { pinned: pins(), prices: { [MODEL]: PRICE } },
      lease: { granted: { steps: 2, usd: 1e-6 }, until },
    })
    expect(s.events("action.begun").map(({ key, attempt }) => [key, attempt])).toEqual([["lease/2", 1]])
  })

  test("[B4] the first slice comes with the start, so its calls do not wait", () => {
    const s = leased({ tokens: 1_000_000 })
    expect(s.log.slice(0, 2).map((e) => e.type)).toEqual(["run.started", "budget.leased"])
    expect(s.keys()).toEqual(["a/1/0/model"])
    expect(s.events("budget.reserved")[0]).toMatchObject({ scope: "tenant", limit: { tokens: 1_000_000 } })
    answers(s, "a", 100, 20)
    expect(s.run.budget.lease?.spent).toMatchObject({ tokens: 120 })
  })

  test("[B4] a limit that the tenant takes away while the run goes on leaves known what the run still has to give back", () => {
    const s = leased({ tokens: 5000 })
    s.tell({ type: "leased", key: "lease/2", lease: { granted: {}, until } })
    answers(s, "a", 100, 20)
    expect(s.run.budget.lease).toBeUndefined()
    expect(s.run.budget.lifted).toMatchObject({ until })
  })

  test("[B4] what was spent before a unit was limited is not of the slice", () => {
    const s = leased({ tokens: 5000 })
    s.tell({ type: "leased", key: "lease/2", lease: { granted: { tokens: 1000, steps: 1 }, until } })
    answers(s, "a", 100, 20)
    const { spent, reserved, limit } = s.events("budget.settled").at(-1) ?? {}
    expect({ spent, reserved, limit }).toEqual({
      limit: { tokens: 6000, steps: 1 },
      spent: { tokens: 120, steps: 0 },
      reserved: { tokens: expect.any(Number), steps: 0 },
    })
  })

  test("[B4] the next slice is requested before it is needed, beside the call", () => {
    const bytes = requestBytes(leased({ tokens: 100_000 }).run, "a")
    const s = leased({ tokens: 5000 })
    expect(bytes + 600).toBeLessThan(5000)
    expect(s.keys()).toEqual(["a/1/0/model", "lease/2"])
    const wish = s.flights.get("lease/2")
    const amount = wish?.do === "lease" ? (wish.amount.tokens ?? 0) : 0
    expect(amount).toBeGreaterThan(0)
    s.tell({ type: "leased", key: "lease/2", lease: { granted: { tokens: amount }, until } })
    expect(s.run.budget.lease).toMatchObject({ limit: { tokens: 5000 + amount }, slices: 2 })
    expect(s.keys()).toEqual(["a/1/0/model"])
  })

  test("[B4] a call is shortened for a small slice only after a request for more was refused", () => {
    const bytes = requestBytes(leased({ tokens: 100_000 }).run, "a")
    const s = leased({ tokens: bytes + 550 })
    expect(s.keys()).toEqual(["lease/2"])
    s.tell({ type: "leased", key: "lease/2", lease: { granted: { tokens: 0 }, until, retry: until } })
    expect(s.events("action.begun").at(-1)).toMatchObject({ kind: "model", maxOutput: 550 })
  })

  test("[B4] a child has its own slices: its part comes only from the run's budget", () => {
    const plan = planOf(flowOf([child("r", "c")]))
    const lease = { granted: { tokens: 100 }, until }
    const s = new Shell(plan, { started: { budget: { tokens: 9000 }, pinned: pins() }, lease })
    expect(s.flights.get("r/1/0/child")).toMatchObject({ budget: { tokens: 9000 } })
    expect(s.run.budget.lease?.reserved).toEqual({})
    s.tell({ type: "child.start", key: "r/1/0/child", index: 0, run: "run_c" })
    const usage = { tokens: 700, usd: null, tool_calls: 0, steps: 1 }
    s.tell({
      type: "child.end",
      step: "r",
      pass: 1,
      index: 0,
      run: "run_c",
      report: { status: "succeeded", summary: "", files: [], outputs: {}, usage },
    })
    expect(s.run.budget).toMatchObject({ run: { spent: { tokens: 700 }, reserved: { tokens: 0 } } })
    expect(s.run.budget.lease?.spent.tokens).toBeUndefined()
    expect(new Shell(plan, { started: { pinned: pins() }, lease }).flights.get("r/1/0/child")).not.toHaveProperty("budget")
  })

  test("[B4] a call that does not fit the slice waits for the next slice, and no person is asked", () => {
    const s = leased({ tokens: 100 })
    expect(s.keys()).toEqual(["lease/2"])
    s.crash()
    expect(s.keys()).toEqual(["lease/2"])
    s.tell({ type: "leased", key: "lease/2", lease: { granted: { tokens: 50_000 }, until } })
    expect(s.keys()).toEqual(["a/1/0/model"])
    expect(s.pending()).toEqual([])
  })

  test("[B4] other runs may return budget: the lease is requested again later, and no one is asked", () => {
    const s = leased({ tokens: 100 })
    s.tell({ type: "leased", key: "lease/2", lease: { granted: { tokens: 0 }, until, retry: 1_300_000 } })
    expect([s.run.status, s.pending(), s.keys(), s.nextDue()]).toEqual(["waiting", [], [], 1_300_000])
    s.pass(1_300_000)
    expect(s.keys()).toEqual(["lease/3"])
  })

  test("[B4] a used-up day asks a question whose only answer is stop, and the run continues by itself after midnight", () => {
    const s = leased({ tokens: 100 })
    s.tell({ type: "leased", key: "lease/2", lease: { granted: { tokens: 0 }, until, retry: until } })
    expect(s.pending()).toMatchObject([{ kind: "budget", payload: { scope: "tenant", until } }])
    expect(s.answer("i1", { answer: { raise: { tokens: 10 ** 9 } } }).ok).toBe(false)
    expect(s.nextDue()).toBe(until)
    s.pass(until)
    expect(s.keys()).toEqual(["lease/3"])
    s.tell({ type: "leased", key: "lease/3", lease: { granted: { tokens: 90_000 }, until: until + DAY } })
    expect(s.pending()).toEqual([])
    expect(s.run.interactions["i1"]?.status).toBe("withdrawn")
    expect(s.keys()).toEqual(["a/1/0/model"])
    expect(s.run.budget.lease).toMatchObject({ limit: { tokens: 90_000 } })
  })

  test("[B4] stop ends the run", () => {
    const s = leased({ tokens: 100 })
    s.tell({ type: "leased", key: "lease/2", lease: { granted: { tokens: 0 }, until, retry: until } })
    s.answer("i1", { answer: "stop" })
    expect(s.run.error).toMatchObject({ source: "budget" })
  })

  test("[B4] yesterday's slice is void, and calls that began on it do not count today", () => {
    const s = leased({ tokens: 50_000 })
    s.now = until + 5
    s.tell({
      type: "model.failure",
      key: s.flying("a", "/model"),
      failure: { message: "busy", status: 529, retryable: true },
      at: s.now,
      dice: 0.5,
    })
    expect(s.keys()).toEqual(["lease/2"])
    s.tell({ type: "leased", key: "lease/2", lease: { granted: { tokens: 60_000 }, until: until + DAY } })
    expect(s.run.budget.lease).toMatchObject({ limit: { tokens: 60_000 }, spent: {}, reserved: {} })
  })

  test("[B4] tool calls and steps count for the day too", () => {
    const s = leased({ tool_calls: 0, steps: 1 })
    s.reply("a", call("look", { n: 1 }, "k"))
    expect(s.keys()).toEqual(["lease/2"])
    s.tell({ type: "leased", key: "lease/2", lease: { granted: { tool_calls: 1, steps: 0 }, until } })
    expect(s.keys()).toContain("a/1/0/tool/k")
  })

  test("[B4] a tenant that removes its limits frees its runs", () => {
    const s = leased({ tokens: 100 })
    s.tell({ type: "leased", key: "lease/2", lease: { granted: {}, until } })
    expect(s.keys()).toEqual(["a/1/0/model"])
    expect(s.run.budget.lease).toBeUndefined()
  })
})

describe("prices", () => {
  test("[B3] cached tokens have their own price, and the thinking level changes no price", () => {
    const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }
    expect(costOf(price, { input: 1_000_000, output: 0, cacheRead: 400_000, cacheWrite: 100_000 })).toBeCloseTo(
      0.5 * 3 + 0.4 * 0.3 + 0.1 * 3.75,
      9,
    )
    expect(priceOf({ "a/b": price }, "a/b:high")).toBe(price)
    expect(priceOf({ "a/b": price }, "a/c")).toBeUndefined()
    expect(priceOf({}, "constructor")).toBeUndefined()
  })

  test("[B1] a run's snapshot carries its ledgers: a fold from it gives the same state", () => {
    const s = new Shell(
      planOf(flowOf([agent("a", { budget: { tokens: 90_000 } }), agent("b")])),
      money({ usd: 500, tokens: 100_000 }, { snapshotEvery: 1 }),
    )
    s.reply("a", call("look", { n: 1 }, "k"))
    expect(s.refolded().budget).toEqual(s.run.budget)
    expect(isOver(s.run)).toBe(false)
  })
})
