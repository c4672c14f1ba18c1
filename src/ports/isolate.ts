// Holds the in-memory state between requests, one object per isolate. Modules have no state of their own, so that a host can simulate many
// isolates in one process. Values that depend on their key alone (a parsed text by its hash, a format by its name) may stay in their
// module, because sharing them has no effect.

export class Isolate {
  readonly #kept = new Map<() => unknown, unknown>()

  keep<T>(make: () => T): T {
    if (!this.#kept.has(make)) this.#kept.set(make, make())
    return this.#kept.get(make) as T
  }
}

const own = new Isolate()
let current = (): Isolate => own

/** Simulates several isolates, for tests only. `find`: the isolate whose code is running. Returns how to go back. */
export const playIsolates = (find: () => Isolate): (() => void) => {
  const before = current
  current = find
  return () => void (current = before)
}

/** A value that each isolate creates at first use. */
export const perIsolate =
  <T>(make: () => T): (() => T) =>
  () =>
    current().keep(make)
