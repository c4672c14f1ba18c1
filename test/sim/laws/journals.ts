// Journals: follows the journal of each run as it becomes durable, and checks the new events. What was durable never changes, and goes only by a
// deletion.

import type { RunEvent } from "../../../src/core/run/event.ts"
import type { HostedObject } from "../platform/objects.ts"
import type { Service } from "../platform/service.ts"
import { Approvals } from "./approvals.ts"
import { Announced } from "./announced.ts"
import { Attempts } from "./attempts.ts"
import { Budgets } from "./budgets.ts"
import { Chain } from "./chain.ts"
import { Ends } from "./ends.ts"
import type { EventLaw, MakeLaw, Owner } from "./event-law.ts"
import { Passes } from "./passes.ts"
import { PinLaw } from "./pins.ts"
import { Standing } from "./standing.ts"
import { lastOf, rowsAfter, type StoredRow } from "./stored-journal.ts"

const LAWS: readonly MakeLaw[] = [
  () => new Chain(),
  () => new Ends(),
  () => new Attempts(),
  () => new Passes(),
  () => new Approvals(),
  () => new Budgets(),
  () => new Announced(),
  (owner) => new PinLaw(owner),
]

/** By how much the clocks of two machines may differ. */
const CLOCKS_MS = 4_000

/** Hears each event that has become durable. */
type Listener = (event: RunEvent, journal: Journal) => void

export class Journal {
  readonly tenant: string
  readonly run: string
  readonly events: RunEvent[] = []
  readonly texts: string[] = []
  readonly standing = new Standing()
  readonly #laws: readonly EventLaw[]
  /** It is marked as being deleted. */
  isLeaving = false
  /** Its rows are gone. */
  isGone = false

  constructor(owner: Owner) {
    this.tenant = owner.tenant
    this.run = owner.run
    this.#laws = [...LAWS.map((make) => make(owner)), this.standing]
  }

  take(row: StoredRow, say: (fault: string) => void, heard: readonly Listener[]): void {
    for (const { event, text } of row.events) {
      for (const law of this.#laws) law.take(event, (fault) => say(`${this.run} event ${event.seq} ${event.type}: ${fault}`), row)
      this.events.push(event)
      this.texts.push(text)
      for (const hear of heard) hear(event, this)
    }
  }
}

export class Journals {
  readonly #service: Service
  readonly #heard: readonly Listener[]
  /** Object → its journal; one whose rows are gone stays until another begins. */
  readonly #of = new Map<string, Journal>()
  /** Journals that are gone. */
  readonly former: Journal[] = []

  constructor(service: Service, heard: readonly Listener[] = []) {
    this.#service = service
    this.#heard = heard
  }

  /** undefined: no run has ever become durable here. */
  of(tenant: string, run: string): Journal | undefined {
    const journal = this.#of.get(`${tenant}/${run}`)
    return journal?.isGone === false ? journal : undefined
  }

  /** Those of a tenant that are there. */
  all(tenant: string): Journal[] {
    return [...this.#of.values()].filter((it) => it.tenant === tenant && !it.isGone)
  }

  committed({ name, storage }: HostedObject): void {
    const service = this.#service
    const say = (fault: string): void => service.found(fault)
    const last = lastOf(storage)
    let journal = this.#of.get(name)
    const known = journal?.isGone === false ? journal.events.length : 0
    if (journal && last < known) {
      journal.isGone = true
      this.former.push(journal)
      if (!journal.isLeaving && !this.#mayGo(journal))
        say(`[J14] ${journal.run}: its journal of ${known} events is gone, and nobody has deleted it`)
    }
    if (last > 0 && (!journal || journal.isGone)) {
      const at = name.indexOf("/")
      journal = new Journal({ service, tenant: name.slice(0, at), run: name.slice(at + 1) })
      this.#of.set(name, journal)
    }
    if (!journal || journal.isGone) return
    if (last > journal.events.length) {
      const rows = rowsAfter(storage, journal.events.length)
      for (const row of rows) journal.take(row, say, this.#heard)
      // A long decision has several rows.
      const newest = rows.at(-1)
      if (newest && newest.cuts.at(-1) !== newest.last)
        say(`${journal.run}: [J15] event ${newest.last} became durable before its decision had ended`)
    }
    journal.isLeaving ||= storage.kv.get("leaving") !== undefined
  }

  /** Without the mark of a deletion: its retention is over, or its tenant is gone. */
  #mayGo({ tenant, standing }: Journal): boolean {
    const { ended, started } = standing
    const isOld = ended !== undefined && this.#service.border.wall() - ended.at > 3_600_000
    const object = this.#service.tenants.objects.get(tenant)
    const isThere = object?.storage.tables().includes("setting") === true
    const [row] = isThere ? object.storage.rows<{ body: string }>("SELECT body FROM setting WHERE name = 'tenant'") : []
    const isLeaving = isThere && object.storage.rows("SELECT 1 FROM setting WHERE name = 'leaving'").length > 0
    // Another tenant of the name may have begun since.
    const since = row && ((JSON.parse(row.body) as { readonly created?: number }).created ?? 0)
    return isOld || isLeaving || since === undefined || (started?.at ?? 0) < since + CLOCKS_MS
  }
}
