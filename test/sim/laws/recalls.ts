// [F71] What starts are judged by: when a tenant's object has written such a table, no answer of it leaves while a desk may still start runs by what
// was there before. Whoever was answered relies on it.

import type { HostedObject } from "../platform/objects.ts"
import type { Service } from "../platform/service.ts"
import { hasTable } from "./stored-journal.ts"

/** Tables that starts of runs are judged by, from outside: [F71] names what they are made of. */
const GROUND: ReadonlySet<string> = new Set(
  `api_key callback change day_limit file hook mcp_connection mcp_server meta policy provider revision secret setting stored_setting tool`.split(
    " ",
  ),
)
const LEASED = "SELECT n, epoch, lease, until FROM desk WHERE until > ? AND recalled < lease"

interface Lease {
  readonly n: number
  readonly epoch: string
  readonly lease: number
  readonly until: number
}

interface Stale extends Lease {
  /** What was written while it was out, and by which life of the tenant's object. */
  readonly table: string
  readonly life: object | undefined
}

export class Recalls {
  readonly #service: Service
  /** Leases from before a write that no answer has followed yet, by tenant. */
  readonly #stale = new Map<string, Stale[]>()

  constructor(service: Service) {
    this.#service = service
  }

  /** A statement of it writes this table. */
  wrote(object: HostedObject, table: string): void {
    if (!GROUND.has(table) || !hasTable(object.storage, "desk")) return
    const leased = this.#leased(object).map((it): Stale => ({ ...it, table, life: object.instance }))
    if (leased.length > 0) this.#stale.set(object.name, [...(this.#stale.get(object.name) ?? []), ...leased])
  }

  /** It has an answer. What died before it answered is not relied on. */
  answers(object: HostedObject, room: string): void {
    const stale = this.#stale.get(object.name)
    if (!stale || room.startsWith("desks.")) return
    this.#stale.delete(object.name)
    const leased = hasTable(object.storage, "desk") ? this.#leased(object) : []
    for (const { n, epoch, lease, table, life } of stale)
      if (life === object.instance && leased.some((it) => it.n === n && it.epoch === epoch && it.lease === lease))
        this.#service.found(
          `[F71] ${object.label} answers ${room} after a write of ${table}, and desk ${n} still starts runs by what was before`,
        )
  }

  /** Which are out now, by the clock of the object. */
  #leased({ storage, machine }: HostedObject): Lease[] {
    return storage.rows<Lease>(LEASED, this.#service.border.wall() + (machine?.skew ?? 0))
  }
}
