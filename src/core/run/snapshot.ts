// Takes and reads snapshots [J8]: the head of a run, and its steps in groups. A new snapshot rewrites the head and each group with a step
// that has changed since the last snapshot.

import type { Plan } from "./plan.ts"
import { newRun, type Run, type RunHead, type StepState } from "./state.ts"

/** Events between two snapshots. Short runs never take a snapshot; a wake-up folds at most this many events. */
export const SNAPSHOT_EVERY = 256
/** Commits between two snapshots, so that a wake-up reads few rows. After this many, the next commit that ends a step takes one. */
export const SNAPSHOT_COMMITS = 28
/** Steps of a group: neighbors in the file, which are mostly touched at the same time. Compressed, so many mostly fit into the 1,002 bytes
 *  that SQLite keeps of such a row without a page of its own. */
const GROUP = 24

export interface SnapshotParts {
  readonly head: RunHead
  readonly steps: Readonly<Record<string, StepState>>
  /** Which steps are stored together, and under which name: all of them are in `steps`. A step that is in none is stored alone. */
  readonly groups?: Readonly<Record<string, readonly string[]>>
}

/** The parts to write; the caller clears `run.touched` once they are durable. */
export function takeSnapshot(run: Run): SnapshotParts {
  const { plan, touched, steps, ...head } = run
  const parts: Record<string, StepState> = {}
  const groups: Record<string, readonly string[]> = {}
  const take = (id: string): void => {
    const s = steps[id]
    if (s) parts[id] = s
  }
  for (const id of touched) {
    const at = plan.graph.order.get(id)
    if (at === undefined) take(id)
    else {
      const first = at - (at % GROUP)
      groups[first] ??= plan.stepIds.slice(first, first + GROUP).filter((one) => steps[one] !== undefined)
    }
  }
  for (const ids of Object.values(groups)) for (const id of ids) take(id)
  return { head, steps: parts, groups }
}

export const restore = (plan: Plan, { head, steps }: SnapshotParts): Run => ({
  ...newRun(plan),
  ...head,
  plan,
  touched: new Set(),
  steps: { ...steps },
})
