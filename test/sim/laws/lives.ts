// Lives: how many tenants of each name have begun, as the rows of its object say: one begins with the first rows after there were none. A tenant that
// is founded again before anybody was told of it has another time of creation, and is the same one.

import type { HostedObject } from "../platform/objects.ts"
import { hasTable } from "./stored-journal.ts"

interface Life {
  readonly nth: number
  /** Its rows are there. */
  readonly isOn: boolean
}

export class Lives {
  readonly #of = new Map<string, Life>()

  /** What a tenant's object wrote has become durable. */
  look({ name, storage }: HostedObject): void {
    const isOn = hasTable(storage, "setting") && storage.rows("SELECT 1 FROM setting WHERE name = 'tenant'").length > 0
    const before = this.#of.get(name) ?? { nth: -1, isOn: false }
    if (isOn !== before.isOn) this.#of.set(name, { nth: before.nth + (isOn ? 1 : 0), isOn })
  }

  /** The newest tenant of this name: so many were there before it. */
  of(tenant: string): number {
    return Math.max(0, this.#of.get(tenant)?.nth ?? 0)
  }
}
