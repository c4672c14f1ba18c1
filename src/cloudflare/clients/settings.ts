// Serves a tenant's settings. A change made here clears this isolate's cached settings at once, and one that changes a model of a gated flow goes
// through the gate [V40].

import { withOverrides } from "../../engine/with-overrides.ts"
import type { HeldOr } from "../../engine/trial/gated-write.ts"
import type { WriteAs } from "../../ports/tenant/authoring/gate.ts"
import type { SettingsPort } from "../../ports/tenant/settings.ts"
import type { TenantNamespace } from "../platform/stubs.ts"
import { portOf } from "../platform/port-of.ts"
import { forgetProvider } from "./cache/provider-cache.ts"
import { forgetRules } from "./cache/rules-cache.ts"

/** `through`: a write through the gate. */
export function settingsPort(
  env: TenantNamespace,
  tenant: string,
  through: <T>(write: (as: WriteAs) => Promise<HeldOr<T>>) => Promise<T>,
): SettingsPort {
  const room = portOf(env, tenant, "settings")
  return withOverrides(room, {
    put: (name, value) => through<void>((as) => room.put(name, value, as)),
    putProvider: (name, settings) => room.putProvider(name, settings).finally(() => forgetProvider(tenant, name)),
    removeProvider: (name) => through<boolean>((as) => room.removeProvider(name, as)).finally(() => forgetProvider(tenant, name)),
    async putPolicy(policy) {
      await room.putPolicy(policy)
      forgetRules(tenant)
    },
  } satisfies Partial<SettingsPort>)
}
