// Looks up the buckets that calls of a model need.

import type { Gauge } from "./gauge.ts"

/** The buckets of each model, looked up once until one changes: hundreds of calls of a model wait for the same. */
export class Buckets {
  readonly #look: (model: string) => [string, Gauge][]
  readonly #known = new Map<string, [string, Gauge][]>()

  constructor(look: (model: string) => [string, Gauge][]) {
    this.#look = look
  }

  of(model: string): readonly [string, Gauge][] {
    const known = this.#known.get(model) ?? this.#look(model)
    this.#known.set(model, known)
    return known
  }

  changed(): void {
    this.#known.clear()
  }
}
