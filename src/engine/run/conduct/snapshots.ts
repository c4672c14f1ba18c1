// Decides when a commit holds a snapshot [J8].

import { SNAPSHOT_COMMITS, SNAPSHOT_EVERY, takeSnapshot } from "../../../core/run/snapshot.ts"
import { isOver, type Run } from "../../../core/run/state.ts"
import type { Commit, Journal } from "../../../ports/journal.ts"

export class Snapshots {
  readonly #journal: Journal
  /** The seq of the last one. */
  #at = 0
  /** Commits since then, at most. */
  #commits = 0

  constructor(journal: Journal) {
    this.#journal = journal
  }

  /** The run was folded from a snapshot at `from`. */
  folded(run: Run, from: number): void {
    this.#at = from
    // Each event may be a row of its own.
    this.#commits = run.seq - from
  }

  /** The next commit holds one. */
  due(): void {
    this.#at = -Infinity
  }

  commit(run: Run, entry: Commit): void {
    if (entry.events.length === 0) return
    // A step that has ended is small; one in the middle of its calls has all their arguments.
    const hasEnded = (): boolean => entry.events.some((e) => e.type === "step.finished")
    const isDue = run.seq - this.#at >= SNAPSHOT_EVERY || (this.#commits >= SNAPSHOT_COMMITS && hasEnded())
    const snapshot = isDue && (!isOver(run) || entry.prefix) ? takeSnapshot(run) : undefined
    this.#journal.commit(snapshot ? { ...entry, snapshot } : entry)
    this.#commits = snapshot ? 0 : this.#commits + 1
    if (!snapshot) return
    run.touched.clear()
    this.#at = run.seq
  }
}
