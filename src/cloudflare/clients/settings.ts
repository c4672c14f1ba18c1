// Serves a tenant's settings. A change made here clears this isolate's cached settings at once.

import { withOverrides } from "../../engine/with-overrides.ts"
import type { SettingsPort } from "../../ports/tenant/settings.ts"
import type { TenantNamespace } from "../platform/stubs.ts"
import { portOf } from "../platform/port-of.ts"
import { forgetProvider } from "./cache/provider-cache.ts"
import { forgetRules } from "./cache/rules-cache.ts"

export function settingsPort(env: TenantNamespace, tenant: string): SettingsPort {
  const room = portOf(env, tenant, "settings")
  return withOverrides(room, {
    putProvider: (name, settings) => room.putProvider(name, settings).finally(() => forgetProvider(tenant, name)),
    removeProvider: (name) => room.removeProvider(name).finally(() => forgetProvider(tenant, name)),
    async putPolicy(policy) {
      await room.putPolicy(policy)
      forgetRules(tenant)
    },
  } satisfies Partial<SettingsPort>)
}
