// Reads a run's identity (its tenant, its id and its definitions) from the event that made it a run of its own. That is the first event of
// its journal, or, for a fork, the one after its source's history [K9].

import type { FactOf } from "../../../core/run/event.ts"
import type { Pins } from "../../../core/run/event-parts.ts"
import { isTested } from "../../../core/run/tested.ts"
import type { SqlJournal } from "../journal/journal-sql.ts"

export interface RunIdentity {
  readonly tenant?: string | undefined
  readonly run: string
  readonly flow: string
  readonly pins: Pins
  /** The architect session that the run belongs to. */
  readonly staging?: string | undefined
  /** [K21] A test began it. */
  readonly tested: boolean
  /** [V34] */
  readonly trial: boolean
  /** The run's first own event. */
  readonly own: number
}

/** Definitions, and the first event to which they apply. */
export interface PinnedFrom {
  readonly from: number
  readonly pins: Pins
}

/** The identity of a run that is not a fork. */
export const startedAs = (first: FactOf<"run.started">): RunIdentity => ({
  tenant: first.tenant,
  run: first.run,
  flow: first.flow,
  pins: first.pinned,
  staging: first.staging,
  tested: isTested(first),
  trial: first.trial !== undefined,
  own: 1,
})

/** The run's identity; undefined: no run ever began here. */
export function identityOf(journal: Pick<SqlJournal, "pick" | "fork">): RunIdentity | undefined {
  const [first] = journal.pick([1])
  if (first?.type !== "run.started") return undefined
  const mark = journal.fork()
  if (!mark) return startedAs(first)
  const { tenant, flow } = first
  const pins = pinnedOf(journal).at(-1)?.pins ?? first.pinned
  const [own] = journal.pick([mark.own])
  // An architect's run cannot be forked, so a fork has no session to write to.
  if (own?.type !== "run.forked") return undefined
  const trial = own.trial !== undefined
  return { tenant, run: own.run, flow, pins, tested: trial, trial, own: mark.own }
}

/** Every set of definitions of the journal, oldest first. */
export function pinnedOf(journal: Pick<SqlJournal, "pick" | "fork">): PinnedFrom[] {
  return journal.pick(journal.fork()?.pinned ?? [1]).flatMap((e): PinnedFrom[] => {
    if (e.type === "run.started") return [{ from: 1, pins: e.pinned }]
    return e.type === "run.forked" && e.pinned ? [{ from: e.seq, pins: e.pinned }] : []
  })
}
