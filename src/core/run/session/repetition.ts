// [G9] Repetition: the same call with the same arguments and the same result, in a row. Pure; changes the session it is given.
//
// Counted when a turn is complete, in the model's order: what ran side by side may come back in any order, and a count that
// followed it would make the step's end a matter of luck.

import type { Session } from "../state.ts"

export const STUCK_AFTER = 5

/** Called after each answer: when it was the turn's last, the turn's results are counted. A latched finish (`ending`) is no result. */
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
