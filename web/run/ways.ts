// Draws the lines of a graph: a right angle to the next column, a lane above a row for what leads back or comes from an earlier row, and a lane below
// it for what passes other steps. Each line has a lane of its own where lines would lie on each other.

import type { GraphEdge } from "../../src/core/flow/check/graph-view.ts"
import { NODE, type EdgeLine, type Layout, type NodePlace } from "./places.ts"

/** In px: between two lanes, and from a row to its first lane. */
const [LANE, TO_LANE] = [12, 14]
/** In px: from a step to where its line turns. */
const TURN = 20
/** In px: beside a step, where a line goes up or down. */
const ASIDE = 14
const ROUND = 6

type Point = readonly [x: number, y: number]
type Route = "next" | "above" | "below" | "rows"

interface Way {
  readonly edge: Pick<EdgeLine, "id" | "from" | "to" | "label" | "isBack">
  readonly source: NodePlace
  readonly target: NodePlace
  readonly route: Route
  lane: number
}

/** `flat`: the steps, each as if its row began at 0. */
export function waysOf(flat: readonly NodePlace[], heights: readonly number[], edges: readonly GraphEdge[], between: number): Layout {
  const ways = routed(flat, edges)
  const lanes = { above: heights.map(() => 0), below: heights.map(() => 0) }
  for (const side of ["above", "below"] as const)
    for (const [row] of heights.entries()) lanes[side][row] = laned(ways.filter((way) => sideOf(way) === side && laneRow(way) === row))
  const room = (count = 0): number => (count === 0 ? 0 : TO_LANE + count * LANE)
  const tops: number[] = []
  let y = 0
  for (const [row, height] of heights.entries()) {
    const top = y + room(lanes.above[row])
    tops.push(top)
    y = top + height + room(lanes.below[row]) + between
  }
  // A line to a lane may turn beside the steps.
  const beside = ways.some(({ route }) => route !== "next") ? TURN : 0
  const places = flat.map((place) => ({ ...place, x: place.x + beside, y: place.y + (tops[place.row] ?? 0) }))
  const byId = new Map(places.map((place) => [place.id, place]))
  const ends = columnEnds(flat)
  const lines = ways.map((way): EdgeLine => {
    const [source, target] = [byId.get(way.source.id) ?? way.source, byId.get(way.target.id) ?? way.target]
    const row = laneRow(way)
    const offset = TO_LANE + way.lane * LANE
    const lane = sideOf(way) === "below" ? (tops[row] ?? 0) + (heights[row] ?? 0) + offset : (tops[row] ?? 0) - offset
    const points = pointsOf({ route: way.route, source, target }, lane, ends)
    const [x, at] = labelAt(points)
    return { ...way.edge, path: pathOf(points), x, y: at }
  })
  const width = Math.max(0, ...places.map(({ x }) => x + NODE.width)) + beside
  return { places, ways: lines, width, height: Math.max(0, y - between), rows: heights.length }
}

function routed(places: readonly NodePlace[], edges: readonly GraphEdge[]): Way[] {
  const byId = new Map(places.map((place) => [place.id, place]))
  const taken = new Set(places.map(({ row, column, y }) => `${row} ${column} ${y}`))
  const seen = new Set<string>()
  return edges.flatMap(({ from, to, kind, label: said }): Way[] => {
    const [source, target] = [byId.get(from), byId.get(to)]
    const id = `${from} ${to} ${said ?? ""}`
    if (!source || !target || seen.has(id)) return []
    seen.add(id)
    const isBack = target.row < source.row || (target.row === source.row && target.column <= source.column)
    const label = labelOf({ kind, ...(said === undefined ? {} : { label: said }) })
    return [{ edge: { id, from, to, label, isBack }, source, target, route: routeOf(source, target, isBack, taken), lane: 0 }]
  })
}

function routeOf(source: NodePlace, target: NodePlace, isBack: boolean, taken: ReadonlySet<string>): Route {
  if (source.row !== target.row) return "rows"
  if (isBack) return "above"
  for (let column = source.column + 1; column < target.column; column++)
    if (taken.has(`${source.row} ${column} ${target.y}`)) return "below"
  return "next"
}

/** What a line says. */
export const labelOf = ({ kind, label }: Pick<GraphEdge, "kind" | "label">): string | undefined =>
  label ?? (kind === "on_error" ? "on error" : undefined)

const sideOf = ({ route }: Way): "above" | "below" | undefined => (route === "next" ? undefined : route === "below" ? "below" : "above")
/** Its lane belongs to the row that it leads to. */
const laneRow = ({ target }: Way): number => target.row

/** Gives each way the first lane in which it meets no other; the number of lanes. */
function laned(ways: readonly Way[]): number {
  const ends: number[] = []
  const leftOf = ({ source, target, route }: Way): number => (route === "rows" ? -TURN : Math.min(source.x, target.x))
  const rightOf = ({ source, target }: Way): number => Math.max(source.x, target.x) + NODE.width
  for (const way of [...ways].sort((a, b) => leftOf(a) - leftOf(b) || rightOf(a) - rightOf(b))) {
    const free = ends.findIndex((end) => end < leftOf(way))
    way.lane = free < 0 ? ends.length : free
    ends[way.lane] = rightOf(way)
  }
  return ends.length
}

interface Ends {
  readonly first: ReadonlySet<string>
  readonly last: ReadonlySet<string>
}

/** The highest and the lowest step of each column: a line to a lane leaves others to the side, for it would cross the steps between. */
function columnEnds(places: readonly NodePlace[]): Ends {
  const [first, last] = [new Map<string, NodePlace>(), new Map<string, NodePlace>()]
  for (const place of places) {
    const cell = `${place.row} ${place.column}`
    if (place.y < (first.get(cell)?.y ?? Number.POSITIVE_INFINITY)) first.set(cell, place)
    if (place.y > (last.get(cell)?.y ?? -1)) last.set(cell, place)
  }
  const ids = (cells: ReadonlyMap<string, NodePlace>): Set<string> => new Set([...cells.values()].map(({ id }) => id))
  return { first: ids(first), last: ids(last) }
}

function pointsOf({ route, source, target }: Pick<Way, "route" | "source" | "target">, lane: number, { first, last }: Ends): Point[] {
  const [sx, sy] = [source.x + NODE.width, source.y + NODE.height / 2]
  const [tx, ty] = [target.x, target.y + NODE.height / 2]
  const [out, into] = [source.x + NODE.width - TURN, target.x + TURN]
  const points = (...all: readonly Point[]): Point[] => [...all]
  /** To a lane and from it, by the step's own edge or beside it. */
  const leaves = (isFree: boolean, y: number): Point[] =>
    isFree ? points([out, y], [out, lane]) : points([sx, sy], [sx + ASIDE, sy], [sx + ASIDE, lane])
  const enters = (isFree: boolean, y: number): Point[] =>
    isFree ? points([into, lane], [into, y]) : points([tx - ASIDE, lane], [tx - ASIDE, ty], [tx, ty])
  switch (route) {
    case "next":
      return sy === ty ? points([sx, sy], [tx, ty]) : points([sx, sy], [sx + ASIDE, sy], [sx + ASIDE, ty], [tx, ty])
    case "above":
      return [...leaves(first.has(source.id), source.y), ...enters(first.has(target.id), target.y)]
    case "below":
      return [...leaves(last.has(source.id), source.y + NODE.height), ...enters(last.has(target.id), target.y + NODE.height)]
    case "rows":
      return points([sx, sy], [sx + TURN, sy], [sx + TURN, lane], [tx - TURN, lane], [tx - TURN, ty], [tx, ty])
  }
}

/** The middle of the longest stretch to the side. */
function labelAt(points: readonly Point[]): Point {
  let [best, length]: [Point, number] = [points[0] ?? [0, 0], -1]
  for (const [i, [x, y]] of points.entries()) {
    const next = points[i + 1]
    if (next === undefined || next[1] !== y || Math.abs(next[0] - x) <= length) continue
    ;[best, length] = [[(x + next[0]) / 2, y], Math.abs(next[0] - x)]
  }
  return best
}

function pathOf(points: readonly Point[]): string {
  const [first = [0, 0], ...rest] = points
  const parts = [`M${first[0]},${first[1]}`]
  for (const [i, point] of rest.entries()) {
    const [before, after] = [points[i] ?? first, rest[i + 1]]
    if (after === undefined) parts.push(`L${point[0]},${point[1]}`)
    else {
      const [a, b] = [towards(point, before), towards(point, after)]
      parts.push(`L${a[0]},${a[1]} Q${point[0]},${point[1]} ${b[0]},${b[1]}`)
    }
  }
  return parts.join(" ")
}

/** The point on the way to another at which a corner begins. */
function towards([x, y]: Point, [toX, toY]: Point): Point {
  const length = Math.hypot(toX - x, toY - y)
  const share = length === 0 ? 0 : Math.min(ROUND, length / 2) / length
  return [x + (toX - x) * share, y + (toY - y) * share]
}
