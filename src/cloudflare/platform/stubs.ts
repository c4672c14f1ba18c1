// The one door to every Durable Object: its name, and the jurisdiction that the name says [N1]. Nothing else makes a stub, so no object of
// a tenant can be made where its data must not lie; and each object looks once more whether it is where its name says (`assertPlace`).
//
// A fresh stub for every call: one from before a reset of its object is dead for ever.

import type { DirectoryObject } from "../directory/directory-object.ts"
import { jurisdictionOf, ownJurisdiction } from "./jurisdiction.ts"
import type { MemoryObject } from "../memory/memory-object.ts"
import type { RunObject } from "../run/run-object.ts"
import type { TenantObject } from "../tenant/tenant-object.ts"

/** All of the instance lies there, tenants or none [N2]. */
interface Own {
  readonly JURISDICTION?: string
}
export interface RunDoor extends Own {
  readonly RUN: DurableObjectNamespace<RunObject>
}
export interface TenantDoor extends Own {
  readonly TENANT: DurableObjectNamespace<TenantObject>
}
export interface MemoryDoor extends Own {
  readonly MEMORY: DurableObjectNamespace<MemoryObject>
}
export interface DirectoryDoor extends Own {
  readonly DIRECTORY: DurableObjectNamespace<DirectoryObject>
}

/** A run, or the record of an Idempotency-Key [H4]; the instance's own have the tenant "". */
export const runStub = (env: RunDoor, tenant: string, run: string): DurableObjectStub<RunObject> =>
  named(placed(env.RUN, env, tenant), `${tenant}/${run}`)

export const tenantStub = (env: TenantDoor, tenant: string): DurableObjectStub<TenantObject> =>
  named(placed(env.TENANT, env, tenant), tenant)

export const memoryStub = (env: MemoryDoor, tenant: string): DurableObjectStub<MemoryObject> =>
  named(placed(env.MEMORY, env, tenant), tenant)

export const directoryStub = (env: DirectoryDoor): DurableObjectStub<DirectoryObject> => named(placed(env.DIRECTORY, env, ""), "directory")

function placed<T extends Rpc.DurableObjectBranded>(
  namespace: DurableObjectNamespace<T>,
  env: Own,
  tenant: string,
): DurableObjectNamespace<T> {
  const jurisdiction = jurisdictionOf(tenant) ?? ownJurisdiction(env)
  return jurisdiction === undefined ? namespace : namespace.jurisdiction(jurisdiction)
}

const named = <T extends Rpc.DurableObjectBranded>(namespace: DurableObjectNamespace<T>, name: string): DurableObjectStub<T> =>
  namespace.get(namespace.idFromName(name))

/** For an object's constructor: throws when its data would lie elsewhere than its name says. The runtime tells since 2026-03. */
export function assertPlace(id: Pick<DurableObjectId, "name" | "jurisdiction">, env: Own): void {
  const [tenant = ""] = (id.name ?? "").split("/")
  const wanted = jurisdictionOf(tenant) ?? ownJurisdiction(env)
  if (wanted !== undefined && id.jurisdiction !== wanted)
    throw new Error(`an object of ${tenant} must lie in the jurisdiction ${wanted}, and this one lies in ${id.jurisdiction ?? "none"}`)
}
