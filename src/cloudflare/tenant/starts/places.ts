// Limits concurrent work. Callers beyond the limit wait, and are served in order.

export class Places {
  readonly #waiting: (() => void)[] = []
  #left: number

  constructor(most: number) {
    this.#left = most
  }

  /** Does the work once there is a place for it. */
  async within<T>(work: () => Promise<T>): Promise<T> {
    if (this.#left > 0) this.#left--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#left++
    }
  }
}
