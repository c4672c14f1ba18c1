// Laws: all that must hold of a service, while it is played and when it has come to rest.

import type { Story } from "../people/story.ts"
import type { Asked } from "../platform/network.ts"
import type { HostedObject } from "../platform/objects.ts"
import type { Service } from "../platform/service.ts"
import type { Coming } from "../platform/timeline.ts"
import type { Models } from "../world/models.ts"
import { Alarms } from "./alarms.ts"
import { restOf } from "./at-rest.ts"
import { Departures } from "./departures.ts"
import { Fires } from "./fires.ts"
import { Journals } from "./journals.ts"
import { HeldKeys } from "./held-keys.ts"
import { Lives } from "./lives.ts"
import { Orphans } from "./orphans.ts"
import { Plans } from "./plans.ts"
import { Recalls } from "./recalls.ts"
import { Rest } from "./rest.ts"
import { Spins } from "./spins.ts"

export class Laws {
  readonly journals: Journals
  readonly #departures: Departures
  readonly #alarms: Alarms
  readonly #orphans: Orphans
  readonly #plans: Plans
  readonly #fires: Fires
  readonly #recalls: Recalls
  readonly #lives = new Lives()
  readonly #spins: Spins

  /** `runs`: how many people start. */
  constructor(service: Service, runs: number) {
    this.#spins = new Spins((fault) => service.found(fault), runs)
    this.#departures = new Departures((fault) => service.found(fault))
    this.journals = new Journals(service, this.#lives, [this.#departures.heard, new HeldKeys(service).heard])
    this.#orphans = new Orphans(service, this.journals)
    this.#fires = new Fires(service)
    this.#recalls = new Recalls(service)
    this.#plans = new Plans(service.blobs)
    this.#alarms = new Alarms(service, this.journals)
  }

  /** An event is about to happen. Throws when nothing more is to be played. */
  happens(event: Coming): void {
    this.#spins.happens(event)
  }

  /** What an object wrote has become durable. */
  committed(object: HostedObject): void {
    if (object.kind === "TenantObject") {
      this.#lives.look(object)
      this.#fires.look(object)
    }
    if (object.kind === "RunObject") {
      this.journals.committed(object)
      this.#orphans.look(object)
    }
    this.#alarms.look(object)
  }

  /** After an event, with the objects that wrote: one that was aborted in it has its durable rows alone. */
  wrote(objects: readonly HostedObject[]): void {
    for (const object of objects) if (!object.isLive) this.#alarms.look(object)
  }

  /** A statement of an object writes a table. */
  wroteTable(object: HostedObject, table: string): void {
    if (object.kind === "TenantObject") this.#recalls.wrote(object, table)
  }

  /** An object has an answer. */
  answers(object: HostedObject, room: string): void {
    if (object.kind === "TenantObject") this.#recalls.answers(object, room)
  }

  /** A provider's host was asked, and has put the newest call into its books. */
  asked(models: Models, before: number): void {
    for (const { model, name } of models.calls.slice(before)) this.#departures.model(model, name)
  }

  /** A tool's host is asked. */
  called(asked: Asked): void {
    this.#departures.tool(asked)
  }

  atRest(story: Story): Promise<string[]> {
    return restOf(new Rest(story, this.journals, this.#plans))
  }
}
