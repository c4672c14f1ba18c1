// Replays a whole journal in memory, for tests that look at what the replay made: its events, its head, its signals.

import type { RunEvent } from "../../../src/core/run/event.ts"
import type { Plan } from "../../../src/core/run/plan.ts"
import type { Signal } from "../../../src/core/run/signal.ts"
import { Replay } from "../../../src/engine/run/replay/replay.ts"

export interface Replayed {
  /** The hash of the last event. */
  readonly head: string
  /** The signal that began each decision; undefined: none. */
  readonly signals: readonly (Signal | undefined)[]
  /** Where the replay stopped before the end of the journal; absent: it reached the end. */
  readonly fault?: string
}

export function replay(plan: Plan, journal: readonly RunEvent[], hash: (text: string) => string): Replayed {
  const again = new Replay([{ from: 1, plan }], hash)
  const signals: (Signal | undefined)[] = []
  while (again.run.seq < journal.length) {
    const { signal, difference } = again.next(journal, again.run.seq)
    signals.push(signal)
    if (difference) return { head: again.run.head, signals, fault: JSON.stringify({ signal, ...difference }) }
  }
  return { head: again.run.head, signals }
}
