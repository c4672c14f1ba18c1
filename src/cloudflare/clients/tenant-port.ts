// tenantPort: a tenant's object as the rest of the Worker sees it. A stub from before a reset is dead for ever, so every call
// takes a fresh one; a call that only reads is asked a second time when the platform says that it may be.

import { forgetProvider } from "./provider-cache.ts"
import { forgetRules } from "./rules-cache.ts"
import type { TenantPort } from "../../ports/catalog.ts"
import { pinOver } from "./start-pin.ts"
import { roomsOver, type Ask, type Asked } from "../platform/rooms.ts"
import { tenantStub, type TenantDoor } from "../platform/stubs.ts"
import type { TenantRooms } from "../tenant/tenant-object.ts"

export type TenantPortEnv = TenantDoor

/** `by`: the name that stands beside each revision written through this port [F72]. */
export function tenantPort(env: TenantPortEnv, tenant: string, by?: string): TenantPort {
  const ask = asking(env, tenant)
  const once = askingOnce(env, tenant)
  return {
    agents: () => ask((o) => o.catalog.agents()),
    writeAgent: (path, content) => once((o) => o.catalog.writeAgent(path, content, by)),
    writeFlow: (path, content) => once((o) => o.catalog.writeFlow(path, content, by)),
    validate: (kind, content, path) => ask((o) => o.catalog.validate(kind, content, path)),
    put: (kind, path, content, ifMatch) => once((o) => o.catalog.put(kind, path, content, ifMatch, by)),
    read: (kind, id, revision) => ask((o) => o.catalog.read(kind, id, revision)),
    remove: (kind, id, ifMatch) => once((o) => o.catalog.remove(kind, id, ifMatch, by)),
    check: (id) => ask((o) => o.catalog.check(id)),
    files: (kind) => ask((o) => o.catalog.files(kind)),
    filesAt: (revision) => ask((o) => o.catalog.filesAt(revision)),
    replace: (bundle, ifRevision) => once((o) => o.catalog.replace(bundle, ifRevision, by)),
    export: () => ask((o) => o.catalog.export()),
    history: (query) => ask((o) => o.catalog.history(query)),
    diff: (query) => ask((o) => o.catalog.diff(query)),
    rollback: (revision, ifRevision) => once((o) => o.catalog.rollback(revision, ifRevision, by)),
    packages: () => ask((o) => o.catalog.packages()),
    package: (name) => ask((o) => o.catalog.package(name)),
    putPackage: (name, body, ifMatch) => once((o) => o.catalog.putPackage(name, body, ifMatch, by)),
    removePackage: (name, ifMatch) => once((o) => o.catalog.removePackage(name, ifMatch, by)),
    pin: pinOver(tenant, {
      pin: (target, options) => ask((o) => o.starts.pin(target, options)),
      pinOpen: (target, options) => ask((o) => o.starts.pinOpen(target, options)),
    }),
    providers: () => ask((o) => o.settings.providers()),
    putProvider: (name, settings) => once((o) => o.settings.putProvider(name, settings)).finally(() => forgetProvider(tenant, name)),
    removeProvider: (name) => once((o) => o.settings.removeProvider(name)).finally(() => forgetProvider(tenant, name)),
    provider: (name) => ask((o) => o.settings.provider(name)),
    prices: () => ask((o) => o.settings.prices()),
    putPrices: (prices) => once((o) => o.settings.putPrices(prices)),
    policy: () => ask((o) => o.settings.policy()),
    async putPolicy(policy) {
      await once((o) => o.settings.putPolicy(policy))
      forgetRules(tenant)
    },
    rules: () => ask((o) => o.settings.rules()),
    agentTools: (name) => ask((o) => o.catalog.agentTools(name)),
    roles: () => ask((o) => o.settings.roles()),
    putRoles: (roles) => once((o) => o.settings.putRoles(roles)),
    // A repeated word is harmless: the row is replaced by a newer `seq` only.
    noteRun: (row) => ask((o) => o.runs.note(row)),
    removeRun: (id) => ask((o) => o.runs.remove(id)),
    retention: () => ask((o) => o.account.retention()),
    askingRuns: (query) => ask((o) => o.runs.asking(query)),
    listRuns: (query) => ask((o) => o.runs.list(query)),
  }
}

/** How one asks a tenant's object: a call names a room and its method. */
export type Asking = <T>(call: (object: Asked<TenantRooms>) => Promise<T>) => Promise<T>

/** For calls that may be asked twice. */
export const asking = (env: TenantPortEnv, tenant: string): Asking => {
  const rooms = roomsIn(env, tenant)
  return (call) => retrying(() => call(rooms))
}

/** For those that may not: nobody knows whether what failed was done. */
export const askingOnce = (env: TenantPortEnv, tenant: string): Asking => {
  const rooms = roomsIn(env, tenant)
  return (call) => call(rooms)
}

/** A fresh stub for every call. */
function roomsIn(env: TenantPortEnv, tenant: string): Asked<TenantRooms> {
  const ask: Ask = (room, method, args) => tenantStub(env, tenant).ask(room, method, args)
  return roomsOver<TenantRooms>(ask)
}

/** `call` takes a stub of its own each time. */
export const retrying = <T>(call: () => Promise<T>): Promise<T> =>
  call().catch((e: unknown) => {
    if (isRetryable(e)) return call()
    throw e
  })

/** An overloaded object says `retryable` too; asking again at once would be the flood. */
function isRetryable(e: unknown): boolean {
  return e instanceof Error && "retryable" in e && e.retryable === true && !("overloaded" in e && e.overloaded === true)
}
