// Which tenants are at work in this isolate [N4]. An isolate has one thread for all its objects. In local development these are the objects
// of every tenant; on the platform an isolate sometimes has objects of several.

/** How long a tenant counts as at work after its last start or message of a run. */
const SEEN_MS = 5_000
const MOST = 1_000

export class Neighbours {
  readonly #seen = new Map<string, number>()

  /** This tenant is at work; true: another one is, too. */
  meet(tenant: string, now: number): boolean {
    this.#seen.delete(tenant)
    if (this.#seen.size >= MOST) this.#seen.clear()
    this.#seen.set(tenant, now)
    // The oldest come first; those that are past are removed on the way.
    for (const [other, at] of this.#seen) {
      if (at > now - SEEN_MS) return other !== tenant
      this.#seen.delete(other)
    }
    return false
  }
}

/** The isolate's. */
export const neighbours = new Neighbours()
