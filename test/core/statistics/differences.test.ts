import { expect, test } from "vitest"
import { costDifferences, differences, scoreMean } from "../../../src/core/statistics/differences.ts"
import { Draws } from "../../../src/core/statistics/draws.ts"
import { needed, rulingOf } from "../../../src/core/statistics/ruling.ts"
import type { Valued } from "../../../src/core/statistics/units.ts"
import { whole } from "./whole.ts"

const SEED = "00112233445566778899aabb"
const rows = (...values: number[]): Valued[] => values.map((value, i) => ({ id: String(i).padStart(4, "0"), value }))
const many = (n: number, value: number): number[] => Array.from({ length: n }, () => value)

test("[V37] the numbers are those of sfc32, as the author's own program draws them", () => {
  // PractRand's sfc32 with the state 1, 2, 3 and the counter 1, after its twelve rounds.
  let [a, b, c, counter] = [1n, 2n, 3n, 1n]
  const bits = (n: bigint): bigint => n & 0xffffffffn
  const next = (): bigint => {
    const sum = bits(a + b + counter++)
    a = b ^ (b >> 9n)
    b = bits(c + (c << 3n))
    c = bits(bits((c << 21n) | (c >> 11n)) + sum)
    return sum
  }
  for (let i = 0; i < 12; i++) next()
  const drawn = new Int32Array(500)
  new Draws("000000010000000200000003").fill(drawn, 1001)
  expect([...drawn]).toEqual([...drawn].map(() => Number((next() * 1001n) >> 32n)))
})

test("[V37] twenty rows that agree prove no more than that rare losses are rare: three of the 21 at either end", () => {
  expect(whole(differences(rows(...many(20, 0)), SEED))).toEqual({ n: 20, difference: 0, interval: [-3 / 21, 3 / 21], better: 0, worse: 0 })
})

test("[V37] a variant's own mean lies between 0 and 1, and so does its interval", () => {
  expect(whole(scoreMean(rows(...many(20, 1)), SEED))).toEqual({ n: 20, mean: 1, interval: [18 / 21, 1] })
  expect(whole(scoreMean(rows(...many(20, 0)), SEED))).toEqual({ n: 20, mean: 0, interval: [0, 3 / 21] })
})

test("[V37] rows may come in any order, and the same rows give the same bits", () => {
  const values = rows(...many(15, 0), -1, 0.5, 0.5, -0.5, 0.25)
  expect(whole(differences(values.toReversed(), SEED))).toEqual(whole(differences(values, SEED)))
  expect(whole(differences(values, "ff".repeat(12)))).not.toEqual(whole(differences(values, SEED)))
})

test("[V37] rows of one named thread are one unit, and below ten units there is no interval", () => {
  const threads = rows(...many(20, 0.5)).map((row, i) => ({ ...row, thread: `t${i % 9}` }))
  expect(whole(differences(threads, SEED))).toMatchObject({ n: 20, difference: 0.5, interval: null })
  expect(whole(differences(rows(...many(9, 0)), SEED)).interval).toBeNull()
  expect(whole(differences([], SEED))).toEqual({ n: 0, difference: null, interval: null, better: 0, worse: 0 })
  // Ten threads of ten equal rows know less than a hundred rows.
  const width = (values: Valued[]): number => {
    const [low, high] = whole(differences(values, SEED)).interval ?? [0, 0]
    return high - low
  }
  const alone = rows(...many(100, 0).map((_, i) => (i % 10 < 3 ? 1 : 0)))
  const together = alone.map((row, i) => ({ ...row, thread: `t${i % 10}` }))
  expect(width(together)).toBeGreaterThan(2 * width(alone))
})

test("[V37] money, tokens and time have plain percentiles, and less is better", () => {
  const result = whole(costDifferences(rows(...many(20, 7), 9, -3), SEED))
  expect(result).toMatchObject({ n: 22, better: 1, worse: 21 })
  expect(whole(costDifferences(rows(...many(20, 7)), SEED)).interval).toEqual([7, 7])
})

test("[V41] rows prove a margin by the rule of three: 60 that agree pass 0.05, and 58 do not", () => {
  const decision = (n: number, tries = 1): string => whole(rulingOf(rows(...many(n, 0)), 0.05, tries, SEED)).decision
  expect([decision(58), decision(60), decision(60, 4)]).toEqual(["undecided", "passed", "undecided"])
})

test("[V41] what surely lost is worse, and what may have lost is undecided", () => {
  expect(whole(rulingOf(rows(...many(50, 0), ...many(50, -0.5)), 0.05, 1, SEED))).toMatchObject({ decision: "worse", difference: -0.25 })
  expect(whole(rulingOf(rows(...many(70, 0), ...many(15, -0.5), ...many(15, 0.5)), 0.02, 1, SEED)).decision).toBe("undecided")
})

test("[V41] `needs` follows from the deviation, and is 3/MARGIN at least", () => {
  // A tenth of the rows by half a point: s² = 0.1 · 0.25 · n/(n-1).
  const values = rows(...many(180, 0), ...many(10, 0.5), ...many(10, -0.5))
  expect(needed(values, 0.05)).toBe(Math.ceil((8.57 * 0.025 * (200 / 199)) / 0.0025))
  expect(needed(rows(...many(200, 0)), 0.05)).toBe(60)
  expect(needed([], 0.03)).toBe(100)
})

test("[N4] a thousand rows are resampled in pieces, none of more than 210,000 draws", () => {
  expect(whole(differences(rows(...many(1000, 0.1)), SEED), 210_000).n).toBe(1000)
})
