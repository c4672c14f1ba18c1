// Orders results [J22]: the results of parallel calls are journaled in the order of the model's calls, not in the order of their return.

import { stepState, type Run } from "../state.ts"
import { toolKey } from "../key.ts"

/** Tells whether an earlier call of the same turn is still under way; this call's result then waits for it. */
export function waitsForEarlier(run: Run, step: string, callId: string): boolean {
  const s = stepState(run, step)
  const { session } = s
  if (!session) return false
  const at = session.open.findIndex((o) => o.call.id === callId)
  return session.open.slice(0, Math.max(0, at)).some((o) => Object.hasOwn(run.underway, toolKey(step, s.pass, session.turn - 1, o.call.id)))
}
