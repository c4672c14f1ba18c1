// What a tenant has set for its runs, as its object answers for it: providers, roles and prices of models, the policy, and where its
// search provider and its cluster stand. Each write replaces the whole of its kind, one after another.

import type { JsonObject } from "../../core/json.ts"
import type { Policy, Rules } from "../../core/policy/policy.ts"
import type { InTurn } from "../../engine/in-turn.ts"
import type { PriceTable } from "../../ports/catalog.ts"
import type { ProviderSettings } from "../../ports/model.ts"
import type { Services } from "../../ports/services.ts"
import type { PolicyStore } from "./policy-store.ts"
import type { ProviderStore } from "./provider-store.ts"
import type { ServiceStore } from "./service-store.ts"

export interface SettingsDeps {
  readonly providers: ProviderStore
  readonly policies: PolicyStore
  readonly services: ServiceStore
  readonly inTurn: InTurn
}

export class SettingsRpc {
  readonly #providers: ProviderStore
  readonly #policies: PolicyStore
  readonly #services: ServiceStore
  readonly #inTurn: InTurn

  constructor({ providers, policies, services, inTurn }: SettingsDeps) {
    this.#providers = providers
    this.#policies = policies
    this.#services = services
    this.#inTurn = inTurn
  }

  providers(): Readonly<Record<string, JsonObject>> {
    return this.#providers.list()
  }

  putProvider(name: string, settings: ProviderSettings): Promise<void> {
    return this.#inTurn(() => this.#providers.put(name, settings))
  }

  removeProvider(name: string): Promise<boolean> {
    return this.#inTurn(async () => this.#providers.remove(name))
  }

  /** With its key: for the run object alone. */
  provider(name: string): Promise<ProviderSettings | undefined> {
    return this.#providers.open(name)
  }

  roles(): Readonly<Record<string, string>> {
    return this.#providers.roles()
  }

  putRoles(roles: Readonly<Record<string, string>>): Promise<void> {
    return this.#inTurn(async () => this.#providers.putRoles(roles))
  }

  prices(): PriceTable {
    return this.#providers.prices()
  }

  putPrices(prices: PriceTable): Promise<void> {
    return this.#inTurn(async () => this.#providers.putPrices(prices))
  }

  policy(): Policy {
    return this.#policies.policy()
  }

  putPolicy(policy: Policy): Promise<void> {
    return this.#inTurn(async () => this.#policies.put(policy))
  }

  rules(): Rules {
    return this.#policies.rules()
  }

  services(): Services {
    return this.#services.all()
  }

  putServices(services: Services): Promise<void> {
    return this.#inTurn(async () => this.#services.put(services))
  }
}
