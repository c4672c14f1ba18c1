// Says what a time of a row means: a window or a delay is over, a start expires [R13], a child is looked at for a ring [R14], a word is due again.

import { windowEnd } from "../../../core/start/window.ts"
import { waitWords } from "../../../core/start/start-wait.ts"
import type { UnbegunEnd } from "../../../ports/tenant/line.ts"
import { beginsAfter, UNSTORED_MS } from "./arrivals.ts"
import type { LineClock } from "./line-clock.ts"
import type { LineEntries } from "./line-entries.ts"
import { AGAIN_MS } from "./line-looks.ts"
import { expiryOf, STATE, type LineRow, type LineStore } from "./line-store.ts"
import { askedWait } from "./line-wait.ts"
import type { Rings } from "./rings.ts"

interface TimeDeps {
  readonly store: LineStore
  readonly isOwed: (run: string) => boolean
  readonly later: (work: Promise<unknown>) => void
  /** Tells the objects of these runs what has become of them. */
  readonly sayLater: (runs: readonly string[]) => void
  /** Nobody needs the row any more. */
  readonly remove: (row: LineRow) => void
}

export class LineTimes {
  readonly #deps: TimeDeps
  readonly #clock: LineClock
  readonly #entries: LineEntries
  readonly #rings: Rings

  constructor(
    deps: TimeDeps,
    { clock, entries, rings }: { readonly clock: LineClock; readonly entries: LineEntries; readonly rings: Rings },
  ) {
    this.#deps = deps
    this.#clock = clock
    this.#entries = entries
    this.#rings = rings
  }

  /** A time of the row has come. */
  come(row: LineRow, now: number): void {
    const { store, isOwed } = this.#deps
    switch (row.state) {
      case STATE.delayed:
        return this.#entries.enter(row, now)
      case STATE.inLine:
        if (now >= (expiryOf(row) ?? Number.POSITIVE_INFINITY)) return this.#expire(row, now)
        store.update(row, { due: this.#entries.lookAt(row, now) })
        if (isHeldChild(row)) this.ringLater(row.run)
        return
      case STATE.window: {
        const { window } = row.body
        const ends = window === undefined ? now : beginsAfter(window)
        if (window === undefined || ends <= now)
          return window ? this.#entries.delay(row, windowEnd(window), now) : this.#entries.enter(row, now)
        store.update(row, { due: ends })
        return this.#clock.want(ends)
      }
      case STATE.over:
        return this.#deps.remove(row)
      case STATE.given:
        if (row.body.arrived < now - 10 * UNSTORED_MS && !isOwed(row.run)) return store.remove(row.run)
        store.update(row, { due: now + UNSTORED_MS })
        return
      default:
        store.update(row, { due: now + AGAIN_MS })
    }
  }

  /** [R13] */
  #expire(row: LineRow, now: number): void {
    const { store } = this.#deps
    const what = waitWords(askedWait(store, row))
    const waited = Math.round((now - (row.ready ?? now)) / 1_000)
    this.end(row, { expired: `the start waited in line for ${waited} s, the longest that its block allows: for ${what}` }, now)
  }

  end(row: LineRow, end: UnbegunEnd, now: number): void {
    this.#deps.store.update(row, { state: STATE.ending, filed: null, due: now + AGAIN_MS, body: { ...row.body, end } })
  }

  /** [R14] A child that waits for a key may wait for ever. */
  ringLater(run: string): void {
    this.#deps.later(this.#ring(run).catch(() => undefined))
  }

  /** [R14] A child that can never begin ends. */
  async #ring(run: string): Promise<void> {
    const ring = await this.#rings.find(run)
    const row = this.#deps.store.find(run)
    // It may have begun while the families were asked.
    if (ring === undefined || !row || !isHeldChild(row)) return
    this.end(row, { ring }, this.#clock.now())
    this.#deps.sayLater([run])
  }
}

export const isHeldChild = ({ state, body, filed }: LineRow): boolean =>
  state === STATE.inLine && body.kind === "child" && filed?.startsWith("c") === true
