// [F23d] No child works on when its parent has ended and owes it nothing any more: whoever finds that nobody waits for it has been told.

import type { HostedObject } from "../platform/objects.ts"
import type { Service } from "../platform/service.ts"
import type { Journal, Journals } from "./journals.ts"

/** A parent that owes something looks again sooner. Clocks of machines differ. */
const OWES_MS = 30_000

export class Orphans {
  readonly #service: Service
  readonly #journals: Journals
  readonly #said = new Set<string>()

  constructor(service: Service, journals: Journals) {
    this.#service = service
    this.#journals = journals
  }

  /** Something of this run has become durable. */
  look({ name }: HostedObject): void {
    const [tenant = "", run = ""] = name.split("/")
    const child = this.#journals.of(tenant, run)
    const above = child?.standing.started?.parent?.run
    const parent = above === undefined ? undefined : this.#journals.of(tenant, above)
    if (!child || !parent || this.#said.has(run) || !this.#isLeft(child, parent)) return
    this.#said.add(run)
    this.#service.found(`[F23d] ${run} works although its parent ${parent.run} has ended, and nobody is going to tell it`)
  }

  /** The parent's alarm is that of its retention. */
  #isLeft(child: Journal, { tenant, run, standing, isLeaving }: Journal): boolean {
    if (child.standing.isOver || child.isLeaving || !standing.isOver || isLeaving) return false
    const { runs, border } = this.#service
    const object = runs.objects.get(`${tenant}/${run}`)
    return (object?.storage.durableAlarm ?? 0) > border.wall() + OWES_MS + 600_000
  }
}
