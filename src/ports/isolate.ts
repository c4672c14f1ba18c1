// Holds what code keeps in memory between requests: one object of it for each isolate. A module has no state of its own, so that a host that
// plays many isolates in one process gives each its own.
//
// What follows from its key alone (a parsed text by its hash, a format by its name) may stay in its module: nobody can tell whose it is.

export class Isolate {
  readonly #kept = new Map<() => unknown, unknown>()

  keep<T>(make: () => T): T {
    if (!this.#kept.has(make)) this.#kept.set(make, make())
    return this.#kept.get(make) as T
  }
}

const own = new Isolate()
let current = (): Isolate => own

/** `find`: the isolate whose code runs now. A Worker has one, and never calls this. */
export const playIsolates = (find: () => Isolate): void => {
  current = find
}

/** Made at its first use in each isolate. */
export const perIsolate =
  <T>(make: () => T): (() => T) =>
  () =>
    current().keep(make)
