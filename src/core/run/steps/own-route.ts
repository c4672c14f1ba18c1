// Finds the route that a step took when it ended [F13]. Steps with branches are alone in their segments and take their route at once, so
// only `on_complete` and `on_error` are looked up later.

import { stepState, type PendingRoute, type Run } from "../state.ts"

export const hasEnded = (run: Run, id: string): boolean => ["complete", "error"].includes(stepState(run, id).status)

/** The route of a step; undefined: the step has not ended, or has no route. */
export function ownRoute(run: Run, id: string): PendingRoute | undefined {
  if (!hasEnded(run, id)) return undefined
  const [label, by] = stepState(run, id).status === "error" ? (["on_error", "error"] as const) : (["on_complete", "complete"] as const)
  const target = run.plan.steps.get(id)?.[label]
  return target === undefined ? undefined : { step: id, target, label, by }
}
