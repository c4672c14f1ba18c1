// Folds a run from its journal [J10]: from the newest snapshot and the events after it.

import { apply } from "../../../core/run/apply.ts"
import type { RunEvent } from "../../../core/run/event.ts"
import type { Plan } from "../../../core/run/plan.ts"
import { restore } from "../../../core/run/snapshot.ts"
import { newRun, type Run } from "../../../core/run/state.ts"
import type { Journal } from "../../../ports/journal.ts"

const PAGE = 512

export interface Folded {
  readonly run: Run
  /** The seq of the snapshot; 0: there is none. */
  readonly from: number
}

export function folded(plan: Plan, journal: Pick<Journal, "snapshot" | "read">, hash: (text: string) => string): Folded {
  const snapshot = journal.snapshot()
  let run = snapshot ? restore(plan, snapshot) : newRun(plan)
  const from = run.seq
  let last: RunEvent | undefined
  for (;;) {
    const page = journal.read(run.seq, PAGE)
    for (const event of page) run = apply(run, event)
    last = page.at(-1) ?? last
    if (page.length < PAGE) break
  }
  // Each event names the hash of the one before it, so only the newest one's is missing.
  if (last) run.head = hash(JSON.stringify(last))
  return { run, from }
}
