// Creates all stubs of Durable Objects, by name and by the jurisdiction in the name [N1]. Nothing else creates a stub, so no object of a
// tenant can be created outside the tenant's jurisdiction; each object also checks its own place (`assertPlace`). Every call takes a fresh
// stub: a stub from before a reset of its object stays broken. Every call has a time limit (own-calls.ts).

import type { DirectoryRpc, MemoryRpc, RunRpc, TenantRpc } from "../../ports/objects.ts"
import { jurisdictionOf, ownJurisdiction } from "./jurisdiction.ts"
import { bounded } from "./own-calls.ts"

/** A namespace of objects that answer `Answered`. The platform's own type would name the object's class, and derive from it promises of
 *  types that differ from the real ones for `unknown` and for recursive JSON. */
export interface ObjectNamespace<Answered> {
  idFromName(name: string): DurableObjectId
  get(id: DurableObjectId): Answered
  jurisdiction(jurisdiction: "eu" | "us"): ObjectNamespace<Answered>
}

interface Own {
  /** "eu" or "us": all of this instance is there, its BLOBS too [N2]. Set before the first deploy; it cannot change later. */
  readonly JURISDICTION?: string
}
export interface RunNamespace extends Own {
  readonly RUN: ObjectNamespace<RunRpc>
}
export interface TenantNamespace extends Own {
  readonly TENANT: ObjectNamespace<TenantRpc>
}
export interface MemoryNamespace extends Own {
  readonly MEMORY: ObjectNamespace<MemoryRpc>
}
export interface DirectoryNamespace extends Own {
  readonly DIRECTORY: ObjectNamespace<DirectoryRpc>
}

/** An impossible tenant's name, because names begin with a lowercase letter. Its object can be called, and has no data. */
export const NO_TENANT = "_ready"

/** A run, or the record of an Idempotency-Key [H4]; the instance's own records have the tenant "". */
export const runStub = (env: RunNamespace, tenant: string, run: string): RunRpc => named(placed(env.RUN, env, tenant), `${tenant}/${run}`)

export const tenantStub = (env: TenantNamespace, tenant: string): TenantRpc => named(placed(env.TENANT, env, tenant), tenant)

/** A desk of the tenant (ports/desks.ts) is an object of the tenants' class. */
export const deskStub = (env: TenantNamespace, tenant: string, desk: number): TenantRpc =>
  named(placed(env.TENANT, env, tenant), `${tenant}${DESK}${desk}`)

const DESK = "/desk-"

/** What an object of the tenants' class is. `desk` undefined: the tenant's object itself. */
export function placeIn(name: string): { readonly tenant: string; readonly desk?: number } {
  const [tenant = name, desk] = name.split(DESK)
  return { tenant, ...(desk === undefined ? {} : { desk: Number(desk) }) }
}

export const memoryStub = (env: MemoryNamespace, tenant: string): MemoryRpc => named(placed(env.MEMORY, env, tenant), tenant)

export const directoryStub = (env: DirectoryNamespace): DirectoryRpc => named(placed(env.DIRECTORY, env, ""), "directory")

function placed<T>(namespace: ObjectNamespace<T>, env: Own, tenant: string): ObjectNamespace<T> {
  const jurisdiction = jurisdictionOf(tenant) ?? ownJurisdiction(env)
  return jurisdiction === undefined ? namespace : namespace.jurisdiction(jurisdiction)
}

const named = <T>(namespace: ObjectNamespace<T>, name: string): T => bounded(namespace.get(namespace.idFromName(name)))

/** Throws in an object's constructor if the object is not in the jurisdiction in its name. The runtime provides both since 2026-03. */
export function assertPlace(id: Pick<DurableObjectId, "name" | "jurisdiction">, env: Own): void {
  const [tenant = ""] = (id.name ?? "").split("/")
  const wanted = jurisdictionOf(tenant) ?? ownJurisdiction(env)
  if (wanted !== undefined && id.jurisdiction !== wanted)
    throw new Error(`an object of ${tenant} must be in the jurisdiction ${wanted}, but this one is in ${id.jurisdiction ?? "none"}`)
}
