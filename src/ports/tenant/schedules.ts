// Defines schedules [W5]: flows that start at set times.

import type { Overlap } from "../../core/project/schedule-body.ts"
import type { z } from "zod"
import type { Schedule } from "../../api/doc/schedules.doc.ts"
import type { Row } from "../../api/rows.ts"
import type { ScheduleBody } from "../../core/project/schedule-body.ts"

export type { Overlap }

/** The settings of a schedule, with defaults. */
export interface ScheduleSettings
  extends Omit<z.output<typeof ScheduleBody>, "zone" | "overlap" | "enabled">, Pick<Row<typeof Schedule>, "zone" | "overlap" | "enabled"> {
  /** [N2] Where links of its runs begin, when only the request that wrote the schedule says so. */
  readonly address?: string
}

/** A schedule's row. If the latest fire failed, `error` says why, and so does the failed run [W8]; `run` is null if there is no such run. */
export interface ScheduleRow extends ScheduleSettings, Pick<Row<typeof Schedule>, "name" | "id" | "created" | "next" | "last"> {}

/** `queued` with a run: that run waits for room [H6]. `queued` without a run: a run starts when the current one ends. */
export type Fired =
  /** `merged`: the fire joined the window of this run [R9]. */
  | { readonly run: string; readonly verdict: "started" | "queued" | "merged" }
  | { readonly run: null; readonly verdict: "skipped" | "queued" }
  | { readonly run: string | null; readonly verdict: "failed"; readonly reason: string }

export const MOST_SCHEDULES = 500 // limit: schedules of a tenant → 409 `too_many_schedules`

export interface SchedulesPort {
  create(settings: ScheduleSettings, act?: string): Promise<ScheduleRow | "too_many">
  /** Newest first. */
  list(): Promise<readonly ScheduleRow[]>
  find(id: string): Promise<ScheduleRow | undefined>
  replace(id: string, settings: ScheduleSettings): Promise<ScheduleRow | undefined>
  remove(id: string): Promise<boolean>
  /** Starts the schedule now, as if its time had come. */
  fire(id: string, act?: string): Promise<Fired | undefined>
}
