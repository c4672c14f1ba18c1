// Results in the model's order [J22]: parallel calls are journaled in the order that the model made them, not as they return.

import { stepState, type Run } from "../state.ts"
import { toolKey } from "../key.ts"

/** Is an earlier call of the same turn still under way? Then the result of this call waits for it. */
export function waitsForEarlier(run: Run, step: string, callId: string): boolean {
  const s = stepState(run, step)
  const { session } = s
  if (!session) return false
  const at = session.open.findIndex((o) => o.call.id === callId)
  return session.open.slice(0, Math.max(0, at)).some((o) => Object.hasOwn(run.underway, toolKey(step, s.pass, session.turn - 1, o.call.id)))
}
