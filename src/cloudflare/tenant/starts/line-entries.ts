// Brings starts into line [R5]: after their window and their delay. A start that supersedes takes the place of older ones as it comes [R7, R8].

import { supersedes } from "../../../core/start/line.ts"
import { keyName, NEW, PAUSED } from "../../../core/start/line-things.ts"
import type { LineClock } from "./line-clock.ts"
import { blockOf, expiryOf, STATE, type LineRow, type LineStore } from "./line-store.ts"
import { lookAgain } from "./rings.ts"

interface EntryDeps {
  readonly store: LineStore
  /** Tells the objects of these runs what has become of them. */
  readonly sayLater: (runs: readonly string[]) => void
}

export class LineEntries {
  readonly #deps: EntryDeps
  readonly #clock: LineClock

  constructor(deps: EntryDeps, clock: LineClock) {
    this.#deps = deps
    this.#clock = clock
  }

  /** [R13] The start waits for its delay, or comes into line. */
  delay(row: LineRow, from: number, now: number): void {
    const { delay } = blockOf(row)
    const until = delay === undefined ? now : "at" in delay ? delay.at : from + delay.ms
    if (until <= now) return this.enter(row, now)
    this.#deps.store.update(row, { state: STATE.delayed, filed: null, due: until })
    this.#clock.want(until)
  }

  /** The start comes into line. */
  enter(row: LineRow, now: number): void {
    const entered = this.#deps.store.update(row, {
      state: STATE.inLine,
      ready: now,
      filed: row.body.paused ? PAUSED : NEW,
      due: this.lookAt({ ...row, ready: now }, now),
    })
    if (entered.due !== null) this.#clock.want(entered.due)
    this.#supersede(entered, now)
  }

  /** [R7, R8] */
  #supersede(row: LineRow, now: number): void {
    const { concurrency } = blockOf(row)
    if (concurrency?.overlap !== "supersede") return
    const { store } = this.#deps
    const key = keyName(concurrency)
    const mayCancel = (other: LineRow): boolean =>
      other.flow === row.flow || (concurrency.named === true && blockOf(other).concurrency?.named === true)
    const found = supersedes(concurrency.limit, {
      waiting: store.waiting(key).filter(({ run }) => run !== row.run),
      holding: store.holding(key).filter(({ body }) => body.superseded === undefined),
      mayCancel,
    })
    if (found.length === 0) return
    for (const older of found) {
      if (older.state === STATE.begun) store.update(older, { due: now, body: { ...older.body, superseded: row.run } })
      else store.update(older, { state: STATE.ending, filed: null, due: now, body: { ...older.body, end: { superseded: row.run } } })
    }
    this.#clock.want(now)
    this.#deps.sayLater(found.map(({ run }) => run))
  }

  /** When a start in line is looked at: a child that may be in a ring before it expires; null: never. */
  lookAt(row: LineRow, now: number): number | null {
    const expires = expiryOf(row)
    if (row.body.kind !== "child" || !blockOf(row).concurrency) return expires
    return Math.min(lookAgain(row.ready ?? now, now), expires ?? Number.POSITIVE_INFINITY)
  }
}
