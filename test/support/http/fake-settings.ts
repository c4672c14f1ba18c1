// A tenant's settings in memory. Kinds of references and of plans are where the fakes of those ports look for them.

import { COLLECTIONS, SETTINGS } from "../../../src/api/settings.ts"
import type { JsonObject } from "../../../src/core/json.ts"
import { DEFAULT_POLICY, type Policy } from "../../../src/core/tool/policy/policy.ts"
import type { ProviderSettings } from "../../../src/ports/tenant/providers.ts"
import type { PaceNow } from "../../../src/ports/tenant/pacing.ts"
import type { CollectionName, Item, SettingName, SettingsPort, SettingValue } from "../../../src/ports/tenant/settings.ts"

type Lists = { readonly [Name in CollectionName]: Map<string, Item<Name>> }

export class FakeSettings implements SettingsPort {
  readonly stored = new Map<SettingName, SettingValue<SettingName>>()
  readonly byName = new Map<string, ProviderSettings>()
  standing: readonly PaceNow[] = []
  policy_: Policy = DEFAULT_POLICY
  readonly #lists: Lists

  constructor(lists: Lists) {
    this.#lists = lists
  }
  async get<Name extends SettingName>(name: Name) {
    return (this.stored.get(name) ?? SETTINGS[name].otherwise) as SettingValue<Name>
  }
  async put<Name extends SettingName>(name: Name, value: SettingValue<Name>) {
    this.stored.set(name, value)
  }
  async items<Name extends CollectionName>(list: Name) {
    return [...this.#lists[list].values()] as readonly Item<Name>[]
  }
  async putItem<Name extends CollectionName>(list: Name, item: Item<Name>) {
    const items = this.#lists[list] as Map<string, Item<Name>>
    const known = items.has(item.name)
    if (!known && items.size >= COLLECTIONS[list].most) return "full" as const
    items.set(item.name, item)
    return known ? ("replaced" as const) : ("created" as const)
  }
  async removeItem(list: CollectionName, name: string) {
    return this.#lists[list].delete(name)
  }
  async providers() {
    const rows = [...this.byName].map(([name, { apiKey, ...rest }]): [string, JsonObject] => [
      name,
      { ...JSON.parse(JSON.stringify(rest)), apiKey: apiKey !== undefined },
    ])
    return Object.fromEntries(rows)
  }
  async putProvider(name: string, settings: ProviderSettings) {
    this.byName.set(name, settings)
  }
  async removeProvider(name: string) {
    return this.byName.delete(name)
  }
  async paced(name: string) {
    const settings = this.byName.get(name)
    return { ...(settings ? { settings } : {}), answers: {}, bound: [] }
  }
  async pacingNow() {
    return this.standing
  }
  async provider(name: string) {
    return this.byName.get(name)
  }
  async policy() {
    return this.policy_
  }
  async putPolicy(policy: Policy) {
    this.policy_ = policy
  }
  async rules() {
    return { policy: this.policy_, scopes: [], version: 1 }
  }
}
