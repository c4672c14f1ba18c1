// Finds the model calls of a run that have no answer yet: those under way here, and those that wait for a batch [R33].

import type { Run, Underway } from "../state.ts"

export const openCallOf = ({ underway, batched }: Run, key: string): Underway | undefined =>
  Object.hasOwn(underway, key) ? underway[key] : batched && Object.hasOwn(batched, key) ? batched[key] : undefined

/** Its answer has come, or nobody wants it any more. */
export function batchedGone(run: Run, key: string): void {
  if (run.batched === undefined || !Object.hasOwn(run.batched, key)) return
  delete run.batched[key]
  if (Object.keys(run.batched).length === 0) delete run.batched
}
