// Finds the route that the end of a step gave it, after it was taken [F13]. Steps with branches are alone in their segments and lead on at
// once, so only `on_complete` and `on_error` are asked for later.

import { stepState, type PendingRoute, type Run } from "../state.ts"

export const hasEnded = (run: Run, id: string): boolean => ["complete", "error"].includes(stepState(run, id).status)

/** undefined: the step has not ended, or it has none. */
export function ownRoute(run: Run, id: string): PendingRoute | undefined {
  if (!hasEnded(run, id)) return undefined
  const [label, by] = stepState(run, id).status === "error" ? (["on_error", "error"] as const) : (["on_complete", "complete"] as const)
  const target = run.plan.steps.get(id)?.[label]
  return target === undefined ? undefined : { step: id, target, label, by }
}
