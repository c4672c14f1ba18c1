// Counts events: a service that asks again and again without a pause may come to rest by luck, and is a finding all the same. It ends the seed.

import type { Coming } from "../platform/timeline.ts"

/** A seed of normal size has 8,000 events, and at most some 24,000. */
const MOST_EVENTS = 100_000
/** Runs of a seed of normal size. */
const NORMAL_RUNS = 12
/** Of one place between two moments of virtual time; the busiest of three measured seeds had 489. A question that is asked without a pause has 15,000. */
const MOST_OF_ONE = 5_000
const BETWEEN_MS = 60_000

/** Nothing more is played. */
export class Endless extends Error {}

export class Spins {
  readonly #found: (what: string) => void
  readonly #times: number
  #count = 0
  /** Since the last of these moments: events by place. */
  #slot = 0
  readonly #ofOne = new Map<string, number>()

  /** `runs`: how many people start in this seed. */
  constructor(found: (what: string) => void, runs: number) {
    this.#found = found
    this.#times = Math.max(1, runs / NORMAL_RUNS)
  }

  /** An event is about to happen. Throws if there were too many. */
  happens({ at, place, label }: Coming): void {
    if (++this.#count > MOST_EVENTS * this.#times) this.#end(`the seed spins: more than ${MOST_EVENTS * this.#times} events`, label)
    if (!place) return
    const slot = Math.floor(at / BETWEEN_MS)
    if (slot !== this.#slot) this.#ofOne.clear()
    this.#slot = slot
    const count = (this.#ofOne.get(place.label) ?? 0) + 1
    this.#ofOne.set(place.label, count)
    const most = MOST_OF_ONE * this.#times
    if (count > most) this.#end(`${place.label} spins: more than ${most} events within ${BETWEEN_MS / 1000} s`, label)
  }

  #end(what: string, last: string): never {
    this.#found(`${what}, the last one ${last}`)
    throw new Endless(what)
  }
}
