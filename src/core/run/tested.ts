// Recognizes a run that a test started [K21], or a child of such a run. Such a run never waits: whatever would be due later is due at once.
// The journal's first event has the mark.

import type { Run } from "./state.ts"

export const isTested = ({ trigger }: Pick<Run, "trigger">): boolean => trigger.kind === "test" || trigger.test === true

/** The time at which this run does what is due at `at`. */
export const dueIn = (run: Pick<Run, "trigger">, at: number, now: number): number => (isTested(run) ? Math.min(at, now) : at)
