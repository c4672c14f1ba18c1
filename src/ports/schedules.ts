// Schedules [W5]: a flow that starts by the clock.

import type { Overlap } from "../api/schedules.ts"
import type { JsonObject } from "../core/json.ts"

export type { Overlap }

export interface ScheduleSettings {
  readonly flow: string
  readonly cron: string
  readonly zone: string
  readonly task?: string
  readonly inputs?: JsonObject
  readonly overlap: Overlap
  readonly enabled: boolean
}

export interface ScheduleRow extends ScheduleSettings {
  readonly id: string
  /** All times in milliseconds. */
  readonly created: number
  /** null: it is disabled, or never comes again. */
  readonly next: number | null
  /** The latest fire that was to start a run; `run` is null and `error` says why when it could not. */
  readonly last: { readonly at: number; readonly run: string | null; readonly error?: string } | null
}

/** `queued` with a run: it exists and waits for room [H6]; without one: it begins when the run under way ends. */
export type Fired =
  | { readonly run: string; readonly verdict: "started" | "queued" }
  | { readonly run: null; readonly verdict: "skipped" | "queued" }
  | { readonly run: null; readonly verdict: "failed"; readonly reason: string }

export const MOST_SCHEDULES = 500

export interface SchedulesPort {
  create(settings: ScheduleSettings, act?: string): Promise<ScheduleRow | "too_many">
  /** Newest first. */
  list(): Promise<readonly ScheduleRow[]>
  find(id: string): Promise<ScheduleRow | undefined>
  replace(id: string, settings: ScheduleSettings): Promise<ScheduleRow | undefined>
  remove(id: string): Promise<boolean>
  /** Now, as if its time had come. */
  fire(id: string, act?: string): Promise<Fired | undefined>
}
