// What every change of a step has in common: that it is remembered for the snapshot [J8], and what is nobody's business any more.

import { CALL_AGENT } from "../../flow/toolkits.ts"
import { childKey } from "./children.ts"
import { type Run, type Session, type StepState, stepState, toolKey } from "../state.ts"

export function touch(run: Run, id: string): StepState {
  run.touched.add(id)
  return stepState(run, id)
}

export const sessionOf = (run: Run, step: string): Session | undefined => touch(run, step).session

/** What was under way for a step is nobody's business any more: a late reply is stale [J3, J4]. */
export function forget(run: Run, step: string): void {
  // No list of entries is made: 200 branches side by side come by here 200 times.
  for (const key in run.underway) if (run.underway[key]?.step === step) delete run.underway[key]
  const prefix = `${step}/`
  for (const key in run.begun) if (key.startsWith(prefix)) delete run.begun[key]
  withdraw(run, step)
}

/** Open questions, of one step or of all, are nobody's to answer any more. */
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
