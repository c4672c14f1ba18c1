// Paces a tenant's starts: a tenant that is alone in its isolate may use its quota of starts per minute all at once. While other tenants
// are active, its starts are spread evenly over the minute: a start that comes too early waits, so a burst within the quota does not delay
// the runs of others [N4].

import { Pace } from "./pace.ts"

/** The longest that a start waits for its turn. A start that would wait longer is refused, with the time when to try again. */
const MAX_PACE_MS = 5_000 // limit: milliseconds that a start waits for its turn → 429 `quota`

export interface TurnsDeps {
  /** Records that this tenant is active. true: another tenant is active in this isolate. */
  meet(): boolean
  now(): number
  pause(ms: number): Promise<void>
}

export class Turns {
  readonly #deps: TurnsDeps
  readonly #pace = new Pace()

  constructor(deps: TurnsDeps) {
    this.#deps = deps
  }

  /** Resolves at the start's turn. A number: it would have to wait so many milliseconds, which is too long. */
  async next(perMinute: number): Promise<number | undefined> {
    const now = this.#deps.now()
    const wait = this.#deps.meet() ? this.#pace.wait(perMinute, now) : 0
    if (wait > MAX_PACE_MS) return wait
    this.#pace.take(perMinute, now)
    if (wait > 0) await this.#deps.pause(wait)
    return undefined
  }
}

export const tooSoon = (perMinute: number): string =>
  `this tenant may start ${perMinute} runs a minute, spread evenly while other tenants are active`
