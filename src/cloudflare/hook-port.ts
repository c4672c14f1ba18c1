// Webhooks in, over the tenant's object: the hooks of one tenant for its own keys, and one hook for whoever knows its id.

import type { HookDoor, HookRow, HooksPort, Taken } from "../ports/hooks.ts"
import { tenantOfHook } from "./hook-id.ts"
import { asking, type TenantPortEnv } from "./tenant-port.ts"

/** The methods of TenantObject that are these. */
export interface HookRpc {
  createHook: HooksPort["create"]
  listHooks: HooksPort["list"]
  findHook: HooksPort["find"]
  replaceHook: HooksPort["replace"]
  removeHook: HooksPort["remove"]
  listDeliveries: HooksPort["deliveries"]
  redeliverHook: HooksPort["redeliver"]
  /** For the open door alone: the secret's values never leave the Worker. */
  openHook(id: string): Promise<{ readonly hook: HookRow; readonly secrets: readonly string[] } | undefined>
  refuseDelivery(hook: string, ...refused: Parameters<HookDoor["refuse"]>): Promise<void>
  takeDelivery(hook: string, delivered: Parameters<HookDoor["deliver"]>[0]): Promise<Taken | undefined>
}

export function hooksPort(env: TenantPortEnv, tenant: string): HooksPort {
  const ask = asking<HookRpc>(env, tenant)
  const once = onceOf(env, tenant)
  return {
    create: (settings) => once((o) => o.createHook(settings)),
    list: () => ask((o) => o.listHooks()),
    find: (id) => ask((o) => o.findHook(id)),
    replace: (id, settings) => ask((o) => o.replaceHook(id, settings)),
    remove: (id) => once((o) => o.removeHook(id)),
    deliveries: (hook, query) => ask((o) => o.listDeliveries(hook, query)),
    redeliver: (hook, delivery) => once((o) => o.redeliverHook(hook, delivery)),
  }
}

/** undefined: nobody has a hook of this id; a malformed one asks no object at all. */
export async function hookDoor(env: TenantPortEnv, id: string): Promise<HookDoor | undefined> {
  const tenant = tenantOfHook(id)
  if (tenant === undefined) return undefined
  const ask = asking<HookRpc>(env, tenant)
  const opened = await ask((o) => o.openHook(id))
  if (!opened) return undefined
  return {
    ...opened,
    refuse: (verdict, reason) => ask((o) => o.refuseDelivery(id, verdict, reason)),
    deliver: (delivered) => onceOf(env, tenant)((o) => o.takeDelivery(id, delivered)),
  }
}

/** For calls that must not be asked twice. */
const onceOf =
  (env: TenantPortEnv, tenant: string) =>
  <T>(call: (object: HookRpc) => Promise<T>): Promise<T> =>
    call(env.TENANT.get(env.TENANT.idFromName(tenant)) as unknown as HookRpc)
