// What of the graph of a run is seen while it is moved and scaled.

import fc from "fast-check"
import { expect, test } from "vitest"
import { NODE } from "../../web/run/places.ts"
import { isSeen, moved, placesIn, viewOf, zoomed } from "../../web/run/viewport.ts"

const PANE = { width: 900, height: 320 }
const place = (x: number, y: number) => ({ id: `${x} ${y}`, row: 0, column: 0, x, y })

test("a chosen step is in view, whatever the size of the graph", () => {
  fc.assert(
    fc.property(fc.nat(8_000), fc.nat(3_000), fc.double({ min: 0.55, max: 1, noNaN: true }), (x, y, zoom) => {
      const layout = { width: 8_000 + NODE.width, height: 3_000 + NODE.height }
      expect(isSeen({ x, y }, PANE, viewOf(layout, PANE, { x, y }, zoom))).toBe(true)
    }),
    { seed: 3, numRuns: 200 },
  )
})

test("a graph that fits stands in the middle; the point under the pointer stays when it is scaled, within bounds", () => {
  expect(viewOf({ width: 500, height: 100 }, PANE, undefined, 1)).toEqual({ x: 200, y: 110, zoom: 1 })
  const around = { x: 300, y: 50 }
  const before = { x: 40, y: -20, zoom: 0.8 }
  const after = zoomed(before, 1.5, around)
  expect((around.x - after.x) / after.zoom).toBeCloseTo((around.x - before.x) / before.zoom)
  expect([zoomed(before, 100, around).zoom, zoomed(before, 0.001, around).zoom]).toEqual([1.5, 0.2])
})

test("a graph cannot be moved out of its pane, and only steps near the pane are drawn", () => {
  const layout = { width: 3_000, height: 800, places: [place(0, 0), place(2_500, 700)] }
  for (const by of [
    { x: 1e6, y: 1e6 },
    { x: -1e6, y: -1e6 },
  ]) {
    const { x, y, zoom } = moved({ x: 0, y: 0, zoom: 1 }, by, layout, PANE)
    expect(x < PANE.width && y < PANE.height && x + layout.width * zoom > 0 && y + layout.height * zoom > 0).toBe(true)
  }
  expect(placesIn(layout, PANE, { x: 0, y: 0, zoom: 1 }).map(({ id }) => id)).toEqual(["0 0"])
})
