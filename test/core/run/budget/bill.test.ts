// [B3] A model call whose provider reports no usage, or impossible usage: it settles at the most that the budget reserved for it.

import { describe, expect, test } from "vitest"
import type { FactOf } from "../../../../src/core/run/event.ts"
import type { Reply } from "../../../../src/core/run/signal.ts"
import { requestBytes } from "../../../../src/core/run/budget/budget-bytes.ts"
import { isOver } from "../../../../src/core/run/state.ts"
import { view } from "../../../../src/core/run/views/view.ts"
import { agent, agentOf, flowOf, planOf } from "../../../support/kernel/builders.ts"
import { call, finish, replyOf, roundTrip, Shell, type Call } from "../../../support/kernel/shell.ts"

const MODEL = "acme/big"
const PRICE = { input: 1000, output: 3000 }
type Budget = NonNullable<FactOf<"run.started">["budget"]>
const started = (
  budget?: Budget,
  prices: Record<string, typeof PRICE> = { [MODEL]: PRICE },
): { started: Partial<FactOf<"run.started">> } => ({
  started: {
    ...(budget ? { budget } : {}),
    prices,
    pinned: { revision: 1, flow: { id: "f", hash: "h" }, agents: {}, skills: {}, models: { worker: MODEL, other: MODEL } },
  },
})
const worker = agentOf("worker", { max_output_tokens: 600, max_turns: 1000 })
const shell = (budget?: Budget, prices?: Record<string, typeof PRICE>): Shell =>
  new Shell(planOf(flowOf([agent("a")]), [worker]), started(budget, prices))
/** A reply with this in place of its usage: any value that a model port may hand over. */
const reported = (usage: unknown, ...said: (Call | string)[]): Reply => {
  const { usage: _usage, ...rest } = replyOf(said)
  return usage === undefined ? rest : { ...rest, usage: usage as NonNullable<Reply["usage"]> }
}
const answers = (s: Shell, usage: unknown, ...said: (Call | string)[]): void => {
  const told = s.tell({ type: "model.reply", key: s.flying("a", "/model"), reply: reported(usage, ...said), at: s.now })
  expect(told.ok).toBe(true)
}

test.each([[{ input: 1e15, output: 5 }], [{ input: 10, output: 9_007_199_254_740_991 }], [{ input: 10_000_000, output: 5 }]])(
  "[B3] without any limit, a report of more than a request can hold (%j) is not believed",
  (usage) => {
    const s = shell(undefined, { [MODEL]: PRICE })
    answers(s, usage, finish())
    const replied = s.events("model.replied")[0]
    expect(replied?.usage.estimated).toBe(true)
    expect(s.run.usage.input + s.run.usage.output).toBeLessThan(1_000_000)
  },
)

test("[B3] without any limit, a report with a gateway's own long prompt is believed", () => {
  const s = shell(undefined, { [MODEL]: PRICE })
  answers(s, { input: 60_000, output: 50 }, finish())
  expect(s.events("model.replied")[0]?.usage).toEqual({ input: 60_000, output: 50 })
})

/** [name, usage] */
const USELESS: [string, unknown][] = [
  ["missing", undefined],
  ["null", null],
  ["text", "12"],
  ["a list", [1, 2]],
  ["empty", {}],
  ["zero with a reply", { input: 0, output: 0 }],
  ["input without output", { input: 10 }],
  ["output without input", { output: 10 }],
  ["no output for a reply", { input: 10, output: 0 }],
  ["no input", { input: 0, output: 10 }],
  ["null members", { input: null, output: null }],
  ["members as text", { input: "10", output: "5" }],
  ["negative input", { input: -10, output: 5 }],
  ["negative output", { input: 10, output: -5 }],
  ["NaN", { input: Number.NaN, output: 5 }],
  ["infinite", { input: 10, output: Number.POSITIVE_INFINITY }],
  ["1e308", { input: 1e308, output: 1e308 }],
  ["over 2^53", { input: 10, output: 2 ** 53 }],
  ["fractions", { input: 10.5, output: 5 }],
  ["more cached than input", { input: 10, output: 5, cacheRead: 11 }],
  ["more cached and written than input", { input: 10, output: 5, cacheRead: 6, cacheWrite: 5 }],
  ["negative cache", { input: 10, output: 5, cacheRead: -1 }],
  ["cache as text", { input: 10, output: 5, cacheWrite: "1" }],
]

/** Only a reservation says how much a call can use: without one the provider's figure stands. */
const TOO_MUCH: [string, unknown][] = [
  ["more than the call can use", { input: 1e12, output: 5 }],
  ["more output than the call was given", { input: 10, output: 100_000 }],
]

const nulls = (value: unknown, path = ""): string[] =>
  value === null ? [path] : typeof value === "object" ? Object.entries(value).flatMap(([k, v]) => nulls(v, `${path}/${k}`)) : []

describe("usage that cannot be true", () => {
  test.each([...USELESS, ...TOO_MUCH])("[B3] %s settles at the reserved worst case", (_, usage) => {
    const s = shell({ usd: 50, tokens: 100_000 })
    const held = s.events("budget.reserved")[0]
    answers(s, usage, finish())
    const [settled] = s.events("budget.settled")
    expect(settled?.amount).toEqual(held?.amount)
    expect(settled?.spent).toEqual(held?.amount)
    expect(settled?.reserved).toEqual({ usd: 0, tokens: 0 })
    const [said] = s.events("model.replied")
    expect(said?.usage).toEqual({ input: (held?.amount.tokens ?? 0) - 600, output: 600, estimated: true })
    expect(said?.cost).toBe(held?.amount.usd)
    expect(view(s.run).usage).toMatchObject({ tokens: held?.amount.tokens, usd: held?.amount.usd, estimated: held?.amount.tokens })
  })

  test.each(USELESS)("[B3, J6] %s: the journal holds no null for a number, and a restart changes nothing", (_, usage) => {
    for (const budget of [undefined, { tokens: 100_000 }, { usd: 50 }] satisfies (Budget | undefined)[]) {
      const s = shell(budget)
      answers(s, usage, "look", call("look", { n: 1 }, "k1"))
      s.returns("a", "k1")
      answers(s, usage, finish())
      expect(s.run.status).toBe("succeeded")
      expect(s.log.flatMap((e) => nulls(roundTrip(e)))).toEqual([])
      const before = roundTrip(view(s.run))
      expect(roundTrip(view(s.refolded()))).toEqual(before)
      expect(s.refolded().budget).toEqual(s.run.budget)
    }
  })

  test("[B3] without a limit it counts as the most that the call could use, not as nothing", () => {
    const s = shell()
    const bytes = requestBytes(s.run, "a")
    answers(s, undefined, finish())
    const [said] = s.events("model.replied")
    expect(said?.usage).toEqual({ input: bytes, output: 600, estimated: true })
    expect(said?.cost).toBeCloseTo((bytes * PRICE.input + 600 * PRICE.output) / 1e6, 9)
    expect(view(s.run).usage).toMatchObject({ tokens: bytes + 600, usd: said?.cost, estimated: bytes + 600 })
  })

  test("[B3] without a price its cost is null, never 0", () => {
    const s = shell({ tokens: 100_000 }, {})
    answers(s, undefined, finish())
    expect(s.events("model.replied")[0]?.cost).toBeNull()
    expect(view(s.run).usage.usd).toBeNull()
    expect(view(s.run).usage.tokens).toBeGreaterThan(600)
  })

  test("[B1] a provider that never reports cannot make more calls than the limit holds worst cases", () => {
    const s = shell({ tokens: 30_000 })
    let calls = 0
    for (; s.flights.size > 0 && calls < 1000; calls++) {
      answers(s, undefined, "still at it", call("look", { n: calls }, `k${calls}`))
      s.returns("a", `k${calls}`, `seen ${calls}`)
    }
    expect(calls).toBeGreaterThan(2)
    expect(calls).toBeLessThan(20)
    expect(s.pending()).toMatchObject([{ kind: "budget" }])
    expect(s.run.budget.run?.spent.tokens).toBeLessThanOrEqual(30_000)
    expect(isOver(s.run)).toBe(false)
  })

  test("[B4] the tenant's day settles at the worst case too", () => {
    const until = 86_400_000
    const s = new Shell(planOf(flowOf([agent("a")]), [worker]), { ...started(), lease: { granted: { tokens: 50_000, usd: 100 }, until } })
    const held = s.events("budget.reserved")[0]?.amount
    answers(s, undefined, finish())
    expect(s.run.budget.lease).toMatchObject({ spent: held, reserved: { tokens: 0, usd: 0 } })
  })

  test("[B3] a message from a person that arrives during the call does not make the settlement exceed the reservation", () => {
    const s = shell({ tokens: 100_000 })
    const held = s.events("budget.reserved")[0]?.amount
    s.steer("a", "x".repeat(5000))
    answers(s, undefined, "fine")
    expect(s.events("budget.settled")[0]?.amount).toEqual(held)
    const { usage } = s.events("model.replied")[0] ?? {}
    expect((usage?.input ?? 0) + (usage?.output ?? 0)).toBe(held?.tokens)
  })

  test("[J23] an estimate does not change the rate of tokens to bytes, which decides when a conversation is shortened", () => {
    const s = shell()
    answers(s, { input: 500, output: 5 }, call("look", { n: 1 }, "k1"))
    const seen = s.state("a").session?.seen
    s.returns("a", "k1")
    answers(s, undefined, call("look", { n: 2 }, "k2"))
    expect(s.state("a").session?.seen).toEqual(seen)
  })
})

describe("usage that is true", () => {
  test.each([
    ["plain", { input: 10, output: 5 }],
    ["all of the input from the cache", { input: 10, output: 5, cacheRead: 10 }],
    ["read and written", { input: 10, output: 5, cacheRead: 4, cacheWrite: 6 }],
    ["no cache", { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 }],
  ])("[B1] %s is settled as it is reported", (_, usage) => {
    const s = shell({ usd: 50, tokens: 100_000 })
    answers(s, usage, finish())
    expect(s.events("model.replied")[0]?.usage).toEqual(usage)
    expect(s.events("budget.settled")[0]?.amount.tokens).toBe(15)
    expect(view(s.run).usage).not.toHaveProperty("estimated")
  })

  test("[B1] exactly what was reserved is believed", () => {
    const s = shell({ tokens: 100_000 })
    const held = s.events("budget.reserved")[0]?.amount.tokens ?? 0
    answers(s, { input: held - 600, output: 600 }, finish())
    expect(s.events("model.replied")[0]?.usage).toEqual({ input: held - 600, output: 600 })
  })

  test("[M3] a model that asks no provider uses nothing", () => {
    const s = shell({ tokens: 100_000 })
    const reply = { ...reported({ input: 0, output: 0 }, finish()), unbilled: true as const }
    s.tell({ type: "model.reply", key: s.flying("a", "/model"), reply, at: s.now })
    expect(s.events("model.replied")[0]?.usage).toEqual({ input: 0, output: 0 })
    expect(s.events("budget.settled")[0]?.amount).toEqual({ tokens: 0 })
  })
})

describe("a call that fails", () => {
  const fails = (s: Shell, failure: { status?: number; begun?: true }): void => {
    s.tell({
      type: "model.failure",
      key: s.flying("a", "/model"),
      failure: { message: "no", retryable: true, ...failure },
      at: s.now,
      dice: 0.5,
    })
  }

  test("[B1] a refusal bills nothing, but an error after the reply had begun may bill everything, whatever its status", () => {
    const s = shell({ tokens: 100_000 })
    const held = s.events("budget.reserved")[0]?.amount
    fails(s, { status: 503 })
    expect(s.events("budget.settled").at(-1)?.amount).toEqual({ tokens: 0 })
    s.pass(s.nextDue() ?? 0)
    fails(s, { status: 503, begun: true })
    expect(s.events("budget.settled").at(-1)?.amount).toEqual(held)
  })
})

describe("a summary of a long conversation", () => {
  const begun = (budget?: Budget): { s: Shell; key: string } => {
    const s = shell(budget)
    answers(s, { input: 500, output: 5 }, call("look", { n: 1 }, "k1"))
    s.returns("a", "k1", "x".repeat(5000))
    s.fail("a", { status: 400, overflow: true, retryable: false })
    return { s, key: s.flying("a", "/compact") }
  }

  test.each(USELESS)("[B3, J23] usage %s settles at the reserved worst case, and the journal holds figures", (_, usage) => {
    for (const budget of [undefined, { tokens: 100_000, usd: 500 }] satisfies (Budget | undefined)[]) {
      const { s, key } = begun(budget)
      const held = s.run.budget.holds[key]?.amount
      const done = {
        kind: "summary",
        upTo: 1,
        bytes: 100,
        summary: "so far",
        ...(usage === undefined ? {} : { usage: usage as { input: 1; output: 1 } }),
      }
      expect(s.tell({ type: "compacted", key, step: "a", done: { ...done, kind: "summary" } }).ok).toBe(true)
      const settled = s.events("budget.settled").filter((e) => e.key === key)
      expect(settled.map((e) => e.amount)).toEqual(held ? [held] : [])
      const [short] = s.events("context.compacted")
      expect(short?.usage).toMatchObject({ output: 2048, estimated: true })
      expect(short?.cost).toBeGreaterThan(0)
      expect(s.log.flatMap((e) => nulls(roundTrip(e)))).toEqual([])
      expect(roundTrip(view(s.refolded()))).toEqual(roundTrip(view(s.run)))
    }
  })

  test("[B3] an empty summary without usage may have been billed", () => {
    const { s, key } = begun({ tokens: 100_000 })
    const held = s.run.budget.holds[key]?.amount
    s.tell({ type: "compacted", key, step: "a", done: { kind: "none", why: "it came back empty", unsure: true } })
    expect(s.events("budget.settled").at(-1)?.amount).toEqual(held)
    expect(s.run.usage.lost).toEqual({ calls: 1, tokens: held?.tokens })
  })
})

describe("amounts beyond all reason", () => {
  test.each([1e300, Number.MAX_VALUE])("[B1, J6] a limit of %s dollars and a price as high are written as numbers", (huge) => {
    const prices = { [MODEL]: { input: huge, output: huge } }
    const s = shell({ usd: huge }, prices)
    for (const key of s.keys()) if (key.endsWith("/model")) answers(s, { input: 10, output: 5 }, finish())
    const faults = s.log.flatMap((e) => nulls(roundTrip(e)))
    expect(faults).toEqual([])
  })
})
