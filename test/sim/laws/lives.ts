// Lives: how many tenants of each name have begun, as the rows of its object say. No clock tells that: it may step back between two of them.

import type { HostedObject } from "../platform/objects.ts"
import { hasTable } from "./stored-journal.ts"

interface Begun {
  readonly created: unknown
  readonly nth: number
}

export class Lives {
  readonly #of = new Map<string, Begun>()

  /** What a tenant's object wrote has become durable. */
  look({ name, storage }: HostedObject): void {
    if (!hasTable(storage, "setting")) return
    const [row] = storage.rows<{ body: string }>("SELECT body FROM setting WHERE name = 'tenant'")
    if (!row) return
    const { created } = JSON.parse(row.body) as { readonly created?: unknown }
    const before = this.#of.get(name)
    if (before?.created !== created) this.#of.set(name, { created, nth: (before?.nth ?? -1) + 1 })
  }

  /** The newest tenant of this name: so many were there before it. */
  of(tenant: string): number {
    return this.#of.get(tenant)?.nth ?? 0
  }
}
