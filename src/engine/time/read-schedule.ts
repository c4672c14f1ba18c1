// Reads the settings of a schedule [W5]: fills in defaults, and checks what a schema cannot express about its times and files.

import type { z } from "zod"
import type { ScheduleBody } from "../../core/project/schedule-body.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { namedFiles } from "../../core/run/given-file.ts"
import type { ScheduleSettings } from "../../ports/tenant/schedules.ts"
import { cronFaults } from "./cron.ts"

interface Fault {
  readonly pointer: string
  readonly message: string
  readonly suggestion?: string
}

export function readSchedule(body: z.output<typeof ScheduleBody>): Result<ScheduleSettings, readonly Fault[]> {
  const { zone = "UTC", overlap = "skip", enabled = true, ...given } = body
  const named = namedFiles(given.files ?? {}, "/files")
  const faults = [...timeFaults(given.cron, zone), ...(named.ok ? [] : named.error)]
  return faults.length > 0 ? err(faults) : ok({ ...given, zone, overlap, enabled })
}

export const timeFaults = (cron: string, zone: string): Fault[] =>
  cronFaults(cron, zone).map(({ field, ...said }) => ({ pointer: `/${field}`, ...said }))
