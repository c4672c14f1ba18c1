// Who goes first [R27].

import fc from "fast-check"
import { expect, test } from "vitest"
import { inTurn, RANKS, type WaitingCall } from "../../../src/core/pacing/turns.ts"

const call = (key: string, more: Partial<WaitingCall> = {}): WaitingCall => ({
  key,
  family: key,
  rank: "normal",
  since: 0,
  cost: {},
  ...more,
})
const keys = (calls: readonly WaitingCall[], got: Record<string, number> = {}, turns = 0, now = 9): string =>
  inTurn(calls, { families: new Map(Object.entries(got)), turns, now })
    .map(({ key }) => key)
    .join(" ")

test("[R27] runs for which a person waits, then by priority, then the family that got least, then by time", () => {
  const calls = [
    call("low", { rank: "low" }),
    call("n2", { since: 2 }),
    call("n1", { since: 1 }),
    call("high", { rank: "high" }),
    call("chat", { rank: "attended", since: 9 }),
  ]
  expect(keys(calls)).toBe("chat high n1 n2 low")
  expect(keys([call("a1", { family: "a" }), call("a2", { family: "a", since: 1 }), call("b1", { family: "b", since: 2 })])).toBe("a1 b1 a2")
  expect(keys([call("a1", { family: "a" }), call("b1", { family: "b", since: 2 })], { a: 1 })).toBe("b1 a1")
})

test("[R27] every fifth is the one that has waited longest", () => {
  const calls = [call("old", { rank: "low" }), ...Array.from({ length: 8 }, (_, i) => call(`h${i}`, { rank: "high", since: i + 1 }))]
  expect(keys(calls)).toBe("h0 h1 h2 h3 old h4 h5 h6 h7")
  expect(keys(calls, {}, 4).split(" ")[0]).toBe("old")
  expect(keys(calls, {}, 3).split(" ").indexOf("old")).toBe(1)
})

test("[R27] of calls that have waited almost as long as the longest it is the family's that got least", () => {
  const calls = [call("a1", { family: "a" }), call("a2", { family: "a", since: 1 }), call("b1", { family: "b", since: 90 })]
  expect(keys(calls, { a: 3 }, 4, 900)).toBe("b1 a1 a2")
  expect(keys(calls, { a: 3 }, 4, 899)).toBe("a1 b1 a2")
  expect(keys(calls, { a: 3, b: 3 }, 4, 900)).toBe("a1 b1 a2")
})

const some = fc.array(
  fc.record({
    key: fc.uuid(),
    family: fc.constantFrom("a", "b", "c"),
    rank: fc.constantFrom(...RANKS),
    since: fc.nat(50),
    cost: fc.constant({}),
  }),
  { maxLength: 40 },
)

test("[R27] each call has one turn, the order does not depend on who is named first, and no one waits behind more than four of five", () => {
  fc.assert(
    fc.property(
      some,
      fc.nat(9),
      fc.dictionary(fc.constantFrom("a", "b", "c"), fc.nat(5)),
      fc.integer({ min: 50, max: 200 }),
      (calls, turns, got, now) => {
        const got_ = { families: new Map(Object.entries(got)), turns, now }
        const order = inTurn(calls, got_)
        expect(order.map(({ key }) => key).toSorted()).toEqual(calls.map(({ key }) => key).toSorted())
        expect(inTurn(calls.toReversed(), got_)).toEqual(order)
        // Whoever has waited longest, or almost as long, is among the next five.
        const longest = Math.max(...calls.map(({ since }) => now - since))
        expect(calls.length === 0 || order.slice(0, 5).some(({ since }) => now - since >= longest * 0.9)).toBe(true)
      },
    ),
    { numRuns: 300 },
  )
})

test("[R27] with equal ranks, what families got differs by at most one", () => {
  const calls = ["a", "b", "c"].flatMap((family) => Array.from({ length: 20 }, (_, i) => call(`${family}${i}`, { family, since: i })))
  const order = inTurn(calls, { families: new Map(), turns: 0, now: 1_000 })
  for (let n = 3; n <= 60; n += 3) {
    const counts = ["a", "b", "c"].map((family) => order.slice(0, n).filter((one) => one.family === family).length)
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
  }
})

test("[R27] of more than a thousand waiting calls the first thousand have a turn", () => {
  expect(
    inTurn(
      Array.from({ length: 1_500 }, (_, i) => call(`k${i}`, { since: i })),
      { families: new Map(), turns: 0, now: 0 },
    ),
  ).toHaveLength(1_000)
})
