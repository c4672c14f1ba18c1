// The room for a tenant's settings. Writes are serialized, like those of the catalog.

import type { Answers } from "../../ports/objects.ts"
import type { SettingsPort } from "../../ports/settings.ts"
import type { TenantResources } from "./tenant-resources.ts"

export const settingsRoom = ({ providers, policies, inTurn }: TenantResources): Answers<SettingsPort> => ({
  providers: () => providers.list(),
  putProvider: (name, settings) => inTurn(() => providers.put(name, settings)),
  removeProvider: (name) => inTurn(async () => providers.remove(name)),
  provider: (name) => providers.open(name),
  roles: () => providers.roles(),
  putRoles: (roles) => inTurn(async () => providers.putRoles(roles)),
  prices: () => providers.prices(),
  putPrices: (prices) => inTurn(async () => providers.putPrices(prices)),
  policy: () => policies.policy(),
  putPolicy: (policy) => inTurn(async () => policies.put(policy)),
  rules: () => policies.rules(),
})
