import { expect, test } from "vitest"
import { kappaOf, type Pair } from "../../../src/core/statistics/kappa.ts"
import { whole } from "./whole.ts"

const VERSION = "0123456789ab"
const pairsOf = (table: readonly (readonly number[])[]): Pair[] =>
  table.flatMap((row, judge) =>
    row.flatMap((n, grade) => Array.from({ length: n }, (_, i) => ({ id: `${judge}${grade}${i}`, judge, grade }))),
  )

test("[V22] kappa of two levels is Cohen's: 0.4 where 20 and 15 of 50 agree", () => {
  const result = whole(kappaOf(pairsOf([[20, 5], [10, 15]]), [0, 1], VERSION)) // prettier-ignore
  expect(result).toMatchObject({ pairs: 50, agreement: 0.7, table: [[20, 5], [10, 15]] }) // prettier-ignore
  expect(result.kappa).toBeCloseTo(0.4, 12)
  const [low, high] = result.interval ?? [1, 0]
  // Fleiss, Cohen and Everitt's standard error of it is 0.127.
  expect(low).toBeGreaterThan(0.1)
  expect(low).toBeLessThan(0.2)
  expect(high).toBeGreaterThan(0.58)
  expect(high).toBeLessThan(0.68)
})

test("[V22] from three levels on the weights are quadratic, by the levels' numbers", () => {
  // By hand, distances in halves: 4 pairs are one apart. By chance (7·(8·1+7·4) + 8·(5·1+7·1) + 5·(5·4+8·1)) / 20 = 24.4.
  const table = [[5, 2, 0], [0, 6, 2], [0, 0, 5]] // prettier-ignore
  const even = whole(kappaOf(pairsOf(table), [0, 0.5, 1], VERSION))
  expect(even.kappa).toBeCloseTo(1 - 4 / 24.4, 12)
  // A level near its neighbor makes their confusion cheap: 2 pairs are 9 apart and 2 one, in tenths.
  const near = whole(kappaOf(pairsOf(table), [0, 0.9, 1], VERSION))
  const chance = (7 * (8 * 81 + 7 * 100) + 8 * (5 * 81 + 7) + 5 * (5 * 100 + 8)) / 20
  expect(near.kappa).toBeCloseTo(1 - (2 * 81 + 2) / chance, 12)
})

test("[V22] full agreement is 1, chance is 0, and contradiction is -1", () => {
  const kappa = (table: number[][]): number | null => whole(kappaOf(pairsOf(table), [0, 1], VERSION)).kappa
  expect([kappa([[10, 0], [0, 10]]), kappa([[5, 5], [5, 5]]), kappa([[0, 10], [10, 0]])]).toEqual([1, 0, -1]) // prettier-ignore
})

test("[V22] kappa is null where chance alone agrees, and without enough resamples that have one there is no interval", () => {
  expect(whole(kappaOf(pairsOf([[0, 0], [0, 20]]), [0, 1], VERSION))).toMatchObject({ kappa: null, interval: null, agreement: 1 }) // prettier-ignore
  // One pair of 20 differs from all others: a third of the resamples lacks it.
  expect(whole(kappaOf(pairsOf([[1, 0], [0, 19]]), [0, 1], VERSION))).toMatchObject({ kappa: 1, interval: null }) // prettier-ignore
  expect(whole(kappaOf(pairsOf([[4, 0], [0, 5]]), [0, 1], VERSION))).toMatchObject({ kappa: 1, interval: null }) // prettier-ignore
  expect(whole(kappaOf([], [0, 1], VERSION))).toMatchObject({ pairs: 0, agreement: null, kappa: null, interval: null })
})
