// Implements a bounded map that drops the least recently used entry. It caches immutable values, so dropping an entry is always safe.

/** Bounded by the sum of the weights; by default each value weighs 1. A value heavier than `each` is never stored. */
export class Lru<V> {
  readonly #limit: number
  readonly #each: number
  readonly #weigh: (value: V) => number
  readonly #kept = new Map<string, V>()
  #weight = 0

  constructor(limit: number, weigh: (value: V) => number = () => 1, each: number = limit) {
    this.#limit = limit
    this.#weigh = weigh
    this.#each = each
  }

  get(key: string): V | undefined {
    const value = this.#kept.get(key)
    if (value === undefined) return undefined
    // A Map iterates in insertion order, so inserting the entry again makes it the newest.
    this.#kept.delete(key)
    this.#kept.set(key, value)
    return value
  }

  set(key: string, value: V): void {
    this.delete(key)
    const weight = this.#weigh(value)
    if (weight > this.#each) return
    this.#kept.set(key, value)
    this.#weight += weight
    for (const oldest of this.#kept.keys()) {
      if (this.#weight <= this.#limit) break
      this.delete(oldest)
    }
  }

  delete(key: string): void {
    const value = this.#kept.get(key)
    if (value === undefined) return
    this.#kept.delete(key)
    this.#weight -= this.#weigh(value)
  }

  get size(): number {
    return this.#kept.size
  }
}
