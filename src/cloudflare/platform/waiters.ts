// Holds callers that wait for a change: all wake at the next change, or each at its timeout.

import { later } from "../../ports/timers.ts"

export class Waiters {
  readonly #all = new Set<() => void>()

  get size(): number {
    return this.#all.size
  }

  /** Resolves when `wake` is called, or after `ms`. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        cancel()
        this.#all.delete(done)
        resolve()
      }
      const cancel = later(done, ms)
      this.#all.add(done)
    })
  }

  wake(): void {
    for (const done of this.#all) done()
  }
}
