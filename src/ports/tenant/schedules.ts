// Schedules [W5]: flows that start at set times.

import type { Overlap } from "../../core/project/schedule-body.ts"
import type { JsonObject } from "../../core/json.ts"
import type { EffectsMode } from "../../core/policy/effects-modes.ts"
import type { GivenFiles } from "../../core/run/given-file.ts"

export type { Overlap }

export interface ScheduleSettings {
  readonly flow: string
  readonly cron: string
  readonly zone: string
  readonly task?: string
  readonly inputs?: JsonObject
  /** [F55] */
  readonly files?: GivenFiles
  /** [P1] */
  readonly thread?: string
  /** [K30] */
  readonly effects?: EffectsMode
  /** [N2] Where links of its runs begin, when only the request that wrote the schedule says so. */
  readonly address?: string
  readonly overlap: Overlap
  readonly enabled: boolean
}

export interface ScheduleRow extends ScheduleSettings {
  /** [F79] Of a schedule that a file makes. */
  readonly name?: string
  readonly id: string
  /** All times in milliseconds. */
  readonly created: number
  /** null: the schedule is disabled, or its time never comes again. */
  readonly next: number | null
  /** The latest attempt to start a run. If it failed, `error` says why, and so does the failed run [W8]; `run` is null if not even that exists. */
  readonly last: { readonly at: number; readonly run: string | null; readonly error?: string } | null
}

/** `queued` with a run: that run waits for room [H6]. `queued` without a run: a run starts when the current one ends. */
export type Fired =
  | { readonly run: string; readonly verdict: "started" | "queued" }
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
