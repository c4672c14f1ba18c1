// Computes where a run can enter segments on its way through a flow [F10–F18]. A run enters a segment by falling into it (`segment N`: all its steps)
// or by a route (`step ID`: the target and the steps that wait for it). It leaves by a route of an active step or by falling through.

import { hasBranches, routesOf, type Flow, type StepRoute } from "../flow.ts"
import { activeFrom, type Graph } from "../graph.ts"

/** `by` is the step that routes; absent when falling through. */
export interface WayOn {
  readonly to: string
  readonly by?: number
  readonly route?: StepRoute
}

export interface SegmentEntry {
  readonly active: ReadonlySet<number>
  readonly ways: readonly WayOn[]
  /** The run may end here successfully. */
  readonly ends: boolean
}

export const START = "segment 0"
/** The entry after falling through the last segment. */
export const END = ""

/** Tells whether the route leads forward in file order. A missing target counts as forward; another check reports it. */
export function isAhead(order: ReadonlyMap<string, number>, index: number, target: string): boolean {
  const at = order.get(target)
  return at === undefined || at > index
}

export const segmentAt = (graph: Graph, at: string): number =>
  at.startsWith("segment ") ? Number(at.slice(8)) : (graph.segmentOf[graph.order.get(at.slice(5)) ?? -1] ?? -1)

/** The steps that an entry runs. */
export function activeAt(flow: Flow, graph: Graph, at: string): readonly number[] {
  const members = graph.segments[segmentAt(graph, at)] ?? []
  if (at.startsWith("segment ")) return members.filter((i) => !graph.onlyByError.has(flow.steps[i]?.id ?? ""))
  const active = activeFrom(graph, at.slice(5))
  return members.filter((i) => active.has(flow.steps[i]?.id ?? ""))
}

interface Place {
  readonly flow: Flow
  readonly graph: Graph
  readonly at: string
}

/** The exits from these steps of an entry: their routes in file order, then falling through, if possible. */
export function waysFrom({ flow, graph, at }: Place, active: readonly number[], skipped?: (id: string) => boolean): WayOn[] {
  const routes = active.flatMap((by) => {
    const step = flow.steps[by]
    const all = step === undefined ? [] : routesOf(step)
    return all.flatMap((route): WayOn[] => (graph.order.has(route.target) ? [{ to: `step ${route.target}`, by, route }] : []))
  })
  if (!mayFall(flow, graph, active, skipped)) return routes
  const next = segmentAt(graph, at) + 1
  return [...routes, { to: next < graph.segments.length ? `segment ${next}` : END }]
}

/** All entries reachable from the start. `skipped`: whether an earlier choice may have excluded this step when the run enters here. */
export function entriesOf(flow: Flow, graph: Graph, skipped: (at: string, id: string) => boolean): Map<string, SegmentEntry> {
  const entries = new Map<string, SegmentEntry>()
  const todo = [START]
  for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
    if (entries.has(at)) continue
    const here = at
    const active = activeAt(flow, graph, at)
    const all = waysFrom({ flow, graph, at }, active, (id) => skipped(here, id))
    const ways = all.filter(({ to }) => to !== END)
    entries.set(at, { active: new Set(active), ways, ends: ways.length < all.length })
    todo.push(...ways.map(({ to }) => to))
  }
  return entries
}

/**
 * May the run continue in file order after these steps? A decision allows it only when it is exhausted and all its branches
 * lead back. A route inside the segment has no effect if its target is already done. A `skipped` step, excluded by an earlier
 * choice, does not prevent falling through [F15].
 */
function mayFall(flow: Flow, graph: Graph, active: Iterable<number>, skipped: (id: string) => boolean = () => false): boolean {
  let routed = false
  let inside = false
  for (const i of active) {
    const step = flow.steps[i]
    if (step === undefined || skipped(step.id)) continue
    if (step.type === "conditional" || step.type === "agent-loop-decision") return false
    if (hasBranches(step)) return !step.branches.some((b) => isAhead(graph.order, i, b.target))
    routed ||= step.on_complete !== undefined
    inside ||= [step.on_complete, step.on_error].some(
      (target) => target !== undefined && graph.segmentOf[graph.order.get(target) ?? -1] === graph.segmentOf[i],
    )
  }
  return inside || !routed
}
