// The overview [H16]: what is usual, and what is not, from the weeks before.

import { describe, expect, test } from "vitest"
import { hoursBefore, overviewOf, WEEK_HOURS, type Hours } from "../../../../src/core/run/usage/overview.ts"
import { observe, noDurations } from "../../../../src/core/run/usage/histogram.ts"
import type { Sum } from "../../../../src/core/run/usage/sum.ts"
import { judged, usualOf } from "../../../../src/core/run/usage/usual.ts"

const HOUR = 3_600_000
const FROM = 490_000

function sumOf(n: number, failed = 0, usd = n / 10, ms = 60_000): Sum {
  const took = noDurations()
  for (let i = 0; i < n; i++) observe(took, ms)
  return { began: n, runs: { succeeded: n - failed, failed }, usd, ms: took }
}
/** Twenty runs an hour, now and in so many weeks before. */
function hoursOf(weeks: number, here: (hour: number) => Sum, more: Partial<Hours> = {}): Hours {
  const sums = new Map<number, Sum>()
  for (let i = 0; i < 24; i++) {
    if (i <= 14) sums.set(FROM + i, here(i))
    for (let k = 1; k <= weeks; k++) sums.set(FROM + i - k * WEEK_HOURS, sumOf(20 + (k % 3)))
  }
  return { from: FROM, n: 15, each: 1, now: (FROM + 14.5) * HOUR, sums, open: 0, changes: [], active: 0, begun: [], ...more }
}

describe("what is usual", () => {
  test("[H16] with fewer than four such weeks there is no range and no verdict", () => {
    const { numbers, slices } = overviewOf(hoursOf(3, () => sumOf(20)))
    expect(Object.values(numbers).map(({ usual, unusual }) => [usual, unusual])).toEqual(Array.from({ length: 6 }, () => [null, null]))
    expect(slices[0]?.usual.runs).toBeNull()
    expect(overviewOf(hoursOf(4, () => sumOf(20))).numbers.runs).toMatchObject({ unusual: false })
  })

  test("[H16] a day like those before is usual in each number", () => {
    const { numbers } = overviewOf(hoursOf(8, (i) => (i === 14 ? sumOf(10) : sumOf(21))))
    expect(Object.entries(numbers).filter(([, { unusual }]) => unusual !== false)).toEqual([])
    // Of the hour that is not over, the part that has passed: 14.5 hours of 20 to 22 runs.
    expect(numbers.runs).toMatchObject({ value: 304, usual: [Math.floor(290 - 2 * Math.sqrt(291)), Math.ceil(319 + 2 * Math.sqrt(320))] })
  })

  test.each([
    ["runs", (): Sum => sumOf(10)],
    ["success", (): Sum => sumOf(20, 8)],
    ["usd", (): Sum => sumOf(20, 0, 9)],
    ["p95", (): Sum => sumOf(20, 0, 2, 120_000)],
  ] as const)("[H16] %s far from the weeks before is unusual", (name, here) => {
    const { numbers } = overviewOf(hoursOf(8, here))
    expect(numbers[name].unusual).toBe(true)
    expect(numbers.open.unusual).toBe(false)
  })

  test("[H16] hours that are to come change nothing in what is judged now, and have what is usual for them", () => {
    const hours = hoursOf(8, (i) => (i === 14 ? sumOf(10) : sumOf(21)))
    const whole = overviewOf({ ...hours, n: 24 })
    expect(whole.numbers).toEqual(overviewOf(hours).numbers)
    expect(whole.slices.slice(14).map(({ partial }) => partial)).toEqual(Array.from({ length: 10 }, () => true))
    expect(whole.slices.at(-1)?.usual_so_far.runs?.[1]).toBeGreaterThan(whole.slices[14]?.usual_so_far.runs?.[1] ?? 0)
  })

  test("[H16] a week without a run on that day says nothing, and one with none in that hour says 0", () => {
    const hours = hoursOf(5, () => sumOf(20))
    const sums = new Map(hours.sums)
    for (let i = 0; i < 24; i++) sums.delete(FROM + i - 5 * WEEK_HOURS)
    for (let k = 1; k <= 4; k++) sums.delete(FROM - k * WEEK_HOURS)
    const { slices } = overviewOf({ ...hours, sums })
    expect(slices[0]?.usual.runs).toEqual([0, 2])
    expect(slices[1]?.usual.runs).not.toBeNull()
    for (let i = 0; i < 24; i++) sums.delete(FROM + i - 4 * WEEK_HOURS)
    expect(overviewOf({ ...hours, sums }).slices[1]?.usual.runs).toBeNull()
  })

  test("[H16] what never failed is unusual with the third failure of a hundred, and a share of nothing is not judged", () => {
    const usual = usualOf("share", [1, 1, 1, 1], 100)
    expect([judged(0.99, usual).unusual, judged(0.97, usual).unusual, judged(null, usual).unusual]).toEqual([false, true, null])
    expect(usualOf("share", [null, 1, 1, 1], 100)).toBeNull()
  })

  test("[H16] a range of more than a week has none: the weeks before would overlap", () => {
    expect(hoursBefore({ from: FROM, n: WEEK_HOURS })).toHaveLength(8)
    expect(hoursBefore({ from: FROM, n: WEEK_HOURS + 1 })).toBeUndefined()
    const ranges = hoursBefore({ from: FROM, n: WEEK_HOURS }) ?? []
    expect(ranges[0]).toEqual([FROM - WEEK_HOURS, FROM - 1])
    expect(ranges[1]?.[1]).toBe(FROM - WEEK_HOURS - 1)
  })
})

test("[H16] open questions after each hour are those of now without what came later", () => {
  const changes = [
    [FROM + 2, 5],
    [FROM + 2 - WEEK_HOURS, 4],
    [FROM + 6, -3],
    [FROM + 14, 2],
  ] as const
  const { slices } = overviewOf(hoursOf(0, () => sumOf(1), { open: 8, changes }))
  expect(slices.map(({ open }) => open)).toEqual([4, 4, 9, 9, 9, 9, 6, 6, 6, 6, 6, 6, 6, 6, 8])
})

test("[H16] runs under way after each hour are those of now without what began and ended later", () => {
  const begun = [
    [FROM + 1, 3],
    [FROM + 5, -2],
    [FROM + 14, 1],
  ] as const
  const { slices } = overviewOf(hoursOf(0, () => sumOf(1), { active: 4, begun }))
  expect(slices.map(({ active }) => active)).toEqual([2, 5, 5, 5, 5, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4])
})

test("[H16] slices of a day begin at the first hour, and the last may be short", () => {
  const { slices, total } = overviewOf({ ...hoursOf(0, () => sumOf(2)), n: 15, each: 6 })
  expect(slices.map(({ at, partial, sum, so_far }) => [at / HOUR - FROM, partial, sum.began, so_far.runs])).toEqual([
    [0, false, 12, 12],
    [6, false, 12, 24],
    [12, true, 6, 30],
  ])
  expect(total.began).toBe(30)
})
