// Measures 6 and 7 of flow control [R24–R31]: a provider's limit that many runs share, simulated on a virtual clock.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { Allowance } from "../../../src/core/pacing/allowance.ts"
import { counted, estimated, ReplyLengths } from "../../../src/core/pacing/call-cost.ts"
import { Pacer, type Answer, type Question } from "../../../src/core/pacing/pacer.ts"
import { LimitedProvider, PacedWorld, type Sent } from "../../support/pacing/paced-world.ts"

const MINUTE = 60_000
const SET = { models: { "p/m": { rpm: 60, tpm: 100_000 } } }

const perMinute = (sent: readonly Sent[], from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, i) => sent.filter(({ at }) => at >= (from + i) * MINUTE && at < (from + i + 1) * MINUTE).length)
const refusals = ({ provider }: PacedWorld): number =>
  provider.answers.filter(({ status }) => status === 429).length / provider.answers.length

describe("[R24–R29] 60 requests and 100,000 tokens a minute, 200 runs at once", () => {
  for (const [how, limits] of Object.entries({ "set by hand": SET, "learned from one earlier run": {} }))
    test(how, () => {
      const world = new PacedWorld(new LimitedProvider(60, 100_000), limits)
      if (how !== "set by hand") {
        for (let i = 0; i < 12; i++) world.add({ family: "earlier", calls: 2 })
        world.goOn(2 * MINUTE)
      }
      const from = world.now / MINUTE
      world.sent.length = 0
      world.provider.answers.length = 0
      // The calls of a family begin one after another, as those of a map's children do.
      for (let i = 0; i < 200; i++) world.add({ family: `f${Math.floor(i / 10)}`, from: world.now + i * 20 })
      world.goOn(6 * MINUTE)
      expect(refusals(world)).toBeLessThan(0.01)
      for (const n of perMinute(world.sent, from + 1, from + 6)) expect(n).toBeGreaterThanOrEqual(54)
      for (let m = from + 1; m < from + 6; m++) {
        const counts = Array.from(
          { length: 20 },
          (_, i) => world.sent.filter(({ at, family }) => family === `f${i}` && at >= m * MINUTE && at < (m + 1) * MINUTE).length,
        )
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(2)
      }
      // Someone looks at a chat.
      const asked = world.now
      const chat = world.add({ family: "chat", rank: "attended", calls: 1 })
      world.goOn(MINUTE)
      const after = world.sent.filter(({ at }) => at >= asked)
      expect(after.slice(0, 2).map(({ run }) => run)).toContain(chat)
      // [R28] At most one question a second for each isolate.
      for (const i of [0, 1, 2, 3]) {
        const times = world.questions.filter(({ isolate }) => isolate === i).map(({ at }) => at)
        expect(times.every((at, n) => n === 0 || at - (times[n - 1] ?? 0) >= 1_000)).toBe(true)
      }
    })
})

test("[R28] 1,000 calls of 100 runs far from a limit: no more questions than without one, and nothing waits", () => {
  const all = [{}, { models: { "p/m": { rpm: 100_000 } } }, { models: { "p/*": { rpm: 100_000 } } }].map((limits) => {
    const world = new PacedWorld(new LimitedProvider(1_000_000, 1_000_000_000), limits)
    for (let i = 0; i < 100; i++) world.add({ family: `f${i}`, calls: 10 })
    world.goOn(3 * MINUTE)
    expect([world.isIdle, world.sent.length, Math.max(...world.sent.map(({ waited }) => waited))]).toEqual([true, 1_000, 0])
    return world.questions.length
  })
  expect(all[1]).toBeLessThanOrEqual(all[0] ?? 0)
  expect(all[2]).toBeLessThanOrEqual(all[0] ?? 0)
})

const question = (more: Partial<Question> & { keys?: readonly string[] } = {}): Question => ({
  isolate: "i",
  model: "p/m",
  waiting: (more.keys ?? []).map((key) => ({ key, family: key, rank: "normal", cost: { requests: 1 } })),
  ...more,
})
const now = (answer: Answer): string[] => Object.entries(answer.turns).flatMap(([key, turn]) => (turn === "now" ? [key] : []))

describe("[R28] a question", () => {
  test("about a model without limits is answered: free", () => {
    expect(new Pacer().ask(question({ keys: ["a"] }), 0)).toMatchObject({ free: true })
    expect(new Pacer({ models: { "q/*": { rpm: 1 } } }).ask(question(), 0)).toMatchObject({ free: true })
  })

  test("gets half of what is left for five seconds, and what was not taken comes back", () => {
    const pacer = new Pacer({ models: { "p/m": { rpm: 60 } } })
    const lent = (isolate: string, at: number, spent = {}): number | undefined =>
      pacer.ask(question({ isolate, spent }), at).allowance?.amounts.requests
    expect([lent("i", 0), lent("j", 0), lent("k", 0)]).toEqual([5, 2, 1])
    expect(pacer.ask(question({ isolate: "j" }), 0).allowance?.until).toBe(5_000)
    const other = new Pacer({ models: { "p/m": { rpm: 60 } } })
    expect(other.ask(question(), 0).allowance?.amounts.requests).toBe(5)
    expect(other.ask(question({ spent: { requests: 5 } }), 0).allowance?.amounts.requests).toBe(2)
    expect(other.ask(question({ spent: { requests: 0 } }), 0).allowance?.amounts.requests).toBe(2)
  })

  test("gets no allowance while a call of the model waits anywhere", () => {
    const pacer = new Pacer({ models: { "p/m": { rpm: 6 } } })
    expect(now(pacer.ask(question({ keys: ["a", "b"] }), 0))).toEqual(["a"])
    expect(pacer.ask(question({ isolate: "j" }), 0)).not.toHaveProperty("allowance")
  })
})

describe("[R29] a turn", () => {
  test("is foretold with the calls before it, and is kept until its call comes", () => {
    const pacer = new Pacer({ models: { "p/m": { rpm: 60 } } })
    const keys = Array.from({ length: 13 }, (_, i) => `k${String(i).padStart(2, "0")}`)
    const { turns } = pacer.ask(question({ keys }), 0)
    expect(keys.map((key) => turns[key]).slice(9)).toEqual([
      "now",
      { until: 1_000, ahead: 0 },
      { until: 2_000, ahead: 1 },
      { until: 3_000, ahead: 2 },
    ])
    // They sleep: nobody takes their turns from them.
    expect(now(pacer.ask(question({ isolate: "j", keys: ["late"] }), 3_000))).toEqual([])
    expect(now(pacer.ask(question({ keys: keys.slice(10) }), 3_000))).toEqual(keys.slice(10))
  })

  test("[R27] goes to a call that is here and goes before it, but not the turn of the call that has waited longest", () => {
    const pacer = new Pacer({ models: { "p/m": { rpm: 60 } } })
    const keys = Array.from({ length: 16 }, (_, i) => `k${String(i).padStart(2, "0")}`)
    const chat = (key: string) => question({ waiting: [{ key, family: key, rank: "attended", cost: { requests: 1 } }] })
    pacer.ask(question({ keys }), 0)
    // The turn of `k10` has come, and it sleeps.
    expect(now(pacer.ask(question({ isolate: "j", keys: ["late"] }), 1_000))).toEqual([])
    expect(now(pacer.ask(chat("chat"), 1_000))).toEqual(["chat"])
    expect(pacer.ask(question({ keys: ["k10"] }), 1_000).turns).toEqual({ k10: { until: 2_000, ahead: 0 } })
    // One that comes in the same question waits for the next.
    const both = new Pacer({ models: { "p/m": { rpm: 60 } } })
    both.ask(question({ keys }), 0)
    both.ask(question({ isolate: "j" }), 1_000)
    const together = [...chat("chat").waiting, ...question({ keys: ["k10"] }).waiting]
    expect(now(both.ask(question({ waiting: together }), 1_000))).toEqual(["chat"])
    // The fifteenth turn is that of the longest wait: it is kept.
    for (const at of [2_000, 3_000]) pacer.ask(question({ isolate: "j" }), at)
    expect(now(pacer.ask(question({ keys: ["k10", "k11"] }), 3_000))).toEqual(["k10", "k11"])
    pacer.ask(question({ isolate: "j" }), 4_000)
    pacer.ask(question({ isolate: "j" }), 5_000)
    expect(now(pacer.ask(chat("another"), 5_000))).toEqual(["another"])
    expect(now(pacer.ask(chat("third"), 5_000))).toEqual([])
    expect(now(pacer.ask(question({ keys: keys.slice(12) }), 5_000))).toHaveLength(1)
  })

  test("of a call that never comes is given up, and its place is free", () => {
    const pacer = new Pacer({ models: { "p/m": { rpm: 1 } } })
    expect(pacer.ask(question({ keys: ["a", "away", "b"] }), 0).turns).toMatchObject({
      a: "now",
      away: { until: 60_000 },
      b: { until: 120_000 },
    })
    expect(now(pacer.ask(question({ keys: ["b"] }), 60_000))).toEqual([])
    expect(now(pacer.ask(question({ keys: ["b"] }), 71_000))).toEqual(["b"])
  })

  test("[R24] counts at its model and at all models of its provider, and holds up no call that needs others", () => {
    const pacer = new Pacer({ models: { "p/*": { rpm: 60 }, "p/m": { rpm: 1 } } })
    expect(now(pacer.ask(question({ keys: ["a", "b"] }), 0))).toEqual(["a"])
    const keys = Array.from({ length: 12 }, (_, i) => `n${i}`)
    const { turns } = pacer.ask(question({ model: "p/n", keys }), 0)
    expect(Object.values(turns).filter((turn) => turn === "now")).toHaveLength(9)
  })

  test("[R26] of a call that is larger than a minute's limit comes, and counts as a minute", () => {
    const pacer = new Pacer({ models: { "p/m": { itpm: 6_000 } } })
    const large = (key: string) => question({ waiting: [{ key, family: key, rank: "normal", cost: { requests: 1, input: 900_000 } }] })
    expect(now(pacer.ask(large("a"), 0))).toEqual(["a"])
    expect(pacer.ask(large("b"), 0).turns).toEqual({ b: { until: 60_000, ahead: 0 } })
  })
})

describe("[R31] a refusal", () => {
  test("with a time stops the model in every isolate until then, and other models go on", () => {
    const pacer = new Pacer()
    pacer.ask(question({ refused: [{ status: 503, retryAfter: 20_000 }] }), 0)
    expect(pacer.ask(question({ isolate: "j", keys: ["a"] }), 5_000)).toEqual({
      turns: { a: { until: 20_000, ahead: 0 } },
      stoppedUntil: 20_000,
    })
    expect(pacer.ask(question({ model: "p/n", keys: ["b"] }), 5_000)).toMatchObject({ free: true, turns: { b: "now" } })
    expect(now(pacer.ask(question({ isolate: "j", keys: ["a"] }), 20_000))).toEqual(["a"])
  })

  test("with 429 and no number teaches a limit; with headers they teach it, unless learning is off", () => {
    const pacer = new Pacer()
    pacer.ask(question({ answered: 100 }), 0)
    pacer.ask(question({ refused: [{ status: 429 }] }), 1_000)
    expect(pacer.ask(question(), 1_000).allowance?.amounts.requests).toBe(6)
    const seen = [{ unit: "requests", limit: 60, remaining: 0, fullIn: 60_000 }] as const
    const taught = new Pacer()
    expect(taught.ask(question({ keys: ["a"], seen, refused: [{ status: 429 }] }), 0).turns).toEqual({ a: { until: 1_000, ahead: 0 } })
    expect(new Pacer({ learn: false }).ask(question({ keys: ["a"], seen }), 0)).toMatchObject({ free: true })
  })
})

test("[R26] estimates count four bytes as a token, and what was estimated wrongly is corrected", () => {
  const replies = new ReplyLengths()
  replies.take(100)
  replies.take(300)
  expect(estimated({ bytes: 4_001, maxOutput: 8_000 }, replies)).toEqual({ requests: 1, input: 1_001, output: 200, tokens: 9_001 })
  expect(estimated({ bytes: 4, maxOutput: 50 }, replies).output).toBe(50)
  expect(counted({ input: 1_000, output: 50, cacheRead: 900 }, true)).toEqual({ requests: 1, input: 100, output: 50, tokens: 150 })
  expect(counted({ input: 1_000, output: 50, cacheRead: 900 }, false)).toMatchObject({ input: 1_000 })
  const pacer = new Pacer({ models: { "p/m": { tpm: 6_000 } } })
  const call = (key: string) => ({ waiting: [{ key, family: key, rank: "normal", cost: { requests: 1, tokens: 1_000 } }] }) as const
  expect(now(pacer.ask(question(call("a")), 0))).toEqual(["a"])
  expect(now(pacer.ask(question(call("b")), 0))).toEqual([])
  expect(now(pacer.ask(question({ ...call("b"), corrected: { tokens: 900 } }), 1_000))).toEqual(["b"])
})

test("[R26] [R28] whatever is asked when, no minute has more than its limit and a sixth of it, and a reset adds no more than a sixth", () => {
  const asks = fc.array(fc.record({ wait: fc.nat(4_000), isolate: fc.nat(2), calls: fc.nat(6), reset: fc.boolean() }), {
    minLength: 5,
    maxLength: 60,
  })
  fc.assert(
    fc.property(asks, fc.integer({ min: 6, max: 90 }), (steps, rpm) => {
      let pacer = new Pacer({ models: { "p/m": { rpm } } })
      const isolates = [0, 1, 2].map((i) => new Allowance(`i${i}`, "p/m"))
      const sent: number[] = []
      let [at, n, resets] = [0, 0, 0]
      for (const { wait, isolate, calls, reset } of steps) {
        at += wait
        if (reset && n % 7 === 0) {
          pacer = new Pacer({ models: { "p/m": { rpm } } })
          resets += 1
        }
        const one = isolates[isolate]
        if (!one) continue
        for (let i = 0; i < calls; i++) {
          n += 1
          if (one.lets({ key: `k${n}`, family: `f${n % 3}`, rank: "normal", cost: { requests: 1 } }, at)) sent.push(at)
        }
        if (one.isDue(at)) for (const turn of one.told(pacer.ask(one.question(at), at), at).values()) if (turn === "now") sent.push(at)
      }
      const sixth = Math.max(1, rpm / 6)
      for (const from of sent) {
        const within = sent.filter((one) => one >= from && one < from + MINUTE).length
        // An allowance that was lent before a reset, or before the minute, may be used in it.
        expect(within).toBeLessThanOrEqual(rpm + sixth * (2 + resets) + 1e-6)
      }
    }),
    { numRuns: 200 },
  )
})
