// One webhook, for an unauthenticated request that knows its id.

import type { HookDoor } from "../../ports/hooks.ts"
import { tenantOfHook } from "../platform/hook-id.ts"
import { canLie, type Ground } from "../platform/jurisdiction.ts"
import type { TenantDoor } from "../platform/stubs.ts"
import { portOf } from "./port-of.ts"

/** undefined: there is no hook with this id. A malformed id calls no object. */
export async function hookDoor(env: TenantDoor & Ground, id: string): Promise<HookDoor | undefined> {
  const tenant = tenantOfHook(id)
  if (tenant === undefined || !canLie(env, tenant)) return undefined
  const hooks = portOf(env, tenant, "hooks")
  const opened = await hooks.open(id)
  return (
    opened && {
      ...opened,
      refuse: (verdict, reason) => hooks.refuse(id, verdict, reason),
      deliver: (delivered) => hooks.take(id, delivered),
    }
  )
}
