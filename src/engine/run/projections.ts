// Projections of a run's journal, wound forward to a reader's place. Each remembers what it has seen, so a reader that comes back would
// have the journal read from its first event: what was wound before is kept, a few places of it, and gone on with from there. Memory
// only; an object that has slept winds once more.

import type { RunEvent } from "../../core/run/event.ts"
import type { Frame } from "../../core/run/views/pi-flows.ts"

export interface Projection {
  frames(e: RunEvent): Frame[]
  /** One of its own, as it is now. */
  copy(): Projection
}

export interface ProjectionSource {
  read(after: number, limit: number): RunEvent[]
}

const AT_ONCE = 500
/** Places that are kept for each format. */
const MOST = 8
/** On a long way, a place so often. */
const APART = 2_000

export class Projections {
  readonly #source: ProjectionSource
  readonly #kept = new Map<string, Map<number, Projection>>()

  constructor(source: ProjectionSource) {
    this.#source = source
  }

  /** As it is after this event; the caller's own. */
  at(format: string, after: number, fresh: () => Projection): Projection {
    const places = this.#kept.get(format) ?? new Map<number, Projection>()
    this.#kept.set(format, places)
    const nearest = Math.max(0, ...[...places.keys()].filter((at) => at <= after))
    const projection = places.get(nearest)?.copy() ?? fresh()
    let at = nearest
    for (let kept = nearest; at < after;) {
      const events = this.#source.read(at, Math.min(AT_ONCE, after - at))
      for (const e of events) projection.frames(e)
      const last = events.at(-1)
      if (!last) break
      at = last.seq
      if (at < after && at - kept >= APART) this.keep(format, (kept = at), projection)
    }
    // Where the journal ends before it, that is the place.
    if (at > nearest) this.keep(format, at, projection)
    return projection
  }

  /** A reader is likely to come back to here. */
  keep(format: string, at: number, projection: Projection): void {
    const places = this.#kept.get(format) ?? new Map<number, Projection>()
    this.#kept.set(format, places)
    places.delete(at)
    places.set(at, projection.copy())
    // The oldest goes.
    const [first] = places.keys()
    if (places.size > MOST && first !== undefined) places.delete(first)
  }

  /** There is no journal any more, or another. */
  forget(): void {
    this.#kept.clear()
  }
}
