// A tenant's schedules, for the HTTP door: they lie in the tenant's object, whose alarm fires them.

import type { ScheduleRow, ScheduleSettings, SchedulesPort } from "../ports/schedules.ts"
import { clock } from "./clock.ts"
import { asking, type TenantPortEnv } from "./tenant-port.ts"

/** The methods of TenantObject that are these. */
export interface ScheduleRpc {
  createSchedule(id: string, settings: ScheduleSettings): Promise<ScheduleRow | "too_many">
  listSchedules: SchedulesPort["list"]
  findSchedule: SchedulesPort["find"]
  replaceSchedule: SchedulesPort["replace"]
  removeSchedule: SchedulesPort["remove"]
  fireSchedule: SchedulesPort["fire"]
}

export function schedulesPort(env: TenantPortEnv, tenant: string): SchedulesPort {
  const ask = asking<ScheduleRpc>(env, tenant)
  return {
    create(settings) {
      // The id is chosen here: asked twice, it is one row.
      const id = `sch_${clock.id()}`
      return ask((o) => o.createSchedule(id, settings))
    },
    list: () => ask((o) => o.listSchedules()),
    find: (id) => ask((o) => o.findSchedule(id)),
    replace: (id, settings) => ask((o) => o.replaceSchedule(id, settings)),
    remove: (id) => ask((o) => o.removeSchedule(id)),
    // Not twice: each is a fire.
    fire: (id) => (env.TENANT.get(env.TENANT.idFromName(tenant)) as unknown as ScheduleRpc).fireSchedule(id),
  }
}
