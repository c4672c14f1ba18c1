// Webhooks in, over the tenant's object: the hooks of one tenant for its own keys, and one hook for whoever knows its id.

import type { HookDoor, HooksPort } from "../../ports/hooks.ts"
import { tenantOfHook } from "../platform/hook-id.ts"
import { canLie, type Ground } from "../platform/jurisdiction.ts"
import { asking, askingOnce, type TenantPortEnv } from "./tenant-port.ts"

export function hooksPort(env: TenantPortEnv, tenant: string): HooksPort {
  const ask = asking(env, tenant)
  const once = askingOnce(env, tenant)
  return {
    create: (settings, act) => once((o) => o.hooks.create(settings, act)),
    list: () => ask((o) => o.hooks.list()),
    find: (id) => ask((o) => o.hooks.find(id)),
    replace: (id, settings) => ask((o) => o.hooks.replace(id, settings)),
    remove: (id) => once((o) => o.hooks.remove(id)),
    deliveries: (hook, query) => ask((o) => o.hooks.deliveries(hook, query)),
    delivery: (hook, id) => ask((o) => o.hooks.delivery(hook, id)),
    redeliver: (hook, delivery, act) => once((o) => o.hooks.redeliver(hook, delivery, act)),
  }
}

/** undefined: nobody has a hook of this id; a malformed one asks no object at all. */
export async function hookDoor(env: TenantPortEnv & Ground, id: string): Promise<HookDoor | undefined> {
  const tenant = tenantOfHook(id)
  if (tenant === undefined || !canLie(env, tenant)) return undefined
  const ask = asking(env, tenant)
  const opened = await ask((o) => o.hooks.open(id))
  if (!opened) return undefined
  return {
    ...opened,
    refuse: (verdict, reason) => ask((o) => o.hooks.refuse(id, verdict, reason)),
    deliver: (delivered) => askingOnce(env, tenant)((o) => o.hooks.take(id, delivered)),
  }
}
