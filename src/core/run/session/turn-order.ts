// Results in the model's order [J22]: what ran side by side is journaled as the model asked for it, whatever came back first.

import { stepState, type Run } from "../state.ts"
import { toolKey } from "../key.ts"

/** Is a call of the same turn, earlier in the model's order, still at work? Then this one's result waits for it. */
export function waitsForEarlier(run: Run, step: string, callId: string): boolean {
  const s = stepState(run, step)
  const { session } = s
  if (!session) return false
  const at = session.open.findIndex((o) => o.call.id === callId)
  return session.open.slice(0, Math.max(0, at)).some((o) => Object.hasOwn(run.underway, toolKey(step, s.pass, session.turn - 1, o.call.id)))
}
