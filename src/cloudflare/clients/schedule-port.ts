// A tenant's schedules, for the HTTP door: they lie in the tenant's object, whose alarm fires them.

import type { SchedulesPort } from "../../ports/schedules.ts"
import { clock } from "../platform/clock.ts"
import { asking, askingOnce, type TenantPortEnv } from "./tenant-port.ts"

export function schedulesPort(env: TenantPortEnv, tenant: string): SchedulesPort {
  const ask = asking(env, tenant)
  return {
    create(settings, act = clock.id()) {
      // The id is chosen here: asked twice, it is one row.
      const id = `sch_${act}`
      return ask((o) => o.schedules.create(id, settings))
    },
    list: () => ask((o) => o.schedules.list()),
    find: (id) => ask((o) => o.schedules.find(id)),
    replace: (id, settings) => ask((o) => o.schedules.replace(id, settings)),
    remove: (id) => ask((o) => o.schedules.remove(id)),
    // Not twice: each is a fire.
    fire: (id, act) => askingOnce(env, tenant)((o) => o.schedules.fire(id, act)),
  }
}
