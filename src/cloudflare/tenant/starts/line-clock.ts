// Tells the line's time, which never goes back [R19]: a line whose object wakes with an earlier clock goes on from its last row.

import type { LineStore } from "./line-store.ts"

export interface LineClockDeps {
  readonly store: Pick<LineStore, "last">
  /** Wakes the object at this time of its own clock. */
  readonly want: (at: number) => void
  readonly now: () => number
}

export class LineClock {
  readonly #deps: LineClockDeps
  /** What the line is ahead of the object's own clock, and the time that it last said. */
  #ahead = 0
  #last: number | undefined

  constructor(deps: LineClockDeps) {
    this.#deps = deps
  }

  now(): number {
    const real = this.#deps.now()
    this.#last ??= Math.floor(this.#deps.store.last() / 1_000)
    if (real + this.#ahead < this.#last) this.#ahead = this.#last - real
    return (this.#last = real + this.#ahead)
  }

  /** A time of the line, as the object's own clock has it. */
  real(at: number): number {
    this.now()
    return at - this.#ahead
  }

  /** A time of the object's own clock, as the line has it. */
  lines(at: number): number {
    return at + this.#ahead
  }

  want(at: number): void {
    this.#deps.want(this.real(at))
  }

  /** The tenant is deleted. */
  forget(): void {
    this.#last = undefined
    this.#ahead = 0
  }
}
