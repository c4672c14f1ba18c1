// Alarms: the law of the alarm [J12], from outside. Whenever rows of an object have become durable, and when it has lost its memory, its durable
// alarm is not later than what it owes by its rows. It may die at that moment, and nothing but the alarm would wake it.

import type { HostedObject } from "../platform/objects.ts"
import type { Service } from "../platform/service.ts"
import type { Journals } from "./journals.ts"
import { owedByRun, type Owed } from "./run-alarm.ts"
import { owedByTenant } from "./tenant-alarm.ts"

/** A far alarm is not moved for less. Clocks of machines are wrong by up to 2 s: an object that moves from one that is ahead to one that is behind
 *  finds that the platform rings by so much too early, and sets its next alarm later. */
const SLACK_MS = 1_000 + 4_000

export class Alarms {
  readonly #service: Service
  readonly #journals: Journals
  /** By how much the clocks were put back in all: an alarm that was set before is so much later. */
  #back = 0
  #step = 0

  constructor(service: Service, journals: Journals) {
    this.#service = service
    this.#journals = journals
  }

  look(object: HostedObject): void {
    const { border } = this.#service
    if (border.step < this.#step) this.#back += this.#step - border.step
    this.#step = border.step
    const { durableAlarm: alarm } = object.storage
    for (const [what, at] of this.#owed(object)) {
      if (alarm !== null && alarm <= at + SLACK_MS + this.#back) continue
      const rings = alarm === null ? "no alarm is set" : `the alarm rings ${Math.round((alarm - at) / 1000)} s too late`
      this.#service.found(`[J12] ${object.label}: ${rings} for ${what}`)
    }
  }

  #owed(object: HostedObject): Iterable<Owed> {
    const { kind, name, storage } = object
    if (kind === "RunObject") {
      const [tenant = "", run = ""] = name.split("/")
      return owedByRun(object, this.#journals.of(tenant, run), this.#service, this.#journals)
    }
    if (kind === "TenantObject" && name.includes("/desk-")) {
      if (storage.tables().length > 0) this.#service.found(`[F71] ${object.label} stores ${storage.tables().join()}`)
      return []
    }
    return kind === "TenantObject" ? owedByTenant(object, this.#service.border.wall()) : []
  }
}
