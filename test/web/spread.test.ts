// The picture of how long things took: one axis for all rows, on which a doubling is always as wide.

import { expect, test } from "vitest"
import { placeOf, spreadAxis, spreadBars, spreadWords, type Spread } from "../../web/flow-overview/spread.ts"

const SHORT: Spread = [
  [90, 4],
  [181, 2],
]
const LONG: Spread = [[1_448, 8]]

test("rows share an axis from the shortest to the longest, and a row's highest bar is full", () => {
  const axis = spreadAxis([SHORT, LONG])
  expect(axis).toEqual({ from: 90, to: 1_448, bars: 9 })
  if (!axis) throw new Error("no axis")
  expect(spreadBars(SHORT, axis)).toEqual([
    { left: 0, width: 1 / 9, height: 1 },
    { left: 2 / 9, width: 1 / 9, height: 0.5 },
  ])
  expect(spreadBars(LONG, axis)).toEqual([{ left: 8 / 9, width: 1 / 9, height: 1 }])
})

test("a percentile stands within the bar that has it, and never outside of the axis", () => {
  const axis = { from: 90, to: 1_448, bars: 9 }
  expect(placeOf(150, axis)).toBeGreaterThan(2 / 9)
  expect(placeOf(150, axis)).toBeLessThan(3 / 9)
  expect([placeOf(1, axis), placeOf(99_999, axis)]).toEqual([0, 1])
})

test("of nothing there is no axis; who hears it gets every bar in words", () => {
  expect(spreadAxis([[], []])).toBeUndefined()
  expect(spreadWords(SHORT, (ms) => `${ms} ms`)).toBe("4 up to 90 ms, 2 up to 181 ms")
})
