// Applies a revision's settings [F79]: hooks, providers, tools, the policy and the others change in the transaction that
// writes the revision, so the file and its setting never differ. A setting that a file owns changes only through the file.

import { defined } from "../../../core/defined.ts"
import type { Act } from "../../../engine/catalog/catalog-entry.ts"
import type { ConfigChange } from "../../../engine/catalog/config/config-change.ts"
import { configName, type ConfigName, type ConfigOf, type ConfigValues } from "../../../engine/catalog/config/config-kinds.ts"
import { DEFAULT_POLICY } from "../../../core/tool/policy/policy.ts"
import type { ConfigKind } from "../../../ports/tenant/catalog.ts"
import { MOST_CALLBACKS } from "../../../ports/tenant/callbacks.ts"
import { MOST_HOOKS } from "../../../ports/tenant/hooks.ts"
import { MAX_DATASETS } from "../../../ports/tenant/quality/datasets.ts"
import { MOST_SCHEDULES } from "../../../ports/tenant/schedules.ts"
import { clock } from "../../platform/clock.ts"
import type { TenantStores } from "../tenant-stores.ts"
import { configuringTools } from "./configure-tools.ts"

type Stores = Pick<
  TenantStores,
  | "sql"
  | "account"
  | "sweeps"
  | "providers"
  | "datasets"
  | "hooks"
  | "scheduleRows"
  | "callbacks"
  | "tools"
  | "connections"
  | "policies"
  | "settings"
  | "leases"
  | "names"
>

/** The file whose value is written. */
interface Place {
  readonly name: string
  /** The id of the item that the file makes, which keeps the id when the name comes back. */
  idOf(fresh: () => string): string
  /** "": the file has made none. */
  known(): string
  /** Rings the alarm. */
  want(at: number): void
  readonly address: string | undefined
}

interface Writer<Value> {
  /** The items of which a tenant may have so many. */
  readonly items?: { readonly most: number; list(stores: Stores): readonly { readonly name?: string }[] }
  set(stores: Stores, value: Value, place: Place): void
  /** Without its file, an item is gone, and a setting has its default. */
  clear(stores: Stores, place: Place): void
}

const WRITERS: { readonly [Name in ConfigName]: Writer<ConfigValues[Name]> } = {
  dataset: {
    items: { most: MAX_DATASETS, list: ({ datasets }) => datasets.list() },
    set: ({ datasets }, dataset, { name }) => datasets.place(name, dataset),
    clear: ({ datasets }, { name }) => void datasets.remove(name),
  },
  hook: {
    items: { most: MOST_HOOKS, list: ({ hooks }) => hooks.list() },
    set: ({ hooks }, hook, { idOf, name }) =>
      hooks.place(
        idOf(() => hooks.newId()),
        name,
        hook,
      ),
    clear: ({ hooks }, { known }) => void hooks.remove(known()),
  },
  schedule: {
    items: { most: MOST_SCHEDULES, list: ({ scheduleRows }) => scheduleRows.list() },
    set({ scheduleRows }, schedule, { idOf, name, want }) {
      const id = idOf(() => `sch_${clock.id()}`)
      const next = scheduleRows.place(id, name, schedule, clock.now())
      if (next !== null) want(next)
    },
    clear: ({ scheduleRows }, { known }) => void scheduleRows.remove(known()),
  },
  callback: {
    items: { most: MOST_CALLBACKS, list: ({ callbacks }) => callbacks.list() },
    set({ callbacks }, callback, { idOf, name, address }) {
      const id = idOf(() => `cb_${clock.id()}`)
      callbacks.place(id, name, { ...callback, ...defined({ address }) }, clock.now())
    },
    clear: ({ callbacks }, { known }) => void callbacks.remove(known()),
  },
  // With the tools of all files: two of them may trade one.
  tool: { set: () => undefined, clear: () => undefined },
  policy: { set: ({ policies }, policy) => policies.put(policy), clear: ({ policies }) => policies.put(DEFAULT_POLICY) },
  roles: { set: ({ settings }, roles) => settings.put("roles", roles), clear: ({ settings }) => settings.put("roles", {}) },
  budget: { set: ({ leases }, budget) => leases.put(budget), clear: ({ leases }) => leases.put({}) },
  provider: {
    set: ({ providers }, provider, { name }) => providers.place(name, provider),
    clear: ({ providers }, { name }) => void providers.remove(name),
  },
  prices: { set: ({ settings }, prices) => settings.put("prices", prices), clear: ({ settings }) => settings.put("prices", {}) },
  telemetry: {
    set: ({ settings }, telemetry) => settings.put("telemetry", telemetry),
    clear: ({ settings }) => settings.put("telemetry", {}),
  },
  pacing: { set: ({ settings }, pacing) => settings.put("pacing", pacing), clear: ({ settings }) => settings.put("pacing", {}) },
  cors: { set: ({ account }, origins, place) => list(account, origins, place), clear: ({ account }, place) => list(account, [], place) },
  retention: { set: (stores, ms, place) => keepFor(stores, ms, place), clear: (stores, place) => keepFor(stores, null, place) },
  scoring: {
    set: ({ settings }, scoring) => settings.put("scoring", scoring),
    clear: ({ settings }) => settings.put("scoring", {}),
  },
  gate: { set: ({ settings }, gate) => settings.put("gate", gate), clear: ({ settings }) => settings.put("gate", {}) },
}

/** The alarm tells the directory. */
function list(account: Stores["account"], origins: readonly string[], { want }: Place): void {
  account.putOrigins(origins)
  want(clock.now())
}

/** The alarm looks at runs that have ended. */
function keepFor({ account, sweeps }: Stores, ms: number | null, { want }: Place): void {
  account.keepFor(ms)
  if (sweeps.underWay() !== undefined) want(clock.now())
}

/** Refuses items beyond the limits; the returned function does the rest, inside the transaction. `want`: sets the alarm. */
export const configuring =
  (stores: Stores, want: (at: number) => void, look: (server: string, approve: boolean) => void) =>
  async (changes: readonly ConfigChange[], { address }: Pick<Act, "address">): Promise<() => void> => {
    for (const [kind, { items }] of Object.entries(WRITERS)) if (items) room(kind, changes, items.list(stores), items.most)
    const setTools = await configuringTools(stores, changes, look)
    return () => {
      for (const change of changes) write(stores, change, { want, address })
      setTools()
    }
  }

function write(stores: Stores, { kind, id, value }: ConfigChange, given: Pick<Place, "want" | "address">): void {
  const name = value?.kind ?? configName(kind, id)
  if (name === undefined) return
  const { names } = stores
  const place: Place = { ...given, name: id, idOf: (fresh) => names.idOf(kind, id, fresh), known: () => names.known(kind, id) ?? "" }
  if (value === null) WRITERS[name].clear(stores, place)
  else setValue(stores, value, place)
}

const setValue = <Name extends ConfigName>(stores: Stores, { kind, value }: ConfigOf<Name>, place: Place): void =>
  WRITERS[kind].set(stores, value, place)

function room(kind: string, changes: readonly ConfigChange[], rows: readonly { readonly name?: string }[], most: number): void {
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

/** Throws if a file of the catalog owns the item. */
export function unowned(sql: TenantStores["sql"], kind: ConfigKind, id: string | undefined): void {
  const path = id === undefined ? undefined : sql.pathOf(kind, id)
  if (path === undefined) return
  const error = new Error(`The file ${path} of the catalog sets this. Change the file and apply it, or delete the file.`)
  error.name = "OwnedError"
  throw error
}
