// A tenant's webhooks in, as its object answers for them: the hooks, what was delivered to each, and the open door [W1–W3].

import type { HookSettings } from "../../../core/webhook/hook.ts"
import type { Delivered, DeliveryRow, HookRow, HooksPort, Taken } from "../../../ports/hooks.ts"
import type { AccountStore } from "../account-store.ts"
import type { Deliveries } from "./deliveries.ts"
import type { DeliveryStore } from "./delivery-store.ts"
import type { HookStore } from "./hook-store.ts"
import type { SecretStore } from "../keys/secret-store.ts"

export interface HookDeps {
  readonly hooks: HookStore
  readonly deliveryRows: DeliveryStore
  readonly deliveries: Deliveries
  readonly secrets: SecretStore
  readonly account: AccountStore
}

export class HookRpc {
  readonly #deps: HookDeps

  constructor(deps: HookDeps) {
    this.#deps = deps
  }

  create(settings: HookSettings, act?: string): HookRow | "too_many" {
    return this.#deps.hooks.create(settings, act)
  }

  list(): HookRow[] {
    return this.#deps.hooks.list()
  }

  find(id: string): HookRow | undefined {
    return this.#deps.hooks.find(id)
  }

  replace(id: string, settings: HookSettings): HookRow | undefined {
    return this.#deps.hooks.replace(id, settings)
  }

  remove(id: string): boolean {
    return this.#deps.hooks.remove(id)
  }

  deliveries(...[hook, query]: Parameters<HooksPort["deliveries"]>): Awaited<ReturnType<HooksPort["deliveries"]>> {
    return this.find(hook) && this.#deps.deliveryRows.list(hook, query)
  }

  delivery(hook: string, id: string): DeliveryRow | undefined {
    return this.#deps.deliveryRows.find(hook, id)
  }

  async redeliver(id: string, delivery: string, act?: string): ReturnType<HooksPort["redeliver"]> {
    const hook = this.find(id)
    return hook ? this.#deps.deliveries.redeliver(hook, delivery, act) : "not_found"
  }

  /** For the open door alone: the secret's values never leave the Worker. A hook that is switched off, or whose tenant is going, is there
   *  for nobody outside. */
  async open(id: string): Promise<{ readonly hook: HookRow; readonly secrets: readonly string[] } | undefined> {
    const hook = this.find(id)
    if (!hook?.enabled || this.#deps.account.leaving() !== undefined) return undefined
    const secrets = await this.#deps.secrets.all(hook.secret).catch(() => [])
    return { hook, secrets }
  }

  refuse(hook: string, verdict: "rejected" | "malformed", reason: string): void {
    if (this.find(hook)) this.#deps.deliveries.refuse(hook, verdict, reason)
  }

  take(id: string, delivered: Delivered): Taken | undefined {
    const hook = this.find(id)
    return hook && this.#deps.deliveries.take(hook, delivered)
  }

  /** [W3] When a delivery promises this run, what can be done to begin it is done then. */
  async begin(run: string): Promise<void> {
    if (this.#deps.account.leaving() === undefined) await this.#deps.deliveries.begin(run)
  }
}
