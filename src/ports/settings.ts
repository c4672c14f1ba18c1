// What a tenant sets for its runs: providers, roles and prices of models, and the policy. Each write replaces the whole of its kind.

import type { JsonObject } from "../core/json.ts"
import type { Policy, Rules } from "../core/policy/policy.ts"
import type { PriceTable } from "./catalog.ts"
import type { ProviderSettings } from "./model.ts"

export interface SettingsPort {
  /** Keys are write-only: each provider says `apiKey: true|false` instead. */
  providers(): Promise<Readonly<Record<string, JsonObject>>>
  putProvider(name: string, settings: ProviderSettings): Promise<void>
  removeProvider(name: string): Promise<boolean>
  /** With its key: for the run object only. The answer never leaves the Worker. */
  provider(name: string): Promise<ProviderSettings | undefined>
  roles(): Promise<Readonly<Record<string, string>>>
  putRoles(roles: Readonly<Record<string, string>>): Promise<void>
  prices(): Promise<PriceTable>
  putPrices(prices: PriceTable): Promise<void>
  policy(): Promise<Policy>
  putPolicy(policy: Policy): Promise<void>
  /** What a run judges by [G1]: the policy, and the scopes that hold a secret. */
  rules(): Promise<Rules>
}
