// Folds notices into the state, so that a run that wakes up knows which notices it may not have sent yet [W6].

import type { EventOf } from "./event.ts"
import type { NoticeType } from "./notice.ts"
import type { Run } from "./state.ts"
import { CHILD_INTERACTION } from "./steps/child-questions.ts"

/** The number of notices in the state: a run may wait for a person thousands of times. All are unsent only if no receiver is reachable. */
const KEPT = 100 // limit: notices in a run's state → the oldest is forgotten

/** `run.waiting` is a notice only if a person is needed, in a child run too. The end of a child concerns only its parent. */
export function noticed(run: Run, e: EventOf<"run.waiting"> | EventOf<"run.ended">): void {
  const isBelow = e.type === "run.waiting" && e.reason === CHILD_INTERACTION
  if (e.type === "run.waiting" ? e.reason !== "interaction" && !isBelow : run.parent !== undefined) return
  const type: NoticeType = e.type === "run.waiting" ? "run.waiting" : `run.${e.status}`
  run.notices = [...run.notices.slice(1 - KEPT), { type, seq: e.seq, at: e.at, ...(isBelow ? { below: true as const } : {}) }]
}
