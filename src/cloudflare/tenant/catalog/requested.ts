// Says what requests have set of what a file may set [F79], so that a plan warns before a file replaces it.

import { SETTING_FILES, type SettingFile } from "../../../core/flow/catalog-kinds.ts"
import { canonical } from "../../../core/json.ts"
import { DEFAULT_POLICY } from "../../../core/tool/policy/policy.ts"
import { DEFAULT_RETENTION_MS } from "../../../ports/tenant/tenants.ts"
import type { TenantStores } from "../tenant-stores.ts"

type Stores = Pick<TenantStores, "sql" | "account" | "providers" | "policies" | "settings" | "leases">

/** The setting now, and as it is if nobody has set it. */
const SETTINGS: { readonly [Name in SettingFile]: (stores: Stores) => readonly [now: unknown, otherwise: unknown] } = {
  policy: ({ policies }) => [policies.policy(), DEFAULT_POLICY],
  roles: ({ settings }) => [settings.get("roles"), {}],
  budget: ({ leases }) => [leases.setting(), {}],
  gate: ({ settings }) => [settings.get("gate"), {}],
  prices: ({ settings }) => [settings.get("prices"), {}],
  cors: ({ account }) => [account.origins(), []],
  retention: ({ account }) => [account.retention(), DEFAULT_RETENTION_MS],
  scoring: ({ settings }) => [settings.get("scoring"), {}],
  telemetry: ({ settings }) => [settings.get("telemetry"), {}],
  pacing: ({ settings }) => [settings.get("pacing"), {}],
}

export function requested(stores: Stores, kind: "provider" | "setting", id: string): unknown {
  if (stores.sql.pathOf(kind, id) !== undefined) return undefined
  if (kind === "provider") {
    const { apiKey: _has, ...provider } = stores.providers.list()[id] ?? {}
    return Object.keys(provider).length === 0 ? undefined : provider
  }
  const name = SETTING_FILES.find((one) => one === id)
  if (name === undefined) return undefined
  const [now, otherwise] = SETTINGS[name](stores)
  return canonical(now) === canonical(otherwise) ? undefined : now
}
