// Serves a tenant's schedules [W5].

import type { Answers } from "../../../ports/objects.ts"
import type { ScheduleRow, SchedulesPort } from "../../../ports/tenant/schedules.ts"
import { unowned } from "../catalog/configure.ts"
import { clock } from "../../platform/clock.ts"
import type { TenantResources } from "../tenant-resources.ts"

export function scheduleRoom({ sql, scheduleRows, schedules, want }: TenantResources): Answers<SchedulesPort> {
  /** Runs in the turn that wrote the row, so the row and its alarm are one commit. */
  const timed = <T extends ScheduleRow | "too_many" | undefined>(row: T): T => {
    if (typeof row === "object" && row.next !== null) want(row.next)
    return row
  }
  return {
    create: (settings, act = clock.id()) => timed(scheduleRows.create(`sch_${act}`, clock.now(), settings)),
    list: () => scheduleRows.list(),
    find: (id) => scheduleRows.find(id),
    replace(id, settings) {
      unowned(sql, "schedule", scheduleRows.find(id)?.name)
      return timed(scheduleRows.replace(id, settings, clock.now()))
    },
    remove(id) {
      unowned(sql, "schedule", scheduleRows.find(id)?.name)
      return scheduleRows.remove(id)
    },
    fire: (id, act) => schedules.fire(id, act),
  }
}
