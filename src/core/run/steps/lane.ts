// Computes, for one lane of a multiple choice [F21], the steps that it runs in a segment, the steps that it closes, and the segment that it
// reaches next.

import { activeFrom, closedBy } from "../../flow/graph.ts"
import type { Lane } from "../event-parts.ts"
import { stepState, type Run } from "../state.ts"
import { idsOf, segmentOf } from "./segment.ts"

export const NOWHERE = Number.POSITIVE_INFINITY

export const isPending = (run: Run, id: string): boolean => stepState(run, id).status === "pending"

/** The steps that the lane runs in a segment. */
export function activeOf(run: Run, lane: Lane, segment: number): Set<string> {
  if (lane.at !== undefined && segmentOf(run, lane.at) === segment) return activeFrom(run.plan.graph, lane.at)
  const closed = closedFor(run, lane)
  return new Set(idsOf(run, segment).filter((id) => !closed.has(id)))
}

/** [F15] The steps that the lane closes. */
export function closedFor(run: Run, lane: Lane): Set<string> {
  const closed = new Set(Object.values(run.exclusions).flat())
  for (const c of lane.chose) for (const id of closedBy(run.plan.graph, c.step, c.branch)) closed.add(id)
  for (const id of lane.opened) closed.delete(id)
  return closed
}

/** The segment of the lane's target, or the first segment that the lane falls into. */
export function landing(run: Run, lane: Lane): number {
  if (lane.at !== undefined) return segmentOf(run, lane.at)
  const closed = closedFor(run, lane)
  const { segments, onlyByError } = run.plan.graph
  for (let segment = lane.after + 1; segment < segments.length; segment++)
    if (idsOf(run, segment).some((id) => isPending(run, id) && !closed.has(id) && !onlyByError.has(id))) return segment
  return NOWHERE
}
