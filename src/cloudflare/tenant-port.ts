// tenantPort: a tenant's object as the rest of the Worker sees it. A stub from before a reset is dead for ever, so every call
// takes a fresh one; a call that only reads is asked a second time when the platform says that it may be.

import type { TenantPort } from "../ports/catalog.ts"
import type { TenantObject } from "./tenant-object.ts"

export interface TenantPortEnv {
  readonly TENANT: DurableObjectNamespace<TenantObject>
}

export function tenantPort(env: TenantPortEnv, tenant: string): TenantPort {
  // The methods of the stub are those of TenantPort; what the RPC types make of `unknown` and of recursive JSON is not.
  const object = (): TenantPort => env.TENANT.get(env.TENANT.idFromName(tenant)) as unknown as TenantPort
  const ask = <T>(call: (port: TenantPort) => Promise<T>): Promise<T> =>
    call(object()).catch((e: unknown) => {
      if (isRetryable(e)) return call(object())
      throw e
    })
  return {
    agents: () => ask((o) => o.agents()),
    writeAgent: (path, content) => object().writeAgent(path, content),
    writeFlow: (path, content) => object().writeFlow(path, content),
    validate: (kind, content, path) => ask((o) => o.validate(kind, content, path)),
    put: (kind, path, content, ifMatch) => object().put(kind, path, content, ifMatch),
    read: (kind, id) => ask((o) => o.read(kind, id)),
    remove: (kind, id) => object().remove(kind, id),
    files: (kind) => ask((o) => o.files(kind)),
    replace: (bundle) => object().replace(bundle),
    pin: (target, options) => ask((o) => o.pin(target, options)),
    providers: () => ask((o) => o.providers()),
    putProvider: (name, settings) => object().putProvider(name, settings),
    removeProvider: (name) => object().removeProvider(name),
    provider: (name) => ask((o) => o.provider(name)),
    roles: () => ask((o) => o.roles()),
    putRoles: (roles) => object().putRoles(roles),
    // A repeated word is harmless: the row is replaced by a newer `seq` only.
    noteRun: (row) => ask((o) => o.noteRun(row)),
    listRuns: (query) => ask((o) => o.listRuns(query)),
  }
}

/** An overloaded object says `retryable` too; asking again at once would be the flood. */
function isRetryable(e: unknown): boolean {
  return e instanceof Error && "retryable" in e && e.retryable === true && !("overloaded" in e && e.overloaded === true)
}
