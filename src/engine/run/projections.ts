// Caches projections of a run's journal, advanced to a reader's place. A projection depends on all earlier events, so a reader that
// reconnects would need the journal from its first event. So projections at a few places are cached, and the nearest one is advanced. The
// cache is only in memory; after an eviction a projection starts from the first event again.

import type { SpokenPiece } from "../../core/run/protocol/sent-text.ts"
import type { RunEvent } from "../../core/run/event.ts"
import type { PiFlowsFrame } from "../../core/run/views/pi-flows.ts"

export interface Projection {
  frames(e: RunEvent): PiFlowsFrame[]
  /** What a piece of a text that is being written shows; absent: readers get whole texts only. */
  said?(piece: SpokenPiece): PiFlowsFrame[]
  /** An independent copy of the current state. */
  copy(): Projection
}

export interface ProjectionSource {
  read(after: number, limit: number): RunEvent[]
}

const AT_ONCE = 500
const MAX_PLACES = 8 // limit: remembered places of a format → the oldest is forgotten
/** Distance between cached places when many events are read, in events. */
const APART = 2_000

export class Projections {
  readonly #source: ProjectionSource
  readonly #cached = new Map<string, Map<number, Projection>>()

  constructor(source: ProjectionSource) {
    this.#source = source
  }

  /** A projection that has read all events up to `after`. It belongs to the caller. */
  at(format: string, after: number, fresh: () => Projection): Projection {
    const places = this.#cached.get(format) ?? new Map<number, Projection>()
    this.#cached.set(format, places)
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
    // If the journal ends before `after`, its end is the place.
    if (at > nearest) this.keep(format, at, projection)
    return projection
  }

  /** Caches a projection for a reader that is likely to continue at this place. */
  keep(format: string, at: number, projection: Projection): void {
    const places = this.#cached.get(format) ?? new Map<number, Projection>()
    this.#cached.set(format, places)
    places.delete(at)
    places.set(at, projection.copy())
    // Drops the oldest place.
    const [first] = places.keys()
    if (places.size > MAX_PLACES && first !== undefined) places.delete(first)
  }

  /** Call when the journal was deleted or replaced. */
  forget(): void {
    this.#cached.clear()
  }
}
