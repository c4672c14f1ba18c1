// Invocation: counts the calls of this invocation of an object [J16]. The platform limits them (on the free plan 50 to the Internet and
// 1,000 to its own services), but a run may take thousands of steps without any event from outside, and a catalog's bundle has thousands of
// bodies. So before the limit the object sets its alarm: each event that reaches the object begins a new invocation.

import { Waiters } from "./waiters.ts"

interface Ringing {
  want(at: number): void
}

/** Effects, and bodies that are read and stored, between two renewals. An effect asks other objects and stores once or twice, the start
 *  of a child five times. */
// Limit: effects of a run, and bodies that an object stores, after which its alarm rings → an event begins the counts of the platform
// anew.
const MAX_TAKEN = 80
/** An alarm may be late: bodies wait no longer for it. */
const TURN_MS = 1_000 // limit: milliseconds that bodies wait for that alarm → they are stored

export class Invocation {
  readonly #alarm: Ringing
  #taken = 0
  /** Ends when the alarm has rung. It gets its turn only when nothing else is ready, so bodies wait for it. */
  #turn: Promise<void> | undefined
  readonly #bodies = new Waiters()

  constructor(alarm: Ringing) {
    this.#alarm = alarm
  }

  /** An effect leaves the object. */
  took(): void {
    if (++this.#taken === MAX_TAKEN) this.spent()
  }

  /** Before each read and write of a body. A command may write a thousand files, and a catalog has five thousand. */
  body(): Promise<void> | undefined {
    this.took()
    return this.#turn
  }

  spent(): void {
    this.#alarm.want(Date.now())
    this.#turn ??= this.#bodies.wait(TURN_MS)
  }

  /** The alarm rings. */
  renew(): void {
    this.#taken = 0
    this.#bodies.wake()
    this.#turn = undefined
  }
}
