// Marks changed steps for the snapshot [J8], and drops effects and questions that are no longer needed.

import { CALL_AGENT } from "../../tool/toolkits.ts"
import { batchedGone } from "../batch/open-call.ts"
import { become, type Run, type Session, type StepState, stepState } from "../state.ts"
import { asksNothing } from "./child-questions.ts"
import { toolKey, childKey, isKeyOf } from "../key.ts"
import { keysGone, keysOf } from "../step-keys.ts"

export function touch(run: Run, id: string): StepState {
  run.touched.add(id)
  return stepState(run, id)
}

export const sessionOf = (run: Run, step: string): Session | undefined => touch(run, step).session

/** Drops everything under way for a step, so that a late reply is stale [J3, J4]. */
export function forget(run: Run, step: string): void {
  for (const key of keysOf(run, step)) {
    if (run.underway[key]?.step === step) delete run.underway[key]
    batchedGone(run, key)
    if (isKeyOf(key, step)) delete run.begun[key]
  }
  keysGone(run, step)
  withdraw(run, step)
}

/** Withdraws the open questions of one step, or of all steps. */
export function withdraw(run: Run, step?: string): void {
  for (const id of run.pending) {
    const i = run.interactions[id]
    if (i && (step === undefined || i.step === step)) withdrawOne(run, id)
  }
}

/** Withdraws a question if it is open. */
export function withdrawOne(run: Run, id: string): void {
  const i = run.interactions[id]
  if (i?.status !== "pending") return
  i.status = "withdrawn"
  closed(run, id)
}

/** Closes a question that was answered, withdrawn, or has expired. */
export function closed(run: Run, id: string): void {
  const i = run.interactions[id]
  if (i) i.decided = run.at
  run.pending = run.pending.filter((p) => p !== id)
}

/**
 * [F23] Ends the work of a step. Child runs that are still open become orphans, which the shell cancels. A child whose start has begun may
 * run before its id is known here, so it is listed by its key.
 */
export function leaveWork(run: Run, step: string, s: StepState): void {
  if (s.children) {
    const { open, starting } = s.children
    for (const child of Object.values(open)) run.orphans.push(child)
    for (const index of starting) run.orphans.push(childKey(step, s.pass, index))
  }
  // [T42] The same holds for a run that a call started: its id follows from the call's key.
  for (const { call } of s.session?.open ?? []) {
    if (call.name !== CALL_AGENT) continue
    const key = toolKey(step, s.pass, (s.session?.turn ?? 1) - 1, call.id)
    if (Object.hasOwn(run.begun, key)) run.orphans.push(key)
  }
  asksNothing(run, { step })
  become(s, {})
}
