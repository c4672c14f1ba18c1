// Checks that a tenant or a run exists, for names without a mark of this instance (cloudflare/platform/tokens/own-mark.ts). It asks a list,
// so that the check creates no object. Existing names are cached in the isolate; the object of a deleted one still answers.

import { Lru } from "../../engine/lru.ts"
import type { RunPort } from "../../ports/run.ts"
import { idOf, nameOf } from "../platform/jurisdiction.ts"
import { members } from "../platform/rooms.ts"
import { directoryStub, type DirectoryNamespace, type TenantNamespace } from "../platform/stubs.ts"
import { portOf } from "../platform/port-of.ts"
import { NO_RUN } from "./run-port.ts"
import { perIsolate } from "../../ports/isolate.ts"

const tenants = perIsolate(() => new Lru<true>(5_000))
const runs = perIsolate(() => new Lru<true>(20_000))

/** A list that does not answer refuses no one. */
export async function isTenant(env: DirectoryNamespace, tenant: string): Promise<boolean> {
  if (tenants().get(tenant)) return true
  const entry = await directoryStub(env)
    .find(idOf(tenant))
    .catch(() => "no answer" as const)
  if (entry === "no answer") return true
  const isThere = entry !== undefined && nameOf(entry.id, entry.jurisdiction) === tenant
  if (isThere) tenants().set(tenant, true)
  return isThere
}

/** `port` if the tenant's list has the run, and no run otherwise. */
export function ifListed(env: TenantNamespace, tenant: string, id: string, port: RunPort): RunPort {
  const name = `${tenant}/${id}`
  const isListed = async (): Promise<boolean> => {
    if (runs().get(name)) return true
    const isThere = await portOf(env, tenant, "runs").knows(id)
    if (isThere) runs().set(name, true)
    return isThere
  }
  return members<RunPort>((method) => async (...args: readonly unknown[]): Promise<unknown> => {
    const asked: unknown = Reflect.get((await isListed()) ? port : NO_RUN, method)
    return typeof asked === "function" ? await Reflect.apply(asked, undefined, args) : undefined
  })
}
