// Caches answers of tenants' objects in the isolate briefly. A call to the tenant's object was the largest cost of a model turn
// (bench/README.md: 30 % of a run's CPU), and every request would need one for its key [H1]. A change made elsewhere takes effect once the
// answer is too old; a change made in this isolate at once, because it calls `forget`.

/** The maximum age of most answers: a revoked key or a new secret takes effect within 5 s [S18]. */
export const MOMENT_MS = 5_000 // limit: milliseconds that a key, a rule or a secret is remembered → it is asked for again

interface Recent<Value> {
  readonly at: number
  readonly value: Value
}

interface Asked<Value> {
  readonly now: () => number
  /** Gets the cached value, which may be too old. */
  readonly ask: (before?: Value) => Promise<Value>
  /** Is the cached value good enough, apart from its age? */
  readonly isGood?: (value: Value, now: number) => boolean
  /** Is the new value worth caching? */
  readonly keeps?: (value: Value) => boolean
}

export class RecentAnswers<Value> {
  readonly #ms: number
  readonly #max: number
  readonly #recent = new Map<string, Recent<Value>>()
  #forgotten = 0
  /** When a value was last forgotten, under any key. */
  #forgottenAt = Number.NEGATIVE_INFINITY
  /** The latest time that anybody has said. */
  #latest = Number.NEGATIVE_INFINITY

  /** `max`: entries. A full cache is emptied. */
  constructor(ms: number, max: number) {
    this.#ms = ms
    this.#max = max
  }

  async get(key: string, { now, ask, isGood = () => true, keeps = () => true }: Asked<Value>): Promise<Value> {
    // An answer is as old as its question: no one knows when in between it was read.
    const at = now()
    this.#see(at)
    const recent = this.#recent.get(key)
    if (recent && this.#isYoung(recent, at) && isGood(recent.value, at)) return recent.value
    const before = this.#forgotten
    // Only settled values are shared between requests: a promise of another request may never resolve here.
    const value = await ask(recent?.value)
    // A value that was changed while the object was asked must not come back.
    if (before !== this.#forgotten) return value
    if (keeps(value)) this.#keep(key, { at, value })
    else this.#recent.delete(key)
    return value
  }

  /** The cached value and when it was asked for, unless it is too old. */
  recent(key: string, now: number): Recent<Value> | undefined {
    this.#see(now)
    const recent = this.#recent.get(key)
    return recent && this.#isYoung(recent, now) ? recent : undefined
  }

  /** Caches an answer that another isolate asked for at `at`. It counts no longer than there, and not at all if a newer one or a change
   *  is known here. */
  take(key: string, { at, make }: { readonly at: number; readonly make: (before?: Value) => Value }, now: number): void {
    this.#see(now)
    const recent = this.#recent.get(key)
    if (!this.#isYoung({ at }, now) || at <= this.#forgottenAt || (recent && recent.at >= at)) return
    this.#keep(key, { at, value: make(recent?.value) })
  }

  /** `at`: now, or an earlier time that the change is known to have. */
  forget(isOld: (key: string, value: Value) => boolean, at: number = Date.now()): void {
    this.#forgotten++
    this.#forgottenAt = Math.max(this.#forgottenAt, at)
    for (const [key, { value }] of this.#recent) if (isOld(key, value)) this.#recent.delete(key)
  }

  /** When the clock is set back, the times of all answers come again, and say no age any more. */
  #see(now: number): void {
    if (now < this.#latest) this.#recent.clear()
    this.#latest = now
  }

  /** An answer of the future is of no known age: the clock was set back. */
  #isYoung({ at }: Pick<Recent<Value>, "at">, now: number): boolean {
    return now >= at && now - at < this.#ms
  }

  #keep(key: string, recent: Recent<Value>): void {
    if (this.#recent.size >= this.#max) this.#recent.clear()
    this.#recent.set(key, recent)
  }

  /** All cached values, including those that are too old. */
  values(): Value[] {
    return [...this.#recent.values()].map(({ value }) => value)
  }
}
