// Frames behind the steps of the graph: what a fork keeps, the steps of a loop, steps side by side, and the runs of a map or a team. A frame is drawn only where it holds no
// other step; steps that are kept and have no frame are outlined one by one.

import type { GraphView } from "../../../../src/core/flow/check/graph-view.ts"
import { besideOf } from "../../../../web/run/layout.ts"
import { NODE, type Layout, type NodePlace } from "../../../../web/run/places.ts"
import { childRunsOf, childRunsWords } from "../../../../web/run/child-runs.ts"
import { roundWords, type Loop } from "../../../../web/run/rounds.ts"
import type { RunOutline } from "../../../../src/core/run/views/outline.ts"

export interface GraphFrame {
  readonly id: string
  readonly kind: "kept" | "loop" | "par" | "runs"
  readonly label: string | undefined
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const AROUND = { kept: 14, loop: 10, par: 6, runs: 5 } as const

export function keptFrame(layout: Layout, kept: { readonly steps: ReadonlySet<string>; readonly events: number }): GraphFrame | undefined {
  if (kept.steps.size === 0) return undefined
  return frameOf(layout, "kept", `kept, ${kept.events.toLocaleString()} events, nothing to pay`, kept.steps)
}

export const loopFrames = (layout: Layout, loops: readonly Loop[]): GraphFrame[] =>
  loops.flatMap(({ steps }) => frameOf(layout, "loop", undefined, new Set(steps)) ?? [])

/** A step that has started several runs, with how they are. */
export const runsFrames = (layout: Layout, story: RunOutline): GraphFrame[] =>
  layout.places.flatMap(({ id }) => {
    const runs = childRunsOf(story.steps.get(id)?.passes.at(-1))
    return runs.count < 2 ? [] : (frameOf(layout, "runs", childRunsWords(runs), new Set([id])) ?? [])
  })

/** On the line that leads back. */
export function loopLabel(loop: Loop, round: number): string {
  if (round > 0) return `loop, ${roundWords(round, loop)}`
  return loop.most === undefined ? "loop" : `loop, at most ${loop.most} passes`
}

/** Steps that stand below each other: they wait for nothing of each other. */
export function parallelFrames(layout: Layout, { nodes }: Pick<GraphView, "nodes">): GraphFrame[] {
  return besideOf(layout, nodes).flatMap((ids) => frameOf(layout, "par", undefined, new Set(ids)) ?? [])
}

function frameOf(
  { places, ways }: Layout,
  kind: GraphFrame["kind"],
  label: string | undefined,
  ids: ReadonlySet<string>,
): GraphFrame | undefined {
  const mine = places.filter(({ id }) => ids.has(id))
  if (mine.length === 0) return undefined
  const [left, top] = [Math.min(...mine.map(({ x }) => x)), Math.min(...mine.map(({ y }) => y))]
  const [right, bottom] = [Math.max(...mine.map(({ x }) => x)) + NODE.width, Math.max(...mine.map(({ y }) => y)) + NODE.height]
  const isInside = ({ x, y }: NodePlace): boolean => x < right && x + NODE.width > left && y < bottom && y + NODE.height > top
  if (places.some((place) => !ids.has(place.id) && isInside(place))) return undefined
  const by = AROUND[kind]
  const inside = ways.filter((way) => kind === "kept" && way.isBack && ids.has(way.from) && ids.has(way.to))
  const above = Math.min(top, ...inside.map(({ y }) => y)) - by
  return {
    id: `${kind} ${mine[0]?.id ?? ""}`,
    kind,
    label,
    x: left - by,
    y: above,
    width: right - left + 2 * by,
    height: bottom + by - above,
  }
}
