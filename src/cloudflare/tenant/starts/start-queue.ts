// StartQueue: runs that wait for room [H6], because a quota never refuses a delivery or a fire of a schedule. A queued run already exists, with
// the status `queued`, and its own object stores the request to start it. A row here is its place in the queue, written in the turn that
// pinned it. First come, first served: a new run goes behind the runs that wait already.

import type { StartGate } from "./start-gate.ts"
import type { DueWork } from "../tenant-alarm.ts"
import type { TenantSql } from "../tenant-sql.ts"

/** Runs released at a time. */
const BATCH = 10
/** When to try a queued run. Normally its object reports within moments that it has stored the start, which makes the run due at once. */
const LOOK_MS = 5_000
/** An object that has not stored the start by then never will, so the row is deleted. */
const UNSTORED_MS = 120_000

export interface QueueDeps {
  readonly sql: TenantSql
  readonly gate: StartGate
  /** Begins the start that the run's object has stored; false: it has stored none. */
  readonly release: (run: string) => Promise<boolean>
  readonly want: (at: number) => void
  readonly now: () => number
}

export class StartQueue implements DueWork {
  readonly name = "queue"
  readonly #deps: QueueDeps
  #draining: Promise<void> | undefined
  /** Known to be empty: every report of a run asks. Only `add` changes that. */
  #isEmpty = false

  constructor(deps: QueueDeps) {
    this.#deps = deps
  }

  readonly due = (): number | undefined => {
    const due = this.#deps.sql.read<{ due: number | null }>("SELECT min(due) AS due FROM start_queue")[0]?.due ?? undefined
    return due === undefined ? undefined : Math.max(due, this.#deps.gate.fullUntil() ?? 0)
  }

  readonly work = (): Promise<void> => this.drain()

  isEmpty(): boolean {
    this.#isEmpty ||= this.#deps.sql.read("SELECT 1 FROM start_queue LIMIT 1").length === 0
    return this.#isEmpty
  }

  has(run: string): boolean {
    return this.#deps.sql.read("SELECT 1 FROM start_queue WHERE run = ?", run).length > 0
  }

  add(run: string): void {
    this.#isEmpty = false
    const now = this.#deps.now()
    this.#deps.sql.record((sql) => sql.exec("INSERT OR IGNORE INTO start_queue (run, at, due) VALUES (?, ?, ?)", run, now, now + LOOK_MS))
    this.#want()
  }

  /** The run's object has stored the start. */
  held(run: string): void {
    if (this.has(run)) this.#putOff(run, this.#deps.now())
  }

  remove(run: string): void {
    if (this.has(run)) this.#deps.sql.record((sql) => sql.exec("DELETE FROM start_queue WHERE run = ?", run))
  }

  /** One drain at a time. A run that cannot be started now keeps its place and does not delay the others. */
  drain(): Promise<void> {
    return (this.#draining ??= this.#drain().finally(() => (this.#draining = undefined)))
  }

  async #drain(): Promise<void> {
    const { sql, gate, now } = this.#deps
    const rows = sql.read<{ run: string; at: number }>(
      "SELECT run, at FROM start_queue WHERE due <= ? ORDER BY at, run LIMIT ?",
      now(),
      BATCH,
    )
    const faults: unknown[] = []
    for (const { run, at } of rows) {
      if (!gate.take(run).ok) break
      try {
        if (await this.#deps.release(run)) this.remove(run)
        else {
          gate.giveBack(run)
          if (at <= now() - UNSTORED_MS) this.remove(run)
          else this.#putOff(run, now() + LOOK_MS)
        }
      } catch (e) {
        gate.giveBack(run)
        this.#putOff(run, now() + LOOK_MS)
        faults.push(e)
      }
    }
    this.#want()
    if (faults.length > 0) throw faults[0]
  }

  #putOff(run: string, due: number): void {
    this.#deps.sql.record((sql) => sql.exec("UPDATE start_queue SET due = ? WHERE run = ?", due, run))
  }

  #want(): void {
    const due = this.due()
    if (due !== undefined) this.#deps.want(due)
  }
}
