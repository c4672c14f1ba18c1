// Lays out the steps of a flow: time goes to the right, by segment and, within a segment, by dependency; parallel steps are below each
// other. It is computed once per flow; events never move a step.

import type { GraphView } from "../../src/core/flow/check/graph-view.ts"

export const NODE = { width: 148, height: 44, right: 48, below: 16 } as const

export interface NodePlace {
  readonly id: string
  readonly x: number
  readonly y: number
}
export interface EdgeLine {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly label: string | undefined
  /** It leads back: it is drawn above the steps. */
  readonly isBack: boolean
}
export interface Layout {
  readonly places: readonly NodePlace[]
  readonly ways: readonly EdgeLine[]
  readonly width: number
  readonly height: number
}

export function layoutOf({ nodes, edges }: Pick<GraphView, "nodes" | "edges">): Layout {
  const column = columnsOf({ nodes, edges })
  const columns = new Map<number, string[]>()
  for (const { id } of nodes) {
    const at = column.get(id) ?? 0
    columns.set(at, [...(columns.get(at) ?? []), id])
  }
  const tallest = Math.max(1, ...[...columns.values()].map(({ length }) => length))
  const tall = (count: number): number => count * NODE.height + (count - 1) * NODE.below
  const places = [...columns].flatMap(([at, ids]) =>
    ids.map((id, i) => ({
      id,
      x: at * (NODE.width + NODE.right),
      y: (tall(tallest) - tall(ids.length)) / 2 + i * (NODE.height + NODE.below),
    })),
  )
  const seen = new Set<string>()
  const ways = edges.flatMap(({ from, to, kind, label }): EdgeLine[] => {
    const id = `${from} ${to} ${label ?? ""}`
    if (seen.has(id)) return []
    seen.add(id)
    return [
      {
        id,
        from,
        to,
        label: label ?? (kind === "on_error" ? "on error" : undefined),
        isBack: (column.get(to) ?? 0) <= (column.get(from) ?? 0),
      },
    ]
  })
  return { places, ways, width: (Math.max(0, ...columns.keys()) + 1) * (NODE.width + NODE.right) - NODE.right, height: tall(tallest) }
}

/** Groups of two or more independent steps of a segment, in file order. */
export function besideOf({ places }: Pick<Layout, "places">, nodes: GraphView["nodes"]): string[][] {
  const column = new Map(places.map(({ id, x }) => [id, x]))
  const groups = new Map<string, string[]>()
  for (const { id, segment } of nodes) {
    const key = `${segment} ${column.get(id) ?? 0}`
    groups.set(key, [...(groups.get(key) ?? []), id])
  }
  return [...groups.values()].filter(({ length }) => length > 1)
}

/** Each segment takes as many columns as its longest chain of waiting steps. */
export function columnsOf({ nodes, edges }: Pick<GraphView, "nodes" | "edges">): ReadonlyMap<string, number> {
  const segmentOf = new Map(nodes.map(({ id, segment }) => [id, segment]))
  const before = new Map<string, string[]>()
  for (const { from, to, kind } of edges)
    if (kind === "blockedBy" && segmentOf.get(from) === segmentOf.get(to)) before.set(to, [...(before.get(to) ?? []), from])
  const depth = new Map<string, number>()
  const depthOf = (id: string): number => {
    const known = depth.get(id)
    if (known !== undefined) return known
    // A circle of waiting steps ends here; the check of the flow reports it.
    depth.set(id, 0)
    const found = Math.max(0, ...(before.get(id) ?? []).map((one) => depthOf(one) + 1))
    depth.set(id, found)
    return found
  }
  const column = new Map<string, number>()
  let first = 0
  for (const segment of [...new Set(nodes.map((node) => node.segment))].sort((a, b) => a - b)) {
    const members = nodes.filter((node) => node.segment === segment)
    for (const { id } of members) column.set(id, first + depthOf(id))
    first += 1 + Math.max(0, ...members.map(({ id }) => depthOf(id)))
  }
  return column
}

/** A layout for a flow that no longer exists: its steps in sequence. */
export const chainOf = (ids: readonly string[]): GraphView => ({
  nodes: ids.map((id, segment) => ({ id, type: "agent", segment })),
  edges: ids.slice(1).map((to, i) => ({ from: ids[i] ?? to, to, kind: "next" })),
  start: { description: "", inputs: {}, task_required: false },
})
