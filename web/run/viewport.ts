// Tells what of a graph is seen: where it lies in its pane, and how large it is drawn.

import { NODE, type Box, type Layout, type NodePlace } from "./places.ts"

/** A point p of the graph is drawn at x + p × zoom. */
export interface Viewport {
  readonly x: number
  readonly y: number
  readonly zoom: number
}

/** In px: beside the graph, in which frames stand. */
export const EDGE = 24
const [LEAST, MOST] = [0.2, 1.5]

/** A step in the middle, but nothing empty beside a graph that is larger than its pane. */
export function viewOf(layout: Box, pane: Box, place: Pick<NodePlace, "x" | "y"> | undefined, zoom: number): Viewport {
  const along = (side: "width" | "height", at: number): number => {
    const [seen, whole] = [pane[side], layout[side] * zoom]
    const [first, last] = [EDGE, seen - whole - EDGE]
    return last > first ? (seen - whole) / 2 : Math.min(first, Math.max(last, seen / 2 - (at + NODE[side] / 2) * zoom))
  }
  return { x: along("width", place?.x ?? 0), y: along("height", place?.y ?? 0), zoom }
}

/** Larger or smaller around a point of the pane. */
export function zoomed({ x, y, zoom }: Viewport, by: number, around: { readonly x: number; readonly y: number }): Viewport {
  const to = Math.min(MOST, Math.max(LEAST, zoom * by))
  const share = to / zoom
  return { x: around.x - (around.x - x) * share, y: around.y - (around.y - y) * share, zoom: to }
}

/** Moved, but never so far that nothing of the graph is seen. */
export function moved({ x, y, zoom }: Viewport, by: { readonly x: number; readonly y: number }, layout: Box, pane: Box): Viewport {
  const along = (side: "width" | "height", at: number): number =>
    Math.min(pane[side] - 2 * EDGE, Math.max(2 * EDGE - layout[side] * zoom, at))
  return { x: along("width", x + by.x), y: along("height", y + by.y), zoom }
}

/** Whether a step is seen as a whole. */
export function isSeen(place: Pick<NodePlace, "x" | "y">, pane: Box, { x, y, zoom }: Viewport): boolean {
  const [left, top] = [x + place.x * zoom, y + place.y * zoom]
  return left >= 0 && top >= 0 && left + NODE.width * zoom <= pane.width && top + NODE.height * zoom <= pane.height
}

/** Steps of which something is seen, or would be after a small move. */
export function placesIn({ places }: Pick<Layout, "places">, pane: Box, { x, y, zoom }: Viewport): NodePlace[] {
  return places.filter((place) => {
    const [left, top] = [x + place.x * zoom, y + place.y * zoom]
    return left < pane.width + EDGE && top < pane.height + EDGE && left + NODE.width * zoom > -EDGE && top + NODE.height * zoom > -EDGE
  })
}
