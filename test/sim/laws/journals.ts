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
import { lifeOf } from "../people/life.ts"
import { Standing } from "./standing.ts"
import type { Lives } from "./lives.ts"
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

/** Hears each event that has become durable. */
type Listener = (event: RunEvent, journal: Journal) => void

export class Journal {
  readonly tenant: string
  readonly run: string
  /** The life of its tenant in which it became durable. */
  readonly life: number
  readonly events: RunEvent[] = []
  readonly texts: string[] = []
  readonly standing = new Standing()
  readonly #laws: readonly EventLaw[]
  /** It is marked as being deleted. */
  isLeaving = false
  /** Its rows are gone. */
  isGone = false
  /** Its start was on its way when it or its parent was deleted: it goes as soon as it hears of that, and need not be counted. */
  isStray = false

  constructor(owner: Owner, life: number) {
    this.life = life
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
  readonly #lives: Lives
  readonly #heard: readonly Listener[]
  /** Object → its journal; one whose rows are gone stays until another begins. */
  readonly #of = new Map<string, Journal>()
  /** Journals that are gone. */
  readonly former: Journal[] = []

  constructor(service: Service, lives: Lives, heard: readonly Listener[] = []) {
    this.#service = service
    this.#lives = lives
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
      if (!journal.isLeaving && !journal.isStray && !this.#mayGo(journal))
        say(`[J14] ${journal.run}: its journal of ${known} events is gone, and nobody has deleted it`)
    }
    if (last > 0 && (!journal || journal.isGone)) {
      const at = name.indexOf("/")
      const tenant = name.slice(0, at)
      const before = journal
      journal = new Journal({ service, tenant, run: name.slice(at + 1) }, this.#lives.of(tenant))
      journal.isStray = before?.isLeaving === true && before.life === journal.life
      this.#of.set(name, journal)
    }
    if (!journal || journal.isGone) return
    if (last > journal.events.length) {
      const rows = rowsAfter(storage, journal.events.length)
      for (const row of rows) journal.take(row, say, this.#heard)
      const parent = known === 0 ? journal.standing.started?.parent?.run : undefined
      const above = parent === undefined ? undefined : this.#of.get(`${journal.tenant}/${parent}`)
      journal.isStray ||= above?.isGone === true || above?.isLeaving === true
      // A long decision has several rows.
      const newest = rows.at(-1)
      if (newest && newest.cuts.at(-1) !== newest.last)
        say(`${journal.run}: [J15] event ${newest.last} became durable before its decision had ended`)
    }
    journal.isLeaving ||= storage.kv.get("leaving") !== undefined
  }

  /** Without the mark of a deletion: its retention is over, or its tenant is gone. */
  #mayGo({ tenant, life, standing }: Journal): boolean {
    const { ended, started } = standing
    if (ended !== undefined && this.#service.border.wall() - ended.at > 3_600_000) return true
    const storage = this.#service.tenants.objects.get(tenant)?.storage
    // A start of an earlier life may arrive in the next one.
    const isEarlier = Math.min(life, lifeOf(started?.task) ?? life) < this.#lives.of(tenant)
    if (isEarlier || storage?.tables().includes("setting") !== true) return true
    return storage.rows("SELECT 1 FROM setting WHERE name IN ('tenant', 'leaving')").length !== 1
  }
}
