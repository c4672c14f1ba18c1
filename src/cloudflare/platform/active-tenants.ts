// Tracks which tenants are active in this isolate [N4]. An isolate has one thread for all its objects. In local development these are the
// objects of every tenant; on the platform an isolate sometimes has objects of several tenants.

import { perIsolate } from "../../ports/isolate.ts"

/** How long a tenant counts as active after its last start or the last report of a run. */
const SEEN_MS = 5_000
const MAX_TENANTS = 1_000 // limit: tenants that count as active → the oldest is forgotten

export class ActiveTenants {
  readonly #seen = new Map<string, number>()

  /** Records that this tenant is active. true: another tenant is active too. */
  meet(tenant: string, now: number): boolean {
    this.#seen.delete(tenant)
    if (this.#seen.size >= MAX_TENANTS) this.#seen.clear()
    this.#seen.set(tenant, now)
    // The oldest entries come first, and this loop removes the expired ones.
    for (const [other, at] of this.#seen) {
      if (at > now - SEEN_MS) return other !== tenant
      this.#seen.delete(other)
    }
    return false
  }
}

/** One instance per isolate. */
export const neighbours = perIsolate(() => new ActiveTenants())
