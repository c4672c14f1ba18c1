// Percentiles of exponential histograms [H16]: within 5 % of the exact ones over a thousand random distributions, however many parts they were merged from.

import { expect, test } from "vitest"
import { mergeDurations, noDurations, observe, percentile, spreadOf, type Histogram } from "../../../../src/core/run/usage/histogram.ts"
import { diceOf } from "../../../support/kernel/world.ts"

/** A season. */
const LONGEST_MS = 1e10
const SHARES = [0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 1]

/** Uniform, exponential, with a heavy tail, of two humps, of few values: each from 1 ms to weeks. */
const KINDS: readonly ((roll: () => number, scale: number) => number)[] = [
  (roll, scale) => roll() * scale,
  (roll, scale) => -Math.log(1 - roll()) * scale,
  (roll, scale) => scale / (1 - roll()) ** 2,
  (roll, scale) => (roll() < 0.5 ? scale * (1 + roll() * 0.01) : scale * 100 * (1 + roll())),
  (roll, scale) => Math.ceil(roll() * 4) * scale,
]

const exact = (sorted: readonly number[], share: number): number => sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? 0

test("[H16] percentiles of 1,000 random distributions are within 5 %", () => {
  let widest = 0
  for (let seed = 0; seed < 1_000; seed++) {
    const roll = diceOf(`distribution:${seed}`)
    const kind = KINDS[seed % KINDS.length] ?? (() => 1)
    const scale = 10 ** (roll() * 7)
    const all = Array.from({ length: 1 + Math.floor(roll() * 400) }, () => Math.max(1, Math.round(Math.min(LONGEST_MS, kind(roll, scale)))))
    const parts: Histogram[] = [noDurations(), noDurations(), noDurations()]
    for (const ms of all) observe(parts[Math.floor(roll() * 3)] ?? noDurations(), ms)
    const whole = noDurations()
    for (const part of parts) mergeDurations(whole, part)
    expect(whole.n).toBe(all.length)
    expect(whole.sum).toBe(all.reduce((sum, ms) => sum + ms, 0))
    const sorted = all.toSorted((a, b) => a - b)
    for (const share of SHARES) {
      const [is, was] = [percentile(whole, share) ?? 0, exact(sorted, share)]
      widest = Math.max(widest, Math.abs(is - was) / was)
    }
  }
  expect(widest).toBeLessThanOrEqual(0.05)
  // The distributions go to the edges of their buckets.
  expect(widest).toBeGreaterThan(0.04)
})

test("[H16] a histogram does not depend on the order, and its buckets stay few", () => {
  const roll = diceOf("order")
  const all = Array.from({ length: 2_000 }, () => Math.round(10 ** (roll() * 10)))
  const of = (values: readonly number[]): Histogram => {
    const h = noDurations()
    for (const ms of values) observe(h, ms)
    return h
  }
  expect(of(all)).toEqual(of(all.toReversed()))
  expect(of(all).buckets.length / 2).toBeLessThanOrEqual(40 * 8)
})

test("[H16] a spread has all of a histogram in bars of four buckets, and each is within its bar", () => {
  const h = noDurations()
  for (const ms of [0, 1, 2, 3, 90, 91, 128, 129, 4_000]) observe(h, ms)
  expect(spreadOf(h)).toEqual([
    [1, 2],
    [2, 1],
    [4, 1],
    [90, 1],
    [128, 2],
    [181, 1],
    [4_096, 1],
  ])
})

test("[H16] what a clock that was set back, or nothing, took is 0, and an empty histogram has no percentile", () => {
  const h = noDurations()
  for (const ms of [-5, 0, Number.NaN, 1]) observe(h, ms)
  expect(h).toEqual({ n: 4, sum: 1, buckets: [-1, 4] })
  expect(percentile(h, 0.95)).toBe(1)
  expect(percentile(noDurations(), 0.5)).toBeNull()
})
