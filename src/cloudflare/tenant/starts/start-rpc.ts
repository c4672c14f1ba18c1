// Starts of runs, as the tenant's object answers for them: what a run pins, with the rules and the money of the same turn, and the place
// that it takes [H6].

import { pricesOf } from "../../../core/money/prices.ts"
import type { Catalog } from "../../../engine/catalog/catalog.ts"
import type { PinTarget } from "../../../engine/catalog/pin.ts"
import type { PinOptions, PinResult } from "../../../ports/catalog.ts"
import type { LeaseStore } from "../lease-store.ts"
import type { PolicyStore } from "../policy-store.ts"
import type { ProviderStore } from "../provider-store.ts"
import type { StartGate } from "./start-gate.ts"
import type { StartQueue } from "./start-queue.ts"

export interface StartDeps {
  readonly catalog: Catalog
  readonly providers: ProviderStore
  readonly policies: PolicyStore
  readonly leases: LeaseStore
  readonly gate: StartGate
  readonly queue: StartQueue
}

export class StartRpc {
  readonly #deps: StartDeps

  constructor(deps: StartDeps) {
    this.#deps = deps
  }

  async pin(target: PinTarget, options: PinOptions): Promise<PinResult> {
    const { catalog, providers, policies, leases } = this.#deps
    const settings = providers.models()
    // Of the same turn as the catalog that it pins: a policy written before a start holds for it.
    const [rules, prices, daily] = [policies.rules(), providers.allPrices(), leases.limit()]
    const pinned = await catalog.pin(target, settings, options)
    if (!pinned.ok) return pinned
    const own = pricesOf(prices, Object.values(pinned.pins.models))
    const whole = { ...pinned, rules, money: { dollars: false, ...pinned.money, prices: own, daily } }
    // Last: what cannot start takes no place [H6].
    return options.start === undefined ? whole : this.#placed(whole, options.start)
  }

  async #placed(pinned: Extract<PinResult, { ok: true }>, { run, kind }: NonNullable<PinOptions["start"]>): Promise<PinResult> {
    const { gate, queue } = this.#deps
    const queues = kind === "webhook" || kind === "schedule"
    const place = queues && !queue.isEmpty() ? undefined : await gate.admit(run, kind)
    if (place?.ok) return { ...pinned, limits: place.limits }
    if (place?.full && !queues) return { ok: false, code: "storage_full", message: place.why }
    if (place && !queues) return { ok: false, code: "quota", message: place.why, retry: place.retry, limits: place.limits }
    queue.add(run)
    return { ...pinned, queue: true }
  }

  /** The place of a run that will not be. */
  giveBack(run: string): void {
    this.#deps.gate.giveBack(run)
    this.#deps.queue.remove(run)
  }
}
