// Finds the longest path, which shows where the run's time went. It goes back from the pass that ended last: each time, among the steps
// that lead to the current one, to the pass that ended last before it began.

import type { GraphView } from "../../src/core/flow/check/graph-view.ts"
import type { Pass, RunOutline } from "../../src/core/run/views/outline.ts"

/** In chronological order. `now`: the end of a pass that is still running. */
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

/**
 * Steps whose passes a fork keeps and does not pay for again, with their number of events: of a failed run, the steps completed before the
 * failure; of a fork, those completed in its source.
 */
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
