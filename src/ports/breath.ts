// Shares the thread between pieces of long work [N4]. One thread serves all tenants of an isolate, and local workerd polls its sockets only
// when the thread is idle. So long computations run in pieces of a few milliseconds, and after SLICE_MS of computing, by one task or
// several, the next piece waits until the others had a turn. Computing time is counted for the whole isolate: forty deliveries of 10 ms
// each block the thread as long as one of 400 ms. On the platform the clock stands still while code computes, so work is counted as well.
// Like the timers, it is a port with an implementation, because tools, engine, models and HTTP share it.

import type { Pieces } from "../core/pieces.ts"
import { pause } from "./timers.ts"

const SLICE_MS = 10
/** Characters that are searched, or steps of a match: about SLICE_MS of them. */
const SLICE_WORK = 1_000_000
/** The others get half as long as was computed, within these. */
const REST_MS = { least: 5, most: 25 }

/** A timer is late, and how often a beginning waits for one that is not: others may be the ones who compute. */
const LATE_MS = 15
const MOST_LATE = 40
/** After this long without a piece, no one waits for what was computed before. */
const FORGET_MS = 100

/** Bodies that are stored at once: an isolate has 6 connections. */
const STORED_AT_ONCE = 6

/** Work per character of a parsed and checked text: about 100 such characters take as long as searching 20,000. */
export const PARSED = 200

let computed = 0
let counted = 0
let latest = 0
/** When the present rest ends; undefined: no work rests. */
let over: number | undefined

export class Breath {
  readonly #signal: AbortSignal | undefined
  #since = Date.now()
  #wasLast = false

  constructor(signal?: AbortSignal) {
    this.#signal = signal
  }

  /** Computes this piece when it has its turn. Throws when the work was stopped meanwhile. */
  async compute<T>(work: number, piece: () => T): Promise<T> {
    // Looked at again in the moment of computing: of many that wake together, one goes on.
    while (isDue()) await this.#rest()
    const from = Date.now()
    try {
      return piece()
    } finally {
      this.#count(Date.now() - from, work)
    }
  }

  /** All pieces of a longer work, each in its turn. */
  async through<T>(pieces: Pieces<T>): Promise<T> {
    for (let work = 0; ;) {
      const step = await this.compute(work, () => pieces.next())
      if (step.done === true) return step.value
      work = step.value
    }
  }

  /**
   * Stores many things, a few at once, and the others have their turn between: local workerd stores on this thread, and looks at its sockets
   * only when nothing is being stored.
   */
  async each<T>(items: readonly T[], store: (item: T) => Promise<unknown>): Promise<void> {
    for (let i = 0; i < items.length; i += STORED_AT_ONCE) {
      const some = items.slice(i, i + STORED_AT_ONCE)
      await this.compute((SLICE_WORK * some.length) / STORED_AT_ONCE, () => undefined)
      await Promise.all(some.map(store))
    }
  }

  /** Between two pieces, where everything since the last call, or since this was made, is a piece. Throws when the work was stopped. */
  async take(work: number): Promise<void> {
    this.#count(Math.min(Date.now() - this.#since, 2 * REST_MS.most), work)
    while (isDue()) await this.#rest()
    this.#since = Date.now()
  }

  /**
   * Before work begins elsewhere that this isolate will compute too, such as a child run in an object of its own: no more than two of these at a
   * time, and not while what was begun before still keeps the thread busy. A timer that comes late says so.
   */
  async begin(): Promise<void> {
    for (let tries = 0; isDue(); tries++) await this.#rest(tries < MOST_LATE)
    this.#count(0, SLICE_WORK / 2)
  }

  #count(ms: number, work: number): void {
    computed += Math.max(0, ms)
    counted += work
    latest = Date.now()
    this.#wasLast = true
  }

  async #rest(isCalm = false): Promise<void> {
    const now = Date.now()
    // A clock that was put back makes the end of the rest far: a minute for all work of the isolate.
    if (over !== undefined && over - now > REST_MS.most) over = undefined
    over ??= now + Math.min(Math.max(REST_MS.least, Math.ceil(computed / 2)), REST_MS.most)
    // Whoever computed last comes after those who wait already.
    const wait = Math.max(over - now, 0) + (this.#wasLast ? 1 : 0)
    this.#wasLast = false
    await pause(wait)
    this.#signal?.throwIfAborted()
    if (isCalm && Date.now() - now - wait > LATE_MS) {
      over = undefined
      return
    }
    if (over === undefined || Date.now() < over) return
    over = undefined
    forget()
  }
}

function isDue(): boolean {
  // In such a pause the others had their turn.
  if (over === undefined && Math.abs(Date.now() - latest) > FORGET_MS) forget()
  return computed >= SLICE_MS || counted >= SLICE_WORK
}

function forget(): void {
  computed = 0
  counted = 0
}
