// What a revision's files set [F79]: hooks, schedules, policy, roles, budget and gate change in the transaction that writes the revision, so the
// file and what it sets are never apart. A setting that a file owns is changed through the file alone.

import type { ConfigChange } from "../../../engine/catalog/config/config-change.ts"
import type { ConfigValue } from "../../../engine/catalog/config/config-value.ts"
import { DEFAULT_POLICY } from "../../../core/policy/policy.ts"
import type { ConfigKind } from "../../../ports/tenant/catalog.ts"
import { MOST_HOOKS } from "../../../ports/tenant/hooks.ts"
import { MOST_SCHEDULES } from "../../../ports/tenant/schedules.ts"
import { clock } from "../../platform/clock.ts"
import type { TenantStores } from "../tenant-stores.ts"

type Stores = Pick<TenantStores, "sql" | "hooks" | "scheduleRows" | "policies" | "settings" | "leases" | "names">

/** Refuses what there is no room for; the answer does the rest, inside the transaction. `want`: rings the alarm. */
export const configuring =
  (stores: Stores, want: (at: number) => void) =>
  (changes: readonly ConfigChange[]): (() => void) => {
    const { hooks, scheduleRows } = stores
    room("hook", changes, hooks.list(), MOST_HOOKS)
    room("schedule", changes, scheduleRows.list(), MOST_SCHEDULES)
    return () => {
      for (const { kind, id, value } of changes)
        if (value === null) clear(stores, kind, id)
        else set(stores, id, value, want)
    }
  }

function set(
  { hooks, scheduleRows, policies, settings, leases, names }: Stores,
  id: string,
  config: ConfigValue,
  want: (at: number) => void,
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

/** Without its file, a hook or schedule is gone, and a setting has its default. */
function clear({ hooks, scheduleRows, policies, settings, leases, names }: Stores, kind: ConfigKind, id: string): void {
  if (kind === "hook") hooks.remove(names.known("hook", id) ?? "")
  else if (kind === "schedule") scheduleRows.remove(names.known("schedule", id) ?? "")
  else if (id === "policy") policies.put(DEFAULT_POLICY)
  else if (id === "budget") leases.put({})
  else if (id === "roles" || id === "gate") settings.put(id, {})
}

function room(
  kind: "hook" | "schedule",
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
