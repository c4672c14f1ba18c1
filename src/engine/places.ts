// Limits the number or total weight of concurrent callers; the others wait in order.

interface Waiting {
  readonly weight: number
  readonly begin: () => void
}

export class Places {
  readonly #all: number
  #free: number
  readonly #queue: Waiting[] = []

  constructor(places: number) {
    this.#all = places
    this.#free = places
  }

  /** false: `signal` was aborted first. A caller that weighs more than there are places takes all of them. */
  async enter(signal?: AbortSignal | null, weight = 1): Promise<boolean> {
    if (signal?.aborted === true) return false
    const places = Math.min(weight, this.#all)
    if (this.#queue.length === 0 && this.#free >= places) {
      this.#free -= places
      return true
    }
    return new Promise<boolean>((done) => {
      const waiting: Waiting = {
        weight: places,
        begin: () => {
          signal?.removeEventListener("abort", leave)
          done(true)
        },
      }
      const leave = (): void => {
        this.#queue.splice(this.#queue.indexOf(waiting), 1)
        // The next one may weigh less.
        this.#admit()
        done(false)
      }
      this.#queue.push(waiting)
      signal?.addEventListener("abort", leave, { once: true })
    })
  }

  /** With the weight that the caller entered with. */
  leave(weight = 1): void {
    this.#free += Math.min(weight, this.#all)
    this.#admit()
  }

  #admit(): void {
    for (let next = this.#queue[0]; next && next.weight <= this.#free; next = this.#queue[0]) {
      this.#queue.shift()
      this.#free -= next.weight
      next.begin()
    }
  }
}
