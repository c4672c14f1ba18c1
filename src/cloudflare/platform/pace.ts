// Pace: spreads a number of starts per minute evenly [N4]. It is not a limit: it only computes how long the next start waits, so that the starts
// of a minute do not all happen in its first seconds. A short burst passes immediately.

const MINUTE_MS = 60_000
/** The size of a burst that passes immediately: one second of the pace, but at least ten. */
const AHEAD_MS = 1_000
const LEAST_AHEAD = 10

export class Pace {
  /** When the next one would be due if there were no bursts. */
  #due = 0

  /** How long the next one must wait (ms); 0: it may go now. `perMinute` > 0. */
  wait(perMinute: number, now: number): number {
    const gap = MINUTE_MS / perMinute
    return Math.max(0, Math.ceil(Math.max(this.#due, now) - now - ahead(gap)))
  }

  /** Counts one that goes now, or that will certainly go after its wait. */
  take(perMinute: number, now: number): void {
    this.#due = Math.max(this.#due, now) + MINUTE_MS / perMinute
  }
}

// `- gap`: the one that `wait` is called for counts as part of the burst.
const ahead = (gap: number): number => Math.max(AHEAD_MS, LEAST_AHEAD * gap) - gap
