// What every change of a step has in common: the snapshot is told [J8], and effects that no one needs any more are dropped.

import { CALL_AGENT } from "../../flow/toolkits.ts"
import { type Run, type Session, type StepState, stepState } from "../state.ts"
import { toolKey, childKey, isKeyOf } from "../key.ts"

export function touch(run: Run, id: string): StepState {
  run.touched.add(id)
  return stepState(run, id)
}

export const sessionOf = (run: Run, step: string): Session | undefined => touch(run, step).session

/** Drops what is under way for a step: a late reply is stale [J3, J4]. */
export function forget(run: Run, step: string): void {
  // No list of entries is made: 200 parallel branches call this 200 times.
  for (const key in run.underway) if (run.underway[key]?.step === step) delete run.underway[key]
  for (const key in run.begun) if (isKeyOf(key, step)) delete run.begun[key]
  withdraw(run, step)
}

/** Withdraws the open questions of one step, or of all. */
export function withdraw(run: Run, step?: string): void {
  for (const id of run.pending) {
    const i = run.interactions[id]
    if (!i || (step !== undefined && i.step !== step)) continue
    i.status = "withdrawn"
    closed(run, id)
  }
}

export function closed(run: Run, id: string): void {
  run.pending = run.pending.filter((p) => p !== id)
}

/** Children that are still open when their step ends are nobody's: the shell cancels them [F23]. One whose start was begun may
 *  run without our knowing its id: it stands there by its key. */
export function leaveWork(run: Run, step: string, s: StepState): void {
  if (s.children) {
    const { open, starting } = s.children
    for (const child of Object.values(open)) run.orphans.push(child)
    for (const index of starting) run.orphans.push(childKey(step, s.pass, index))
  }
  // [T42] So may one that a call started: its id follows from the call's key.
  for (const { call } of s.session?.open ?? []) {
    if (call.name !== CALL_AGENT) continue
    const key = toolKey(step, s.pass, (s.session?.turn ?? 1) - 1, call.id)
    if (Object.hasOwn(run.begun, key)) run.orphans.push(key)
  }
  delete s.children
  delete s.values
  delete s.until
}
