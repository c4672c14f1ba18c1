// Makes one decision: what a signal becomes, and everything that follows from it [J15]. The conductor writes it in one commit, and the
// replayer compares it with a journal; both call this, so they cannot disagree about where a decision ends.

import type { Action } from "../../core/run/action.ts"
import { begin, dueAt, isEffect, settle, type Effect } from "../../core/run/begin.ts"
import { decide } from "../../core/run/decide.ts"
import type { Fact } from "../../core/run/event.ts"
import type { Run } from "../../core/run/state.ts"

/** [J16] Effects of a run that are under way at once, so that memory has a bound; below it, `max_concurrent` limits parallel steps. */
export const MAX_EFFECTS = 128 // limit: effects of a run under way → the next begins when there is room
/** Where the start says nothing of it, an object had to do with the six connections of its own. */
const OWN_EFFECTS = 6 // limit: effects under way of a run whose start names no width → the next begins when there is room
/** More records than this for one signal mean a fault in the kernel, not in a flow: stop instead of looping. */
const MAX_RECORDS = 20_000 // limit: records for one signal → the run fails with source `engine`

export interface Decision {
  /** The effects that begin now. */
  readonly due: readonly Effect[]
  /** What the run wants after the decision. */
  readonly actions: readonly Action[]
}

const NONE: ReadonlySet<string> = new Set()

export interface Moment {
  readonly now: number
  /** [R29] Calls whose turn has come before the time that they were told. */
  readonly early?: ReadonlySet<string>
}

/** Makes a decision. `facts`: those of the signal. `record` appends facts to the journal and applies them to `run`. */
export function decision(
  run: Run,
  facts: readonly Fact[],
  { now, early = NONE }: Moment,
  record: (facts: readonly Fact[]) => void,
): Decision {
  record(facts)
  let actions = decide(run)
  for (let n = 0; actions[0]?.do === "record"; n++) {
    if (n > MAX_RECORDS) throw new Error(`decide asked for ${MAX_RECORDS} records in a row`)
    record(actions[0].facts)
    actions = decide(run)
  }
  const wanted = actions.filter(isEffect).filter((a) => dueAt(a) <= now || early.has(a.key))
  const due = wanted.length === 0 ? wanted : wanted.slice(0, Math.max(0, (run.width ?? OWN_EFFECTS) - Object.keys(run.underway).length))
  record(settle(run, due.length > 0))
  for (const effect of due) record(begin(run, effect))
  return { due, actions }
}
