// Defines a tenant's settings for its runs: those stored as sent (src/api/stored.ts), model providers, and the policy.

import type { CollectionName, Item, SettingName, SettingValue } from "../../api/settings.ts"
import type { JsonObject } from "../../core/json.ts"
import type { Policy, Rules } from "../../core/tool/policy/policy.ts"
import type { Held, WriteAs } from "./authoring/gate.ts"
import type { PacedSettings, PaceNow, Question } from "./pacing.ts"
import type { ProviderSettings } from "./providers.ts"

export type { CollectionName, Item, SettingName, SettingValue }

/** The addresses of a tenant's search provider and cluster [T22, T25]. Their keys are secrets, in the scope of the tool that uses them. */
export type Services = SettingValue<"services">
export type SearchService = NonNullable<Services["search"]>

export interface StoredSettings {
  get<Name extends SettingName>(name: Name): Promise<SettingValue<Name>>
  /** Replaces the whole setting. */
  put<Name extends SettingName>(name: Name, value: SettingValue<Name>): Promise<void>
  /** In the order of their names. */
  items<Name extends CollectionName>(list: Name): Promise<readonly Item<Name>[]>
  /** `full`: the collection already has as many items as it may. */
  putItem<Name extends CollectionName>(list: Name, item: Item<Name>): Promise<"created" | "replaced" | "full">
  /** Also deletes what belongs to the item. false: there is no such item. */
  removeItem(list: CollectionName, name: string): Promise<boolean>
}

export interface SettingsPort extends StoredSettings {
  /** Keys are write-only: each provider shows `apiKey: true|false` instead. */
  providers(): Promise<Readonly<Record<string, JsonObject>>>
  putProvider(name: string, settings: ProviderSettings): Promise<void>
  removeProvider(name: string): Promise<boolean>
  /** Includes the key, for the run object only. The result never leaves the Worker. */
  provider(name: string): Promise<ProviderSettings | undefined>
  /** [R28] The same, with the answers to what this isolate asks of the provider's models. */
  paced(name: string, questions: readonly Question[]): Promise<PacedSettings>
  /** [R31] How the tenant's models stand. */
  pacingNow(): Promise<readonly PaceNow[]>
  policy(): Promise<Policy>
  putPolicy(policy: Policy): Promise<void>
  /** The rules that a run applies [G1]: the policy, and the scopes that hold a secret. */
  rules(): Promise<Rules>
}

/** In the tenant's object. [V40] A write that changes a model of a gated flow is held. */
export interface SettingsRoom extends Omit<SettingsPort, "put" | "removeProvider"> {
  put<Name extends SettingName>(name: Name, value: SettingValue<Name>, as?: WriteAs): Promise<void | { readonly held: Held }>
  removeProvider(name: string, as?: WriteAs): Promise<boolean | { readonly held: Held }>
}
