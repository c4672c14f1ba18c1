// Lays out the steps of a flow beside its text: top to bottom in file order, parallel steps side by side.

import type { GraphView } from "../../src/core/flow/check/graph-view.ts"
import { columnsOf } from "../run/layout.ts"

export const BOX = { width: 136, height: 28, right: 32, below: 24 } as const
/** The way of an edge that leads past other steps, beside all of them. */
const LANE = 12

interface Spot {
  readonly id: string
  readonly x: number
  readonly y: number
}
interface Edge {
  readonly id: string
  readonly path: string
  readonly label: string | undefined
  /** Where the label stands. */
  readonly x: number
  readonly y: number
}
export interface DraftLayout {
  readonly spots: readonly Spot[]
  readonly edges: readonly Edge[]
  readonly width: number
  readonly height: number
}

/** Below this a name is hard to read. */
const LEAST = 0.8

/** As few columns as it takes to be seen as a whole; `room` is what the drawing may fill. */
export function fittedLayout(
  graph: Pick<GraphView, "nodes" | "edges">,
  room: { readonly width: number; readonly height: number },
): DraftLayout {
  const scaleOf = ({ width, height }: DraftLayout): number => Math.min(1, room.width / width, room.height / height)
  const rows = Math.max(0, ...columnsOf(graph).values()) + 1
  let best = draftLayout(graph)
  for (let columns = 2; columns <= Math.min(rows, MOST_COLUMNS) && scaleOf(best) < LEAST; columns += 1) {
    const next = draftLayout(graph, Math.ceil(rows / columns))
    if (scaleOf(next) > scaleOf(best)) best = next
  }
  return best
}

const MOST_COLUMNS = 8

/** `perColumn`: after so many rows the drawing goes on at the top, to the right. */
export function draftLayout({ nodes, edges }: Pick<GraphView, "nodes" | "edges">, perColumn = Number.MAX_SAFE_INTEGER): DraftLayout {
  const row = columnsOf({ nodes, edges })
  const rows = new Map<number, string[]>()
  for (const { id } of nodes) {
    const at = row.get(id) ?? 0
    const ids = rows.get(at)
    if (ids) ids.push(id)
    else rows.set(at, [id])
  }
  const rowOf = (id: string): number => row.get(id) ?? 0
  const columnOf = (at: number): number => Math.floor(at / perColumn)
  const drawn = once(edges)
  const blocks = blocksOf(rows, drawn, rowOf, columnOf)
  const isWrapped = blocks.length > 1
  const top = isWrapped ? 6 + LANE : 6
  const spots = [...rows].flatMap(([at, ids]) => {
    const { inner, wide } = blocks[columnOf(at)] ?? NO_BLOCK
    return ids.map((id, i) => ({
      id,
      x: inner + (wide - widthOf(ids.length)) / 2 + i * (BOX.width + BOX.right),
      y: top + (at - columnOf(at) * perColumn) * (BOX.height + BOX.below),
    }))
  })
  const spotOf = new Map(spots.map((spot) => [spot.id, spot]))
  const ends = new Set([...rows.values()].map((ids) => ids.at(-1)))
  const isLast = ({ id }: Spot): boolean => ends.has(id)
  const taken = blocks.map(() => ({ left: 0, right: 0 }))
  const lane = (column: number, side: "left" | "right"): number => {
    const { inner, wide } = blocks[column] ?? NO_BLOCK
    const count = taken[column]
    if (count) count[side] += 1
    const by = (count?.[side] ?? 1) * LANE
    return side === "left" ? inner - by : inner + wide + by
  }
  const ways = drawn.flatMap(({ id, from, to, label }): Edge[] => {
    const [a, b] = [spotOf.get(from), spotOf.get(to)]
    if (!a || !b) return []
    const [ax, bx] = [a.x + BOX.width / 2, b.x + BOX.width / 2]
    const [out, into] = [a.y + BOX.height, b.y - 4]
    const [p, q] = [columnOf(rowOf(from)), columnOf(rowOf(to))]
    const above = { id, label, x: bx + 5, y: b.y - 6 }
    // Into the side of a step where nothing stands before it, else from above.
    const enter = (): Pick<Edge, "x" | "y" | "path"> =>
      isLast(b)
        ? { x: b.x + BOX.width + 8, y: b.y + 9, path: `V${b.y + BOX.height / 2}H${b.x + BOX.width + 4}` }
        : { x: bx + 5, y: b.y - 6, path: `V${b.y - 12}H${bx}V${into}` }
    if (q > p) return [{ ...above, path: `M${ax} ${out}V${out + 7}H${lane(q, "left")}V${b.y - 12}H${bx}V${into}` }]
    if (q < p) {
      const end = enter()
      return [{ id, label, ...end, path: `M${ax} ${out}V${out + 11}H${lane(q, "right")}${end.path}` }]
    }
    const step = rowOf(to) - rowOf(from)
    if (step === 1) {
      const mid = a.y + BOX.height + 8
      return [{ ...above, path: ax === bx ? `M${ax} ${out}V${into}` : `M${ax} ${out}V${mid}H${bx}V${into}` }]
    }
    if (step > 0) {
      // Past the rows between them, to their right.
      const by = lane(p, "right")
      const end = enter()
      const begin = isLast(a) ? `M${a.x + BOX.width} ${a.y + BOX.height / 2}H${by}` : `M${ax} ${out}V${out + 5}H${by}`
      return [{ id, label, x: by + 5, y: b.y - 6, path: begin + end.path }]
    }
    // Back, to their left: out of the side of the step and into the side of the other.
    const by = lane(p, "left")
    const [fromY, toY] = [a.y + BOX.height / 2, b.y + BOX.height / 2 + (a.id === b.id ? -8 : 0)]
    return [{ id, label, x: by + 4, y: (fromY + toY) / 2, path: `M${a.x} ${fromY}H${by}V${toY}H${b.x - 4}` }]
  })
  const deep = Math.min(rows.size, perColumn)
  const height = top + 6 + deep * BOX.height + (deep - 1) * BOX.below + (isWrapped ? LANE : 0)
  const last = blocks.at(-1) ?? NO_BLOCK
  // A label that stands beside the last step is part of the picture.
  const wide = Math.max(last.end, ...ways.map(({ label = "", x }) => (label === "" ? 0 : x + Math.min(label.length, LABEL) * SIGN)))
  return { spots, edges: ways, width: wide, height: Math.max(height, BOX.height) }
}

/** Signs of a label that are shown, and how wide one is. */
const LABEL = 18
const SIGN = 6.2

interface Block {
  /** Where its steps begin, how wide they are, and where it ends with its lanes. */
  readonly inner: number
  readonly wide: number
  readonly end: number
}
const NO_BLOCK: Block = { inner: LANE, wide: BOX.width, end: 0 }

const widthOf = (count: number): number => count * BOX.width + (count - 1) * BOX.right

/** Each column with room for the edges that run beside it. */
function blocksOf(
  rows: ReadonlyMap<number, readonly string[]>,
  drawn: readonly Drawn[],
  rowOf: (id: string) => number,
  columnOf: (row: number) => number,
): readonly Block[] {
  const count = Math.max(0, ...[...rows.keys()].map(columnOf)) + 1
  const lanes = Array.from({ length: count }, () => ({ left: 0, right: 0 }))
  for (const { from, to } of drawn) {
    const [p, q] = [columnOf(rowOf(from)), columnOf(rowOf(to))]
    const step = rowOf(to) - rowOf(from)
    const side = p === q ? (step <= 0 ? "left" : step > 1 ? "right" : undefined) : q > p ? "left" : "right"
    const own = lanes[q]
    if (side !== undefined && own) own[side] += 1
  }
  const blocks: Block[] = []
  for (const [column, { left, right }] of lanes.entries()) {
    const most = Math.max(1, ...[...rows].flatMap(([at, ids]) => (columnOf(at) === column ? [ids.length] : [])))
    const inner = (blocks.at(-1)?.end ?? 0) + LANE * (1 + left)
    blocks.push({ inner, wide: widthOf(most), end: inner + widthOf(most) + LANE * (1 + right) })
  }
  return blocks
}

interface Drawn {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly label: string | undefined
}

/** Steps that are joined twice by the same words are joined by one line. */
function once(edges: GraphView["edges"]): Drawn[] {
  const found = new Map<string, Drawn>()
  for (const { from, to, kind, label } of edges) {
    const words = label ?? SAID[kind]
    const id = `${from} ${to} ${words ?? ""}`
    found.set(id, { id, from, to, label: words })
  }
  return [...found.values()]
}

const SAID: Readonly<Record<string, string>> = { loop: "again", exit: "exit", on_error: "on error", present: "present", absent: "absent" }
