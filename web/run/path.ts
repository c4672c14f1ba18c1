// Finds the longest path: where the run's time went. It leads back from the pass that ended last, each time to the pass that ended last
// before that one began, among the steps that lead to it.

import type { GraphView } from "../../src/core/flow/check/graph-view.ts"
import type { Pass, RunOutline } from "../../src/core/run/views/outline.ts"

/** In the order of time. `now`: where a pass that goes on ends. */
export function longestPath({ nodes, edges }: Pick<GraphView, "nodes" | "edges">, story: RunOutline, now: number): Pass[] {
  const before = new Map<string, string[]>()
  for (const { from, to } of edges) before.set(to, [...(before.get(to) ?? []), from])
  const endOf = ({ ended = now }: Pass): number => ended
  let at: Pass | undefined
  for (const { id } of nodes)
    for (const pass of story.steps.get(id)?.passes ?? []) if (at === undefined || endOf(pass) > endOf(at)) at = pass
  const path: Pass[] = []
  while (at !== undefined) {
    path.push(at)
    const here: Pass = at
    at = undefined
    for (const id of new Set(before.get(here.step) ?? [])) {
      const pass = story.steps.get(id)?.passes.findLast(({ endSeq }) => endSeq !== undefined && endSeq < here.seq)
      if (pass && (at === undefined || endOf(pass) >= endOf(at))) at = pass
    }
  }
  return path.toReversed()
}

/** Steps whose passes a fork keeps and does not pay for, and how many events they are: of a run that failed, what was complete before; of a fork,
 *  what its source had done. */
export function keptSteps(story: RunOutline): { readonly steps: ReadonlySet<string>; readonly events: number } {
  const failed = story.status === "failed" ? story.error?.step : undefined
  const to = failed === undefined ? story.forkedAt : story.steps.get(failed)?.passes.at(-1)?.seq
  const kept = new Set<string>()
  if (to === undefined) return { steps: kept, events: 0 }
  for (const { id, passes } of story.steps.values())
    if (passes.length > 0 && passes.every(({ endSeq, status }) => endSeq !== undefined && endSeq < to && status === "complete"))
      kept.add(id)
  return { steps: kept, events: to - 1 }
}
