// [R6, R20] No more runs hold a key than each of them allows: told from journals as they become durable, without any clock. A run holds its key
// from its beginning until it and every run below it have ended, or are deleted.

import type { RunEvent } from "../../../src/core/run/event.ts"
import type { Service } from "../platform/service.ts"
import type { Journal } from "./journals.ts"

interface Holder {
  readonly journal: Journal
  readonly limit: number
}

export class HeldKeys {
  readonly #service: Service
  /** Tenant, life, pool and key → who began with it. */
  readonly #holders = new Map<string, Holder[]>()
  /** Tenant and run → its children. */
  readonly #children = new Map<string, Journal[]>()
  readonly #parents = new Map<string, string>()

  constructor(service: Service) {
    this.#service = service
  }

  readonly heard = (event: RunEvent, journal: Journal): void => {
    if (event.type !== "run.started") return
    const { tenant, run } = journal
    if (event.parent !== undefined) {
      const above = `${tenant}/${event.parent.run}`
      this.#children.set(above, [...(this.#children.get(above) ?? []), journal])
      this.#parents.set(`${tenant}/${run}`, above)
    }
    const { concurrency, began } = event.start ?? {}
    if (concurrency === undefined || began === undefined || journal.isStray) return
    const name = JSON.stringify([tenant, journal.life, concurrency.pool, concurrency.key])
    const before = (this.#holders.get(name) ?? []).filter((holder) => this.#holds(holder.journal))
    // [R14] A child whose key a run above it holds takes no place.
    if (before.some((holder) => this.#isBelow(`${tenant}/${run}`, `${tenant}/${holder.journal.run}`))) return
    const now = [...before, { journal, limit: concurrency.limit }]
    this.#holders.set(name, now)
    if (now.some(({ limit }) => now.length > limit))
      this.#service.found(
        `[R6] ${tenant}: the key ${concurrency.key} of ${concurrency.pool} is held by ${now.map((one) => `${one.journal.run} (limit ${one.limit})`).join(", ")}`,
      )
  }

  #holds({ tenant, run, standing, isGone, isLeaving }: Journal): boolean {
    if (isGone || isLeaving) return false
    return !standing.isOver || (this.#children.get(`${tenant}/${run}`) ?? []).some((child) => this.#holds(child))
  }

  #isBelow(run: string, above: string): boolean {
    const parent = this.#parents.get(run)
    return parent !== undefined && (parent === above || this.#isBelow(parent, above))
  }
}
