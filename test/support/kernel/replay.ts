// Replays a journal through the kernel: the same signals at the same times, without a model, a tool or a clock.
//
// A kernel that decides the same writes the same events, and so the same last hash. Commits work as in the conductor: admit, apply,
// decide until there is nothing to record, settle, begin.

import { admit } from "../../../src/core/run/admit.ts"
import { apply } from "../../../src/core/run/apply.ts"
import { begin, dueAt, isEffect, settle } from "../../../src/core/run/begin.ts"
import { decide } from "../../../src/core/run/decide.ts"
import { EVENT_VERSION, type Fact, type RunEvent } from "../../../src/core/run/event.ts"
import type { Plan } from "../../../src/core/run/plan.ts"
import type { Signal } from "../../../src/core/run/signal.ts"
import { newRun, type Run } from "../../../src/core/run/state.ts"
import { MAX_EFFECTS } from "../../../src/engine/run/conductor.ts"
import { readSignal } from "./read-signal.ts"

export interface Replayed {
  readonly events: readonly RunEvent[]
  /** The hash of the last event. */
  readonly head: string
  /** The signal that began each commit; undefined: none. */
  readonly signals: readonly (Signal | undefined)[]
  /** Why the replay stopped before the end of the journal; absent: it reached the end. */
  readonly fault?: string
}

/** Stops after the first commit that differs from the journal: later signals belong to another history. */
export function replay(plan: Plan, journal: readonly RunEvent[], hash: (text: string) => string): Replayed {
  const run = newRun(plan)
  const events: RunEvent[] = []
  const signals: (Signal | undefined)[] = []
  const stopped = (fault?: string): Replayed => ({ events, head: run.head, signals, ...(fault === undefined ? {} : { fault }) })
  for (let first = journal[0]; first; first = journal[events.length]) {
    const signal = readSignal(run, journal, events.length)
    const admitted: ReturnType<typeof admit> = signal ? admit(run, signal) : { ok: true, value: [] }
    if (!admitted.ok) return stopped(`at ${first.seq}: the signal ${JSON.stringify(signal)} is refused: ${JSON.stringify(admitted.error)}`)
    signals.push(signal)
    const from = events.length
    for (const event of commit(run, admitted.value, first.at, hash)) events.push(event)
    if (events.length === from) return stopped(`at ${first.seq}: nothing leads to ${first.type}`)
    const other = events.findIndex((e, i) => i >= from && JSON.stringify(e) !== JSON.stringify(journal[i]))
    if (other >= 0)
      return stopped(`at ${other + 1}: ${JSON.stringify(events[other])} in place of ${JSON.stringify(journal[other]) ?? "the end"}`)
  }
  return stopped()
}

function commit(run: Run, facts: readonly Fact[], now: number, hash: (text: string) => string): RunEvent[] {
  const events: RunEvent[] = []
  const record = (list: readonly Fact[]): void => {
    for (const fact of list) {
      const text = JSON.stringify({ seq: run.seq + 1, at: now, v: EVENT_VERSION, prev: run.head, ...fact })
      const event = JSON.parse(text) as RunEvent
      run.head = hash(text)
      apply(run, event)
      events.push(event)
    }
  }
  record(facts)
  let actions = decide(run)
  for (let [first] = actions; first?.do === "record"; [first] = actions) {
    record(first.facts)
    actions = decide(run)
  }
  const free = Math.max(0, MAX_EFFECTS - Object.keys(run.underway).length)
  const due = actions
    .filter(isEffect)
    .filter((a) => dueAt(a) <= now)
    .slice(0, free)
  record(settle(run, due.length > 0))
  for (const effect of due) record(begin(run, effect))
  return events
}
