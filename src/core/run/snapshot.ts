// Snapshots [J8]: the head of a run and one part per step; a new snapshot rewrites the head and the steps touched since the last one.

import type { Plan } from "./plan.ts"
import { newRun, type Run, type RunHead, type StepState } from "./state.ts"

/** Events between two snapshots. Short runs never take a snapshot; a wake-up folds at most this many events. */
export const SNAPSHOT_EVERY = 256

export interface SnapshotParts {
  readonly head: RunHead
  readonly steps: Readonly<Record<string, StepState>>
}

/** The parts to write; the caller clears `run.touched` once they are durable. */
export function takeSnapshot(run: Run): SnapshotParts {
  const { plan: _plan, touched, steps, ...head } = run
  const parts: Record<string, StepState> = {}
  for (const id of touched) {
    const s = steps[id]
    if (s) parts[id] = s
  }
  return { head, steps: parts }
}

export function restore(plan: Plan, parts: SnapshotParts): Run {
  return { ...newRun(plan), ...parts.head, plan, touched: new Set(), steps: { ...parts.steps } }
}
