// Reads a recorded run as a list of decisions [K23]: each has its signal, time and facts, and for a model's reply the request. Reads by
// replaying the journal on the run's own plan [K18].

import { defined } from "../../core/defined.ts"
import type { RunEvent } from "../../core/run/event.ts"
import type { Era } from "../../core/run/fork/fold.ts"
import type { Signal } from "../../core/run/signal.ts"
import { Replay } from "../run/replay/replay.ts"
import { requestFor, type RequestParts } from "../run/call/model-request.ts"

export interface RecordedDecision {
  readonly signal: Signal | undefined
  readonly at: number
  readonly events: readonly RunEvent[]
  /** Of a model's reply or failure. */
  readonly request?: RequestParts
  /** [K9] A fork begins here: the rest of the decision is not in the journal. */
  readonly isCut?: true
}

export interface Recording {
  readonly decisions: readonly RecordedDecision[]
  /** Why the journal cannot be read with this build; absent: it can. */
  readonly fault?: string
}

export function recordingOf(eras: readonly [Era, ...Era[]], events: readonly RunEvent[], hash: (text: string) => string): Recording {
  const replay = new Replay(eras, hash)
  const journal = { pick: (seqs: readonly number[]) => seqs.flatMap((seq) => events[seq - 1] ?? []) }
  const decisions: RecordedDecision[] = []
  for (let from = 0; from < events.length;) {
    const first = events[from]
    // Before the decision: the reply ends the call, and the request is of the run that asked.
    const asked = first?.type === "model.replied" || first?.type === "model.failed" ? first : laterReply(events, from)
    const request =
      asked && Object.hasOwn(replay.run.underway, asked.key) ? requestFor({ journal }, replay.run, asked.key, asked.step) : undefined
    const made = replay.next(events, from)
    if (made.difference || replay.run.seq <= from)
      return { decisions, fault: `event ${made.difference?.seq ?? from + 1} of its journal is not what this build would write` }
    decisions.push({
      signal: made.signal,
      at: first?.at ?? 0,
      events: events.slice(from, replay.run.seq),
      ...defined({ request }),
      ...(events[replay.run.seq]?.type === "run.forked" ? { isCut: true } : {}),
    })
    from = replay.run.seq
  }
  return { decisions }
}

/** New rules come before the reply that they arrived with. */
function laterReply(events: readonly RunEvent[], from: number): Extract<RunEvent, { type: "model.replied" }> | undefined {
  const next = events[from]?.type === "rules.changed" ? events[from + 1] : undefined
  return next?.type === "model.replied" ? next : undefined
}
