// Detects repetition [G9]: the same call with the same arguments and the same result, several times in a row. Changes only the given
// session.
//
// Results are counted when a turn is complete, in the model's order: parallel calls may return in any order, and counting in that
// order would make the step's end depend on chance.

import type { Session } from "../state.ts"

export const STUCK_AFTER = 5 // limit: equal calls with equal results in a row → the step fails, and its `on_error` is taken: `agent_stuck`

/** Runs after each answer, and counts the turn's results once the last one has arrived. A latched finish (`ending`) does not count. */
export function countResults(session: Session, ending: string): void {
  if (session.open.some((o) => o.call.name !== ending)) return
  for (const { tool, digest } of session.results) {
    if (digest === undefined) continue
    const { repeat } = session
    session.repeat = { digest, count: repeat.digest === digest ? repeat.count + 1 : 1 }
    if (session.repeat.count >= STUCK_AFTER) session.stuck ??= tool
  }
  session.results = []
}
