// Queues runs that wait for room [H6], because a quota never refuses a delivery or a fire of a schedule. A queued run already exists, with
// the status `queued`, and its own object stores the request to start it. A row here is its place in the queue, written in the turn that
// pinned it. First come, first served: a new run goes behind the runs that wait already.

import { inTime } from "../../../ports/timers.ts"
import type { StartGate } from "./start-gate.ts"
import type { DueWork } from "../tenant-alarm.ts"
import type { TenantSql } from "../tenant-sql.ts"

type Row = { run: string; at: number }

/** Runs released at a time. */
const BATCH = 10
/** When to try a queued run. Normally its object reports within moments that it has stored the start, which makes the run due at once. */
const LOOK_MS = 5_000
/** A run that nothing promises, and whose object has not stored the start by then, never starts: its row is deleted. */
const UNSTORED_MS = 120_000
const ANSWER_MS = 20_000 // limit: milliseconds that a queued run's object may take to begin it → it is asked again; it delays no other run

export interface QueueDeps {
  readonly sql: TenantSql
  readonly gate: StartGate
  /** Begins the start that the run's object has stored; false: it has stored none. */
  readonly release: (run: string) => Promise<boolean>
  /** Does a delivery or a fire still owe the run its start? */
  readonly isOwed: (run: string) => boolean
  /** Has the run begun or ended by another way? */
  readonly hasBegun: (run: string) => boolean
  readonly want: (at: number) => void
  readonly now: () => number
}

export class StartQueue implements DueWork {
  readonly name = "queue"
  readonly #deps: QueueDeps
  /** Runs that are being released, and until when their objects may take to answer. */
  readonly #releasing = new Map<string, number>()
  /** Known to be empty: every report of a run asks. Only `#put` changes that. */
  #isEmpty = false

  constructor(deps: QueueDeps) {
    this.#deps = deps
  }

  readonly due = (): number | undefined => {
    if (this.isEmpty()) return undefined
    const query = "SELECT run, due FROM start_queue ORDER BY due LIMIT ?"
    const rows = this.#deps.sql.read<{ run: string; due: number }>(query, this.#releasing.size + 1)
    const free = rows.filter(({ run }) => !this.#releasing.has(run)).map(({ due }) => Math.max(due, this.#deps.gate.fullUntil() ?? 0))
    const times = [...this.#releasing.values(), ...free]
    return times.length === 0 ? undefined : Math.min(...times)
  }

  readonly work = (): Promise<void> => this.drain()

  readonly mend = (now: number): void => this.#deps.sql.bringNear("start_queue", "due", now, now + LOOK_MS)

  isEmpty(): boolean {
    this.#isEmpty ||= this.#deps.sql.read("SELECT 1 FROM start_queue LIMIT 1").length === 0
    return this.#isEmpty
  }

  has(run: string): boolean {
    return !this.isEmpty() && this.#deps.sql.read("SELECT 1 FROM start_queue WHERE run = ?", run).length > 0
  }

  add(run: string): void {
    this.#put(run, this.#deps.now() + LOOK_MS, "DO NOTHING")
    this.#want()
  }

  /** The run's object has stored the start. Its word alone keeps the place: whatever has deleted the row, it is there again. */
  held(run: string): void {
    this.#put(run, this.#deps.now(), "DO UPDATE SET due = excluded.due")
    this.#want()
  }

  /** The run has begun, has ended, or is deleted. */
  remove(run: string): void {
    if (this.has(run)) this.#deps.sql.write((sql) => sql.exec("DELETE FROM start_queue WHERE run = ?", run))
  }

  /** Begins what there is room for, in the order of the queue. A run that cannot begin now, or whose object does not answer, delays no other. */
  async drain(): Promise<void> {
    const faults: unknown[] = []
    const begun = this.#next().map((row) => this.#release(row).catch((e: unknown) => faults.push(e)))
    this.#want()
    if (begun.length === 0) return
    await Promise.all(begun)
    this.#want()
    if (faults.length > 0) throw faults[0]
  }

  /** Rows that are due and have taken their places. */
  #next(): readonly Row[] {
    const { sql, gate, now, hasBegun } = this.#deps
    const query = "SELECT run, at FROM start_queue WHERE due <= ? ORDER BY at, run LIMIT ?"
    const taken: Row[] = []
    for (const row of sql.read<Row>(query, now(), BATCH + this.#releasing.size)) {
      if (this.#releasing.has(row.run)) continue
      if (hasBegun(row.run)) this.remove(row.run)
      else if (!gate.take(row.run).ok) break
      else taken.push(row)
    }
    for (const { run } of taken) this.#releasing.set(run, now() + ANSWER_MS)
    return taken
  }

  async #release({ run, at }: Row): Promise<void> {
    const { gate, now, isOwed, release } = this.#deps
    try {
      // A start that is still on its way after that keeps its place until the gate knows better.
      const begun = await inTime<boolean | undefined>(release(run), ANSWER_MS, () => undefined)
      if (begun === true) return this.remove(run)
      if (begun === false) gate.giveBack(run)
      if (begun === false && at <= now() - UNSTORED_MS && !isOwed(run)) this.remove(run)
      else this.#putOff(run, now() + LOOK_MS)
    } catch (e) {
      gate.giveBack(run)
      this.#putOff(run, now() + LOOK_MS)
      throw e
    } finally {
      this.#releasing.delete(run)
    }
  }

  #put(run: string, due: number, again: string): void {
    this.#isEmpty = false
    const { sql, now } = this.#deps
    sql.write((rows) => rows.exec(`INSERT INTO start_queue (run, at, due) VALUES (?, ?, ?) ON CONFLICT (run) ${again}`, run, now(), due))
  }

  #putOff(run: string, due: number): void {
    this.#deps.sql.write((sql) => sql.exec("UPDATE start_queue SET due = ? WHERE run = ?", due, run))
  }

  #want(): void {
    const due = this.due()
    if (due !== undefined) this.#deps.want(due)
  }
}
