// Plots: marks of an axis, names of slices, stacks, what is said of a slice, and where flags stand.

import { describe, expect, test } from "vitest"
import { namedSlices, sliceName, sliceTitle, ticksOf } from "../../web/plot/axis.ts"
import { placedMarks, placeOf } from "../../web/plot/marks.ts"
import { highestOf, stacked, type Plot, type PlotSeries } from "../../web/plot/plot.ts"
import { saidOf } from "../../web/plot/said.ts"

const HOUR = 3_600_000
/** A midnight, wherever the test runs. */
const MIDNIGHT = new Date(2026, 10, 24).getTime()
const hours = (n: number) =>
  Array.from({ length: n }, (_, i) => ({ from: MIDNIGHT + i * HOUR, to: MIDNIGHT + (i + 1) * HOUR, isPartial: i === n - 1 }))
const series = (values: readonly (number | null)[], more: Partial<PlotSeries> = {}): PlotSeries => ({
  label: "Runs",
  look: "good",
  as: "bar",
  values,
  ...more,
})
const plot = (all: readonly PlotSeries[], more: Partial<Plot> = {}): Plot => ({
  each: "hour",
  kind: "count",
  words: String,
  slices: hours(all[0]?.values.length ?? 0),
  series: all,
  ...more,
})

describe("an axis", () => {
  test.each([
    [0, "count", [0, 1]],
    [3, "count", [0, 1, 2, 3]],
    [62, "count", [0, 20, 40, 60, 80]],
    [0.0931, "amount", [0, 0.05, 0.1]],
    [0.3, "amount", [0, 0.1, 0.2, 0.3]],
    [171_000, "time", [0, 60_000, 120_000, 180_000]],
    [700, "time", [0, 200, 400, 600, 800]],
    [9.1 * 86_400_000, "time", [0, 5, 10].map((days) => days * 86_400_000)],
    [48.4, "percent", [0, 20, 40, 60]],
    [100, "percent", [0, 25, 50, 75, 100]],
  ] as const)("of %d as %s is marked at %j", (highest, kind, marks) => {
    expect(ticksOf(highest, kind)).toEqual(marks)
  })

  test("it has at most five marks, the last of which nothing exceeds", () => {
    for (const kind of ["count", "amount", "time", "percent"] as const)
      for (let highest = 0.0003; highest < (kind === "percent" ? 100 : 1e9); highest *= 1.37) {
        const ticks = ticksOf(highest, kind)
        expect(ticks.length, `${kind} ${highest}`).toBeLessThanOrEqual(5)
        expect(ticks.at(-1), `${kind} ${highest}`).toBeGreaterThanOrEqual(highest * (1 - 1e-9))
        if (kind === "count") expect(ticks.every(Number.isInteger)).toBe(true)
      }
  })

  test("hours have local names, and midnight that of the day", () => {
    const [first, second] = [{ from: MIDNIGHT }, { from: MIDNIGHT + HOUR }]
    expect([sliceName(first, "hour"), sliceName(second, "hour"), sliceName(first, "day")]).toEqual(["Tue", "1 AM", "Nov 24"])
    expect([sliceTitle(second, "hour"), sliceTitle(first, "day")]).toEqual(["Tue, Nov 24, 1:00 AM", "Tue, Nov 24"])
  })

  test("of many hours those are named that divide the day, and of days the last one", () => {
    expect(namedSlices({ slices: hours(24), each: "hour" }, 8)).toEqual([0, 3, 6, 9, 12, 15, 18, 21])
    expect(namedSlices({ slices: hours(24).slice(2), each: "hour" }, 8)).toEqual([1, 4, 7, 10, 13, 16, 19])
    expect(namedSlices({ slices: hours(30), each: "day" }, 6)).toEqual([1, 8, 15, 22, 29])
    expect(namedSlices({ slices: hours(2), each: "day" }, 6)).toEqual([0, 1])
  })
})

test("bars stand on each other, and what is not known is no bar", () => {
  expect(stacked([series([1, null, 3]), series([2, 5, null])])).toEqual([
    [1, null, 3],
    [3, 5, null],
  ])
  expect(stacked([series([1, 1]), series([9, 9], { as: "line" })])[1]).toEqual([9, 9])
})

test("the axis has room for bars, lines, what is usual, the forecast and the limit", () => {
  const one = plot([series([1, 2]), series([2, 2])])
  expect(highestOf(one)).toBe(4)
  expect(highestOf({ ...one, usual: [null, [3, 7]] })).toBe(7)
  expect(highestOf({ ...one, forecast: [null, 8] })).toBe(8)
  expect(highestOf({ ...one, limit: { value: 9, label: "" } })).toBe(9)
})

test("what is said of a slice names what there is, and not what there is not", () => {
  const two = plot([series([1, 0, null], { label: "Failed" }), series([2, 0, null], { label: "Succeeded" })])
  expect([0, 1, 2].map((at) => saidOf(two, at))).toEqual([
    "Tue, Nov 24, 12:00 AM: failed 1, succeeded 2",
    "Tue, Nov 24, 1:00 AM: nothing",
    "Tue, Nov 24, 2:00 AM: no runs, not over yet",
  ])
  expect(saidOf(two, 1, 0)).toBe("Tue, Nov 24, 1:00 AM: failed 0")
  expect(saidOf(two, 7)).toBe("no data")
})

describe("a mark", () => {
  const slices = hours(10)
  const mark = (at: number, label = "r18") => ({ at, label, href: "", about: "", isLive: false })

  test("stands at its moment, and one outside of the plot nowhere", () => {
    expect(placeOf(slices, MIDNIGHT + 2.5 * HOUR)).toBe(0.25)
    expect([placeOf(slices, MIDNIGHT - 1), placeOf(slices, MIDNIGHT + 10 * HOUR)]).toEqual([undefined, undefined])
    expect(placedMarks(slices, [mark(MIDNIGHT - 1)], 500)).toEqual([])
  })

  test("has its flag on the left where it would leave the plot, and below another where they would meet", () => {
    const placed = placedMarks(slices, [mark(MIDNIGHT + 9.9 * HOUR), mark(MIDNIGHT + 2 * HOUR), mark(MIDNIGHT + 2.1 * HOUR)], 500)
    expect(placed.map(({ isLeft, row }) => [isLeft, row])).toEqual([
      [false, 0],
      [false, 1],
      [true, 0],
    ])
  })
})
