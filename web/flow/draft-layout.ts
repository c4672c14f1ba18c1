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

export function draftLayout({ nodes, edges }: Pick<GraphView, "nodes" | "edges">): DraftLayout {
  const row = columnsOf({ nodes, edges })
  const rows = new Map<number, string[]>()
  for (const { id } of nodes) {
    const at = row.get(id) ?? 0
    const ids = rows.get(at)
    if (ids) ids.push(id)
    else rows.set(at, [id])
  }
  const most = Math.max(1, ...[...rows.values()].map(({ length }) => length))
  const wide = (count: number): number => count * BOX.width + (count - 1) * BOX.right
  const drawn = once(edges)
  const isFar = (from: string, to: string): boolean => (row.get(to) ?? 0) - (row.get(from) ?? 0) !== 1
  const lanes = { back: 0, on: 0 }
  const left = LANE * (1 + drawn.filter(({ from, to }) => (row.get(to) ?? 0) <= (row.get(from) ?? 0)).length)
  const right = LANE * (1 + drawn.filter(({ from, to }) => (row.get(to) ?? 0) - (row.get(from) ?? 0) > 1).length)
  const spots = [...rows].flatMap(([at, ids]) =>
    ids.map((id, i) => ({
      id,
      x: left + (wide(most) - wide(ids.length)) / 2 + i * (BOX.width + BOX.right),
      y: 6 + at * (BOX.height + BOX.below),
    })),
  )
  const spotOf = new Map(spots.map((spot) => [spot.id, spot]))
  const ends = new Set([...rows.values()].map((ids) => ids.at(-1)))
  const isLast = ({ id }: Spot): boolean => ends.has(id)
  const ways = drawn.flatMap(({ id, from, to, label }): Edge[] => {
    const [a, b] = [spotOf.get(from), spotOf.get(to)]
    if (!a || !b) return []
    const [ax, bx] = [a.x + BOX.width / 2, b.x + BOX.width / 2]
    const [out, into] = [a.y + BOX.height, b.y - 4]
    if (!isFar(from, to)) {
      const mid = a.y + BOX.height + 8
      return [{ id, label, x: bx + 5, y: b.y - 6, path: ax === bx ? `M${ax} ${out}V${into}` : `M${ax} ${out}V${mid}H${bx}V${into}` }]
    }
    if (b.y > a.y) {
      // Past the rows between them, to their right: out of a side and into a side where nothing stands before it.
      lanes.on += 1
      const lane = left + wide(most) + lanes.on * LANE
      const begin = isLast(a) ? `M${a.x + BOX.width} ${a.y + BOX.height / 2}H${lane}` : `M${ax} ${out}V${out + 5}H${lane}`
      const end = isLast(b) ? `V${b.y + BOX.height / 2}H${b.x + BOX.width + 4}` : `V${b.y - 12}H${bx}V${into}`
      const [x, y] = isLast(b) ? [b.x + BOX.width + 8, b.y + 9] : [bx + 5, b.y - 6]
      return [{ id, label, x, y, path: begin + end }]
    }
    // Back, to their left: out of the side of the step and into the side of the other.
    lanes.back += 1
    const lane = left - lanes.back * LANE
    const [fromY, toY] = [a.y + BOX.height / 2, b.y + BOX.height / 2 + (a.id === b.id ? -8 : 0)]
    return [{ id, label, x: lane + 4, y: (fromY + toY) / 2, path: `M${a.x} ${fromY}H${lane}V${toY}H${b.x - 4}` }]
  })
  const height = 12 + rows.size * BOX.height + (rows.size - 1) * BOX.below
  return { spots, edges: ways, width: left + wide(most) + right, height: Math.max(height, BOX.height) }
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
