// Looks for rings of keys [R14] when a child comes into line, and again while it waits: it asks the runs that hold keys how they stand.

import { findRing, type KeyWait, type HolderStanding } from "../../../core/start/ring.ts"
import { concurrencyThing } from "../../../core/start/line-things.ts"
import { atOnce } from "../../../engine/at-once.ts"
import { blockOf, STATE, type LineStore } from "./line-store.ts"

/** Times that one search asks runs; beyond, the child waits on and is looked at again. */
const ROUNDS = 12
/** How soon a waiting child is looked at again: as late as it has waited already, within these. */
const LEAST_MS = 1_000
const MOST_MS = 600_000

export interface RingDeps {
  readonly store: LineStore
  /** null: no such run is at work. */
  readonly standing: (run: string) => Promise<HolderStanding | null>
}

/** When to look at a child again that came into line at `ready`. */
export const lookAgain = (ready: number, now: number): number => now + Math.min(Math.max(now - ready, LEAST_MS), MOST_MS)

export class Rings {
  readonly #deps: RingDeps

  constructor(deps: RingDeps) {
    this.#deps = deps
  }

  /** Why the child can never begin. What the line says is of the moment of the answer. */
  async find(run: string): Promise<string | undefined> {
    const { store, standing } = this.#deps
    const known = new Map<string, HolderStanding | null>()
    for (let round = 0; round < ROUNDS; round++) {
      const above = store.find(run)?.body.above ?? []
      const found = findRing(run, above, { waits: (of) => this.#waits(of), standing: (of) => known.get(of) })
      if (found === undefined) return undefined
      if ("ring" in found) return found.ring
      const said = await atOnce(found.ask, (of) => standing(of))
      for (const [i, of] of found.ask.entries()) known.set(of, said[i] ?? null)
    }
    return undefined
  }

  #waits(run: string): KeyWait | "other" | undefined {
    const { store } = this.#deps
    const row = store.find(run)
    if (!row || row.state > STATE.inLine) return undefined
    const { concurrency } = blockOf(row)
    if (row.state !== STATE.inLine || !concurrency || row.filed !== concurrencyThing(concurrency)) return "other"
    const holders = store.holding(row.held_key ?? "", concurrency.limit).map((holder) => holder.run)
    return { pool: concurrency.pool, key: concurrency.key, holders }
  }
}
