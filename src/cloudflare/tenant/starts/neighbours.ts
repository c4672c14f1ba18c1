// Which tenants are at work in this isolate [N4]. It has one thread for all its objects: those of every tenant where one process serves
// them all, as local development does, and now and then those of several on the platform.

/** So long a tenant counts as at work after its last start or word of a run. */
const SEEN_MS = 5_000
const MOST = 1_000

export class Neighbours {
  readonly #seen = new Map<string, number>()

  /** I am at work; is anybody else? */
  meet(tenant: string, now: number): boolean {
    this.#seen.delete(tenant)
    if (this.#seen.size >= MOST) this.#seen.clear()
    this.#seen.set(tenant, now)
    // The oldest stand first: what is past goes as it is met.
    for (const [other, at] of this.#seen) {
      if (at > now - SEEN_MS) return other !== tenant
      this.#seen.delete(other)
    }
    return false
  }
}

/** The isolate's. */
export const neighbours = new Neighbours()
