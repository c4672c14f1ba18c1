// Lays out the steps of a flow: time goes to the right, and what can happen instead of each other or at the same time stands below each other. Where
// a pane is too narrow, columns go on in another row. It is computed once per flow and pane; events never move a step.

import type { GraphView } from "../../src/core/flow/check/graph-view.ts"
import { labelWidth, NODE, type Box, type Layout } from "./places.ts"
import { labelOf, waysOf } from "./ways.ts"

/** In px: between two rows, beside the lanes of both. */
const BETWEEN_ROWS = 28
/** Below this scale names of steps are hard to read, so columns wrap. */
const READABLE = 0.8
const MOST_ROWS = 12

type Drawn = Pick<GraphView, "nodes" | "edges">

/** `most`: the number of columns in a row. */
export function layoutOf({ nodes, edges }: Drawn, most = Number.MAX_SAFE_INTEGER): Layout {
  const column = columnsOf({ nodes, edges })
  const cells = new Map<number, string[]>()
  for (const { id } of nodes) {
    const at = column.get(id) ?? 0
    cells.set(at, [...(cells.get(at) ?? []), id])
  }
  const last = Math.max(0, ...cells.keys())
  const rowOf = (at: number): number => Math.floor(at / most)
  const tall = (count: number): number => count * NODE.height + (count - 1) * NODE.below
  const tallest: number[] = Array.from({ length: rowOf(last) + 1 }, () => 1)
  for (const [at, ids] of cells) tallest[rowOf(at)] = Math.max(tallest[rowOf(at)] ?? 1, ids.length)
  const lefts = leftsOf(last, most, column, edges)
  const flat = [...cells].flatMap(([at, ids]) =>
    ids.map((id, i) => ({
      id,
      row: rowOf(at),
      column: at % most,
      x: lefts[at] ?? 0,
      y: (tall(tallest[rowOf(at)] ?? 1) - tall(ids.length)) / 2 + i * (NODE.height + NODE.below),
    })),
  )
  return waysOf(
    flat,
    tallest.map((count) => tall(count)),
    edges,
    BETWEEN_ROWS,
  )
}

/** Where each column begins in its row: what stands between two columns makes room for itself. */
function leftsOf(last: number, most: number, column: ReadonlyMap<string, number>, edges: Drawn["edges"]): number[] {
  const between = new Map<number, number>()
  for (const edge of edges) {
    const from = column.get(edge.from) ?? 0
    const label = labelOf(edge)
    if (label !== undefined && column.get(edge.to) === from + 1)
      between.set(from, Math.max(between.get(from) ?? NODE.right, NODE.right / 2 + labelWidth(label)))
  }
  const lefts = [0]
  for (let at = 1; at <= last; at++)
    lefts.push(at % most === 0 ? 0 : (lefts[at - 1] ?? 0) + NODE.width + (between.get(at - 1) ?? NODE.right))
  return lefts
}

/** The layout with the fewest rows that can be read in a pane; if none can, the one that is drawn largest. */
export function layoutFor(graph: Drawn, pane: Box): Layout {
  const columns = Math.max(0, ...columnsOf(graph).values()) + 1
  let best: Layout | undefined
  for (let rows = 1; rows <= Math.min(MOST_ROWS, columns); rows++) {
    const layout = layoutOf(graph, Math.ceil(columns / rows))
    if (fitOf(layout, pane) >= READABLE) return layout
    if (best === undefined || fitOf(layout, pane) > fitOf(best, pane)) best = layout
  }
  return best ?? layoutOf(graph)
}

/** The scale at which all of it is seen. */
export const fitOf = ({ width, height }: Box, pane: Box): number => Math.min(1, pane.width / width, pane.height / height)

/** Groups of two or more independent steps of a segment, in file order. */
export function besideOf({ places }: Pick<Layout, "places">, nodes: GraphView["nodes"]): string[][] {
  const cell = new Map(places.map(({ id, row, column }) => [id, `${row} ${column}`]))
  const groups = new Map<string, string[]>()
  for (const { id, segment } of nodes) {
    const key = `${segment} ${cell.get(id) ?? ""}`
    groups.set(key, [...(groups.get(key) ?? []), id])
  }
  return [...groups.values()].filter(({ length }) => length > 1)
}

/**
 * A step's column is one after the last column of those that lead to it, so the targets of a decision share one. What leads back by file order counts
 * for nothing.
 */
export function columnsOf({ nodes, edges }: Drawn): ReadonlyMap<string, number> {
  const segmentOf = new Map(nodes.map(({ id, segment }) => [id, segment]))
  const before = new Map<string, string[]>()
  for (const { from, to, kind } of edges) {
    const [first, then] = [segmentOf.get(from) ?? 0, segmentOf.get(to) ?? 0]
    if (first < then || (first === then && kind === "blockedBy")) before.set(to, [...(before.get(to) ?? []), from])
  }
  const column = new Map<string, number>()
  const columnOf = (id: string): number => {
    const known = column.get(id)
    if (known !== undefined) return known
    // A circle of waiting steps ends here; the check of the flow reports it.
    column.set(id, 0)
    const found = Math.max(0, ...(before.get(id) ?? []).map((one) => columnOf(one) + 1))
    column.set(id, found)
    return found
  }
  // In file order the calls stay shallow: all but a circle leads from an earlier step.
  for (const { id } of [...nodes].sort((a, b) => a.segment - b.segment)) columnOf(id)
  return column
}

/** A layout for a flow that no longer exists: its steps in sequence. */
export const chainOf = (ids: readonly string[]): GraphView => ({
  nodes: ids.map((id, segment) => ({ id, type: "agent", segment })),
  edges: ids.slice(1).map((to, i) => ({ from: ids[i] ?? to, to, kind: "next" })),
  start: { description: "", inputs: {}, task_required: false },
})
