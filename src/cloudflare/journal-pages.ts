// A journal read through, a page in memory at a time, and what is told of one event by those before it.

import type { RunEvent } from "../core/run/event.ts"
import { PiFlows } from "../core/run/pi-flows.ts"
import type { Plan } from "../core/run/plan.ts"

/** Events are handed on in pages of about this size: an RPC answer has at most 32 MiB, and a slow reader's page stays in memory. */
export const PAGE_CHARS = 4 * 1024 * 1024
/** Events looked at in one go. */
export const READ_AT_ONCE = 500

export interface Paged {
  read(after: number, limit: number, chars: number): readonly RunEvent[]
}

/** From the first event to the one numbered `until`. */
export function* eventsUntil(journal: Paged, until = Infinity): Generator<RunEvent> {
  for (let at = 0; at < until;) {
    const events = journal.read(at, Math.min(READ_AT_ONCE, until - at), PAGE_CHARS)
    yield* events
    const last = events.at(-1)
    if (!last) return
    at = last.seq
  }
}

/** [E3] Wound forward: what it tells of one event it knows from those before. */
export function projectionAt(journal: Paged, plan: Plan, after: number): PiFlows {
  const projection = new PiFlows(plan)
  for (const e of eventsUntil(journal, after)) projection.frames(e)
  return projection
}
