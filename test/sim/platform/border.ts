// Border: what crosses it is scheduled by the seed and by nothing else. Holds what all parts of the simulated platform share.

import type { Dice } from "./dice.ts"
import type { Fault, Faults } from "./faults.ts"
import type { Place } from "./place.ts"
import type { Coming, Timeline } from "./timeline.ts"

/** Typical milliseconds of one way. */
const WAY_MS = 2
/** When a simulation begins: 2026-01-05, a Monday. */
const EPOCH_MS = Date.UTC(2026, 0, 5, 9)
const SLOW_MS = 8_000
const STUCK_MS = 90_000

export class Border {
  readonly timeline: Timeline
  readonly dice: Dice
  readonly faults: Faults
  /** Milliseconds that all clocks are ahead of the timeline. */
  step = 0
  /** Objects that wrote something which is not durable. */
  readonly touched = new Set<{ settle(): void }>()

  constructor(timeline: Timeline, dice: Dice, faults: Faults) {
    this.timeline = timeline
    this.dice = dice
    this.faults = faults
  }

  /** The service's clock (ms since 1970). */
  wall(): number {
    return Math.floor(EPOCH_MS + this.timeline.now + this.step)
  }

  /** What the code that runs now reads. */
  clock(): number {
    return this.wall() + (this.timeline.here?.machine.skew ?? 0)
  }

  /** Whose code runs. Throws in the world's own code. */
  get here(): Place {
    const { here } = this.timeline
    if (!here) throw new Error("no code of the service runs now")
    return here
  }

  /** How long a message takes. Exponential, so that two of them come in any order. */
  way(kind: string, mean = WAY_MS): number {
    if (this.faults.of("stuck message")) return STUCK_MS * (1 + this.dice.roll("stuck"))
    if (this.faults.of("slow message")) return SLOW_MS * this.dice.roll("slow")
    return -Math.log(1 - this.dice.roll(kind)) * mean
  }

  at(delay: number, place: Place | undefined, label: string, happen: () => void | Promise<void>): Coming {
    return this.timeline.in(delay, place, label, happen)
  }

  /** Asks the world, and gives its answer to whoever asked. `perform` runs at one moment, in the world. */
  ask<T>(kind: string, what: string, perform: () => T | Promise<T>, fails: (fault: Fault) => Error = lost): Promise<T> {
    const place = this.here
    const label = `${place.label} → ${kind} ${what}`
    return new Promise<T>((resolve, reject) => {
      const answer = (settle: () => void): void => void this.at(this.way(kind), place, `${label}: answer`, settle)
      place.leave(() => {
        this.at(this.way(kind), undefined, label, async () => {
          if (this.faults.of("lost call")) return answer(() => reject(fails("lost call")))
          try {
            const value = await perform()
            if (this.faults.of("lost answer")) answer(() => reject(fails("lost answer")))
            else answer(() => resolve(value))
          } catch (e) {
            answer(() => reject(e))
          }
        })
      })
    })
  }

  /** Work of this place that takes its time, such as a digest: only its end is an event. */
  compute<T>(kind: string, work: () => T | Promise<T>): Promise<T> {
    const { here } = this.timeline
    const value = begun(work)
    return new Promise<T>((resolve, reject) => {
      this.timeline.in(this.dice.roll(kind) * 0.2, here, kind, async () => {
        const done = await value
        if (done.ok) resolve(done.value)
        else reject(done.why)
      })
    })
  }
}

type Done<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: unknown }

async function begun<T>(work: () => T | Promise<T>): Promise<Done<T>> {
  try {
    return { ok: true, value: await work() }
  } catch (why) {
    return { ok: false, why }
  }
}

/** What a caller hears of a connection that is gone. The platform says that it may ask again. */
export const lost = (): Error => Object.assign(new Error("Network connection lost."), { retryable: true })
