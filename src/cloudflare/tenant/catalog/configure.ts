// Applies a revision's settings [F79]: hooks, schedules, callbacks, tools, policy, roles, budget and gate change in the transaction that
// writes the revision, so the file and its setting never differ. A setting that a file owns changes only through the file.

import { defined } from "../../../core/defined.ts"
import type { Act } from "../../../engine/catalog/catalog-entry.ts"
import type { ConfigChange } from "../../../engine/catalog/config/config-change.ts"
import type { ConfigValue } from "../../../engine/catalog/config/config-value.ts"
import { DEFAULT_POLICY } from "../../../core/policy/policy.ts"
import type { ConfigKind } from "../../../ports/tenant/catalog.ts"
import { MOST_CALLBACKS } from "../../../ports/tenant/callbacks.ts"
import { MOST_HOOKS } from "../../../ports/tenant/hooks.ts"
import { MOST_SCHEDULES } from "../../../ports/tenant/schedules.ts"
import { clock } from "../../platform/clock.ts"
import type { TenantStores } from "../tenant-stores.ts"
import { configuringTools } from "./configure-tools.ts"

type Stores = Pick<
  TenantStores,
  "sql" | "hooks" | "scheduleRows" | "callbacks" | "tools" | "connections" | "policies" | "settings" | "leases" | "names"
>

/** Refuses what there is no room for; the answer does the rest, inside the transaction. `want`: rings the alarm. */
export const configuring =
  (stores: Stores, want: (at: number) => void, look: (server: string, approve: boolean) => void) =>
  async (changes: readonly ConfigChange[], { address }: Pick<Act, "address">): Promise<() => void> => {
    const { hooks, scheduleRows, callbacks } = stores
    room("hook", changes, hooks.list(), MOST_HOOKS)
    room("schedule", changes, scheduleRows.list(), MOST_SCHEDULES)
    room("callback", changes, callbacks.list(), MOST_CALLBACKS)
    const setTools = await configuringTools(stores, changes, look)
    return () => {
      for (const { kind, id, value } of changes)
        if (value === null) clear(stores, kind, id)
        else set(stores, id, value, { want, address })
      setTools()
    }
  }

function set(
  { hooks, scheduleRows, callbacks, policies, settings, leases, names }: Stores,
  id: string,
  config: ConfigValue,
  { want, address }: { readonly want: (at: number) => void; readonly address: string | undefined },
): void {
  switch (config.kind) {
    case "hook":
      return hooks.place(
        names.idOf("hook", id, () => hooks.newId()),
        id,
        config.value,
      )
    case "schedule": {
      const next = scheduleRows.place(
        names.idOf("schedule", id, () => `sch_${clock.id()}`),
        id,
        config.value,
        clock.now(),
      )
      if (next !== null) want(next)
      return undefined
    }
    case "callback":
      return callbacks.place(
        names.idOf("callback", id, () => `cb_${clock.id()}`),
        id,
        { ...config.value, ...defined({ address }) },
        clock.now(),
      )
    case "tool":
      // With the tools of all files: two of them may trade one.
      return undefined
    case "policy":
      return policies.put(config.value)
    case "roles":
      return settings.put("roles", config.value)
    case "gate":
      return settings.put("gate", config.value)
    case "budget":
      return leases.put(config.value)
  }
}

/** Without its file, a hook, schedule, callback or tool is gone, and a setting has its default. */
function clear({ hooks, scheduleRows, callbacks, policies, settings, leases, names }: Stores, kind: ConfigKind, id: string): void {
  if (kind === "hook") hooks.remove(names.known("hook", id) ?? "")
  else if (kind === "schedule") scheduleRows.remove(names.known("schedule", id) ?? "")
  else if (kind === "callback") callbacks.remove(names.known("callback", id) ?? "")
  else if (kind === "tool") return
  else if (id === "policy") policies.put(DEFAULT_POLICY)
  else if (id === "budget") leases.put({})
  else if (id === "roles" || id === "gate") settings.put(id, {})
}

function room(
  kind: "hook" | "schedule" | "callback",
  changes: readonly ConfigChange[],
  rows: readonly { readonly name?: string }[],
  most: number,
): void {
  const there = new Set(rows.flatMap(({ name }) => name ?? []))
  let count = rows.length
  for (const change of changes) {
    if (change.kind !== kind || there.has(change.id) === (change.value !== null)) continue
    count += change.value === null ? -1 : 1
  }
  if (count <= most || count <= rows.length) return
  const error = new Error(
    `the tenant would have ${count} ${kind}s, and may have ${most}: remove those that are not used; nothing was written`,
  )
  error.name = "QuotaError"
  throw error
}

/** Throws if a file of the catalog owns it. */
export function unowned(sql: TenantStores["sql"], kind: ConfigKind, id: string | undefined): void {
  const path = id === undefined ? undefined : sql.pathOf(kind, id)
  if (path === undefined) return
  const error = new Error(`The file ${path} of the catalog sets this. Change the file and apply it, or delete the file.`)
  error.name = "OwnedError"
  throw error
}
