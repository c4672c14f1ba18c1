// Marks this object's run as unwanted [F23d]: its parent ended while the start of the run was under way, or before it was sent. A start
// that arrives later begins a run that is canceled in its first decision. The mark is kept for a day.

import type { RunResources } from "../run-resources.ts"

const UNWANTED = "unwanted"
const KEPT_MS = 24 * 60 * 60 * 1000 // limit: ms for which a run that has not begun is marked as not wanted → the mark is deleted

export class UnwantedRun {
  readonly #resources: Pick<RunResources, "kv" | "alarm" | "journal">

  constructor(resources: Pick<RunResources, "kv" | "alarm" | "journal">) {
    this.#resources = resources
  }

  mark(): void {
    const { kv, alarm, journal } = this.#resources
    if (journal.last() > 0) return
    const until = Date.now() + KEPT_MS
    kv.put(UNWANTED, until)
    alarm.want("unwanted", until)
  }

  /** Until when the mark is kept; undefined: there is none. */
  until(): number | undefined {
    const until = this.#resources.kv.get(UNWANTED)
    return typeof until === "number" ? until : undefined
  }

  forget(): void {
    this.#resources.kv.delete(UNWANTED)
    this.#resources.alarm.drop("unwanted")
  }
}
