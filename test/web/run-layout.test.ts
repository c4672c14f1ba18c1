// Places and lines of the graph of a run, over random flows.

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { GraphEdge, GraphView } from "../../src/core/flow/check/graph-view.ts"
import { fitOf, layoutFor, layoutOf } from "../../web/run/layout.ts"
import { NODE, type Layout } from "../../web/run/places.ts"

const node = (id: string, segment: number): GraphView["nodes"][number] => ({ id, type: "agent", segment })
const chain = (count: number): Pick<GraphView, "nodes" | "edges"> => ({
  nodes: Array.from({ length: count }, (_, i) => node(`s${i}`, i)),
  edges: Array.from({ length: count - 1 }, (_, i): GraphEdge => ({ from: `s${i}`, to: `s${i + 1}`, kind: "next" })),
})

const graphs = fc
  .tuple(fc.integer({ min: 1, max: 24 }), fc.array(fc.tuple(fc.nat(23), fc.nat(23), fc.boolean()), { maxLength: 40 }))
  .map(([count, pairs]) => ({
    nodes: Array.from({ length: count }, (_, i) => node(`s${i}`, Math.floor(i / 2))),
    edges: pairs
      .filter(([from, to]) => from < count && to < count)
      .map(([from, to, isNamed]): GraphEdge => ({
        from: `s${from}`,
        to: `s${to}`,
        kind: "branch",
        ...(isNamed ? { label: `to ${to}` } : {}),
      })),
  }))

const numbersOf = (path: string): [number, number][] =>
  [...path.matchAll(/(-?[\d.]+),(-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)])

function expectWhole({ places, ways, width, height }: Layout): void {
  for (const [i, a] of places.entries()) {
    expect(a.x >= 0 && a.y >= 0 && a.x + NODE.width <= width && a.y + NODE.height <= height).toBe(true)
    for (const b of places.slice(i + 1))
      expect(a.x + NODE.width <= b.x || b.x + NODE.width <= a.x || a.y + NODE.height <= b.y || b.y + NODE.height <= a.y).toBe(true)
  }
  for (const { path } of ways) for (const [x, y] of numbersOf(path)) expect(x >= 0 && y >= 0 && x <= width && y <= height).toBe(true)
}

describe("the layout", () => {
  test("no two steps overlap, and no step, line or label is outside, however many columns a row has", () => {
    fc.assert(
      fc.property(graphs, fc.integer({ min: 1, max: 24 }), (graph, most) => {
        const layout = layoutOf(graph, most)
        expect(layout.places.every(({ column }) => column < most)).toBe(true)
        expectWhole(layout)
      }),
      { seed: 5, numRuns: 200 },
    )
  })

  test("ten steps in a row wrap in a pane that would draw them too small, and a pane that is wide enough keeps one row", () => {
    const pane = { width: 900, height: 320 }
    expect(fitOf(layoutOf(chain(10)), pane)).toBeLessThan(0.5)
    const layout = layoutFor(chain(10), pane)
    expect([layout.rows > 1, fitOf(layout, pane) >= 0.8]).toEqual([true, true])
    expect(layoutFor(chain(10), { width: 2_400, height: 320 }).rows).toBe(1)
  })

  test("targets of a decision stand below each other, and what follows both is behind both", () => {
    const layout = layoutOf({
      nodes: [node("ask", 0), node("yes", 1), node("no", 2), node("end", 3)],
      edges: [
        { from: "ask", to: "yes", kind: "branch", label: "yes" },
        { from: "ask", to: "no", kind: "branch", label: "no" },
        { from: "yes", to: "end", kind: "goto" },
        { from: "no", to: "end", kind: "next" },
      ] as GraphEdge[],
    })
    expect(layout.places.map(({ column }) => column)).toEqual([0, 1, 1, 2])
  })

  test("lines that pass the same steps have lanes of their own", () => {
    const { ways } = layoutOf({
      ...chain(4),
      edges: [
        ...chain(4).edges,
        { from: "s3", to: "s0", kind: "loop" },
        { from: "s2", to: "s1", kind: "loop" },
        { from: "s0", to: "s3", kind: "branch" },
      ] as GraphEdge[],
    })
    const heights = ways.filter(({ isBack }) => isBack).map(({ y }) => y)
    expect(new Set(heights).size).toBe(2)
    const below = ways.find(({ from, to }) => from === "s0" && to === "s3")
    expect(below?.y).toBeGreaterThan(Math.max(...heights) + NODE.height)
  })
})
