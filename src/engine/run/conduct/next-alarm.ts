// Computes when a run must be checked again. The alarm is a watchdog and never drives steps.

import type { Action } from "../../../core/run/action.ts"
import { dueAt, isEffect } from "../../../core/run/begin.ts"
import { isOver, type Run } from "../../../core/run/state.ts"

/** Longest time between two checks of a run with effects under way. */
export const WATCHDOG_MS = 10_000

/** The next check of the run: its earliest timer or retry, or the watchdog while effects are under way. `decided`: its latest decision. */
export function nextAlarm(run: Run, actions: readonly Action[], now: number, decided: number): number | undefined {
  // [K34] Effects that go on after the end need the watchdog alone.
  if (isOver(run)) return Object.keys(run.underway).length > 0 ? now + WATCHDOG_MS : undefined
  // A retry that was due at the decision waits for a free slot, not for a time: an alarm for it would ring forever. One that has become due
  // since then waits for nobody, and is begun by the next decision.
  const times = actions.flatMap((a) => (a.do === "wake" ? [a.at] : isEffect(a) && dueAt(a) > decided ? [dueAt(a)] : []))
  if (Object.keys(run.underway).length > 0) times.push(now + WATCHDOG_MS)
  return times.reduce<number | undefined>((least, at) => Math.min(least ?? at, at), undefined)
}
