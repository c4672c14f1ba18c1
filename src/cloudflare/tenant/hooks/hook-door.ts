// Opens a webhook for an unauthenticated request that knows its id.

import type { HookDoor } from "../../../ports/tenant/hooks.ts"
import { readHookId } from "./hook-id.ts"
import { canLie, type JurisdictionEnv } from "../../platform/jurisdiction.ts"
import { NO_TENANT, type DirectoryNamespace, type TenantNamespace } from "../../platform/stubs.ts"
import type { VaultEnv } from "../../platform/vault.ts"
import { isTenant } from "../../clients/known-names.ts"
import { portOf } from "../../platform/port-of.ts"

/** The hook with this id, or undefined. A malformed id calls no object, and a foreign id only the list of tenants. */
export async function hookDoor(
  env: TenantNamespace & DirectoryNamespace & VaultEnv & JurisdictionEnv,
  id: string,
): Promise<HookDoor | undefined> {
  const read = readHookId(env, id)
  if (read === undefined || !canLie(env, read.tenant)) return undefined
  const isThere = read.isOwn || (await isTenant(env, read.tenant))
  // The stand-in says no, and the answer takes as long.
  const hooks = portOf(env, isThere ? read.tenant : NO_TENANT, "hooks")
  const opened = await hooks.open(id)
  if (!isThere) return undefined
  return (
    opened && {
      ...opened,
      refuse: (verdict, reason) => hooks.refuse(id, verdict, reason),
      deliver: (delivered) => hooks.take(id, delivered),
    }
  )
}
