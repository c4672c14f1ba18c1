// Marks a run that a test began [K21], or a child of one: nobody waits in it. What would be due later is due at once, and the journal's
// first event says why.

import type { Run } from "./state.ts"

export const isTested = ({ trigger }: Pick<Run, "trigger">): boolean => trigger.kind === "test" || trigger.test === true

/** When something that is due at `at` is due in this run. */
export const dueIn = (run: Pick<Run, "trigger">, at: number, now: number): number => (isTested(run) ? Math.min(at, now) : at)
