// Pace: so many a minute, evenly. Not a limit of its own: it says how long the next one waits so that what a minute allows does not come
// in its first seconds [N4]. A short rush goes through at once.

const MINUTE_MS = 60_000
/** What may come at once: a second of the pace, ten at least. */
const AHEAD_MS = 1_000
const LEAST_AHEAD = 10

export class Pace {
  /** When the next one would be due, were each to wait for the one before it. */
  #due = 0

  /** How long the next one is to wait, ms; 0: it may go. `perMinute` > 0. */
  wait(perMinute: number, now: number): number {
    const gap = MINUTE_MS / perMinute
    return Math.max(0, Math.ceil(Math.max(this.#due, now) - now - ahead(gap)))
  }

  /** One goes, or is sure to go after its wait. */
  take(perMinute: number, now: number): void {
    this.#due = Math.max(this.#due, now) + MINUTE_MS / perMinute
  }
}

// The one that is asked about is itself among those that may come at once.
const ahead = (gap: number): number => Math.max(AHEAD_MS, LEAST_AHEAD * gap) - gap
