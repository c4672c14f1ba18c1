// A tenant's settings for its runs: model providers, roles and prices, and the policy. Each write replaces the whole setting.

import type { JsonObject } from "../core/json.ts"
import type { Policy, Rules } from "../core/policy/policy.ts"
import type { PriceTable } from "./catalog.ts"
import type { ProviderSettings } from "./model.ts"

export interface SettingsPort {
  /** Keys are write-only: each provider shows `apiKey: true|false` instead. */
  providers(): Promise<Readonly<Record<string, JsonObject>>>
  putProvider(name: string, settings: ProviderSettings): Promise<void>
  removeProvider(name: string): Promise<boolean>
  /** Includes the key, for the run object only. The result never leaves the Worker. */
  provider(name: string): Promise<ProviderSettings | undefined>
  roles(): Promise<Readonly<Record<string, string>>>
  putRoles(roles: Readonly<Record<string, string>>): Promise<void>
  prices(): Promise<PriceTable>
  putPrices(prices: PriceTable): Promise<void>
  policy(): Promise<Policy>
  putPolicy(policy: Policy): Promise<void>
  /** The rules that a run applies [G1]: the policy, and the scopes that hold a secret. */
  rules(): Promise<Rules>
}
