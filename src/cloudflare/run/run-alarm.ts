// Manages the single alarm of a run's object, and its users.

import { WATCHDOG_MS } from "../../engine/run/conduct/next-alarm.ts"
import { AlarmOwners } from "../platform/alarm-owners.ts"

export type RunOwner =
  /** The run itself: its timers, its retries, its effects under way. */
  | "run"
  /** After a commit that others must be told of: the object may be killed before it tells them [J14]. */
  | "watchdog"
  /** Messages that have not arrived. */
  | "messages"
  /** Questions for which the parent has no room yet. */
  | "questions"
  /** Calls that wait for a batch, and batches at their provider. */
  | "batches"
  /** Runs below an ended one that have not ended [R6]. */
  | "below"
  /** Orphans beyond those that one invocation cancels. */
  | "orphans"
  /** The deletion of the run, which goes on by itself. */
  | "deletion"
  /** The end of the retention of an ended run. */
  | "retention"
  /** The end of the record of an Idempotency-Key. */
  | "record"
  /** A start for which there is no room yet. */
  | "held start"
  /** The mark that a run is not wanted, which has not begun. */
  | "unwanted"
  /** Another try after a failed alarm. */
  | "failures"
  /** A fresh invocation. */
  | "calls"
  /** Spans for a collector. */
  | "traces"
  | "traces_own"

export class RunAlarm extends AlarmOwners<RunOwner> {
  /** The object looks after this itself: at the latest when the longest time between two checks is over. */
  watch(owner: RunOwner): void {
    this.want(owner, Date.now() + WATCHDOG_MS)
  }
}
