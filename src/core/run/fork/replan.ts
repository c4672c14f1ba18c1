// Moves a run to other definitions [K13], because a fork may have patched its flow. History before the cut is folded under the source's
// plan, and later events under the fork's plan.

import type { Plan } from "../plan.ts"
import { isDone, newStep, type Run, type StepState } from "../state.ts"

/** The same run under `plan`: new steps are pending, and steps that are gone leave the state. */
export function replan(run: Run, plan: Plan): Run {
  if (plan === run.plan) return run
  const steps: Record<string, StepState> = {}
  const touched = new Set(run.touched)
  for (const id of plan.stepIds) {
    const before = Object.hasOwn(run.steps, id) ? run.steps[id] : undefined
    steps[id] = before ?? newStep()
    touched.add(id)
  }
  for (const id of touched) if (!Object.hasOwn(steps, id)) touched.delete(id)
  return { ...run, plan, steps, touched, segment: placeIn(run, plan) }
}

/** The run's segment is an index into the plan of then: here, that of the furthest step that it has entered there. */
function placeIn(run: Run, plan: Plan): number {
  if (run.segment < 0) return run.segment
  const segmentOf = (id: string): number | undefined => {
    const order = plan.graph.order.get(id)
    return order === undefined ? undefined : plan.graph.segmentOf[order]
  }
  // A segment may be emptied by the patch: then the run is where the nearest earlier step is.
  for (let segment = run.segment; segment >= 0; segment--) {
    const ids = run.plan.members[segment] ?? []
    const entered = ids.filter((id) => isEntered(run.steps[id]))
    const found = [...(entered.length > 0 ? entered : ids)].flatMap((id) => segmentOf(id) ?? [])
    if (found.length > 0) return Math.max(...found)
  }
  return 0
}

const isEntered = (s: StepState | undefined): boolean => s !== undefined && (s.opened !== undefined || isDone(s))

/** Steps that a patch inserted before the run's position, which are skipped: in the current segment, those before an entered step. */
export function passedOver(run: Run, isNew: (id: string) => boolean): string[] {
  if (run.segment < 0) return []
  const here = run.plan.members[run.segment] ?? []
  const furthest = here.findLastIndex((id) => !isNew(id) && isEntered(run.steps[id]))
  const before = run.plan.members.slice(0, run.segment).flat()
  return [...before, ...here.slice(0, Math.max(0, furthest))].filter((id) => isNew(id) && run.steps[id]?.status === "pending")
}
