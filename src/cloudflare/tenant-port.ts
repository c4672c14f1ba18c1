// tenantPort: a tenant's object as the rest of the Worker sees it. A stub from before a reset is dead for ever, so every call
// takes a fresh one; a call that only reads is asked a second time when the platform says that it may be.

import { forgetRules } from "./rules-cache.ts"
import type { TenantPort } from "../ports/catalog.ts"
import type { TenantObject } from "./tenant-object.ts"

export interface TenantPortEnv {
  readonly TENANT: DurableObjectNamespace<TenantObject>
}

/** What the object's own methods take besides: who writes. */
type TenantRpc = Omit<TenantPort, Writes> & {
  readonly [M in Writes]: (...args: [...Full<Parameters<TenantPort[M]>>, by: string | undefined]) => ReturnType<TenantPort[M]>
}
type Full<Args extends readonly unknown[]> = { [I in keyof Required<Args>]: Args[I] }
type Writes = "writeAgent" | "writeFlow" | "put" | "remove" | "replace" | "rollback" | "putPackage" | "removePackage"

/** `by`: the name that stands beside each revision written through this port [F72]. */
export function tenantPort(env: TenantPortEnv, tenant: string, by?: string): TenantPort {
  const object = (): TenantRpc => objectOf(env, tenant)
  const ask = asking<TenantRpc>(env, tenant)
  return {
    agents: () => ask((o) => o.agents()),
    writeAgent: (path, content) => object().writeAgent(path, content, by),
    writeFlow: (path, content) => object().writeFlow(path, content, by),
    validate: (kind, content, path) => ask((o) => o.validate(kind, content, path)),
    put: (kind, path, content, ifMatch) => object().put(kind, path, content, ifMatch, by),
    read: (kind, id, revision) => ask((o) => o.read(kind, id, revision)),
    remove: (kind, id, ifMatch) => object().remove(kind, id, ifMatch, by),
    check: (id) => ask((o) => o.check(id)),
    files: (kind) => ask((o) => o.files(kind)),
    filesAt: (revision) => ask((o) => o.filesAt(revision)),
    replace: (bundle, ifRevision) => object().replace(bundle, ifRevision, by),
    export: () => ask((o) => o.export()),
    history: (query) => ask((o) => o.history(query)),
    diff: (query) => ask((o) => o.diff(query)),
    rollback: (revision, ifRevision) => object().rollback(revision, ifRevision, by),
    packages: () => ask((o) => o.packages()),
    package: (name) => ask((o) => o.package(name)),
    putPackage: (name, body, ifMatch) => object().putPackage(name, body, ifMatch, by),
    removePackage: (name, ifMatch) => object().removePackage(name, ifMatch, by),
    pin: (target, options) => ask((o) => o.pin(target, options)),
    providers: () => ask((o) => o.providers()),
    putProvider: (name, settings) => object().putProvider(name, settings),
    removeProvider: (name) => object().removeProvider(name),
    provider: (name) => ask((o) => o.provider(name)),
    prices: () => ask((o) => o.prices()),
    putPrices: (prices) => object().putPrices(prices),
    policy: () => ask((o) => o.policy()),
    async putPolicy(policy) {
      await object().putPolicy(policy)
      forgetRules(tenant)
    },
    rules: () => ask((o) => o.rules()),
    agentTools: (name) => ask((o) => o.agentTools(name)),
    roles: () => ask((o) => o.roles()),
    putRoles: (roles) => object().putRoles(roles),
    // A repeated word is harmless: the row is replaced by a newer `seq` only.
    noteRun: (row) => ask((o) => o.noteRun(row)),
    removeRun: (id) => ask((o) => o.removeRun(id)),
    retention: () => ask((o) => o.retention()),
    askingRuns: (query) => ask((o) => o.askingRuns(query)),
    listRuns: (query) => ask((o) => o.listRuns(query)),
  }
}

/** The methods of the stub are those of `Rpc`; what the RPC types make of `unknown` and of recursive JSON is not. */
const objectOf = <Rpc>(env: TenantPortEnv, tenant: string): Rpc => env.TENANT.get(env.TENANT.idFromName(tenant)) as unknown as Rpc

/** For calls that may be asked twice. */
export function asking<Rpc>(env: TenantPortEnv, tenant: string): <T>(call: (object: Rpc) => Promise<T>) => Promise<T> {
  return (call) => retrying(() => call(objectOf(env, tenant)))
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
