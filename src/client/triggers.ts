// Manages hooks and schedules, which start runs, and callbacks, which report runs to other systems.

import type * as callbackShapes from "../api/doc/callbacks.doc.ts"
import type { CallbackDelivery, CallbackRow } from "../api/doc/callbacks.doc.ts"
import type * as hookShapes from "../api/doc/hooks.doc.ts"
import type { Delivery, HookRow, HookTestResult } from "../api/doc/hooks.doc.ts"
import type * as scheduleShapes from "../api/doc/schedules.doc.ts"
import type { ScheduleRow } from "../api/doc/schedules.doc.ts"
import type { callbacks, NewCallback } from "../api/callbacks.ts"
import type { hooks, HookTestWish, NewHook } from "../api/hooks.ts"
import type { NewSchedule, schedules } from "../api/schedules.ts"
import type { Paged } from "./transport/paged.ts"
import { Part } from "./transport/part.ts"

export class Hooks extends Part<typeof hooks, typeof hookShapes> {
  readonly list: () => Paged<HookRow> = this.paged("/v1/hooks")
  readonly create: (hook: NewHook) => Promise<HookRow> = this.route("POST /v1/hooks")
  readonly get: (id: string) => Promise<HookRow> = this.route("GET /v1/hooks/*")
  readonly put: (id: string, hook: NewHook) => Promise<HookRow> = this.route("PUT /v1/hooks/*")
  readonly delete: (id: string) => Promise<void> = this.route("DELETE /v1/hooks/*")
  /** Signs a sample as the sender would, and says what it would start. */
  readonly test: (id: string, wish?: HookTestWish) => Promise<HookTestResult> = this.route("POST /v1/hooks/*/test")
  readonly deliveries: (id: string, filter?: { readonly limit?: number }) => Paged<Delivery> = this.paged("/v1/hooks/*/deliveries")
  readonly redeliver: (
    id: string,
    delivery: string,
  ) => Promise<{ readonly delivery: string; readonly run: string | null; readonly verdict: string }> = this.route(
    "POST /v1/hooks/*/deliveries/*/redeliver",
  )
}

export class Schedules extends Part<typeof schedules, typeof scheduleShapes> {
  readonly list: () => Paged<ScheduleRow> = this.paged("/v1/schedules")
  readonly create: (schedule: NewSchedule) => Promise<ScheduleRow> = this.route("POST /v1/schedules")
  readonly get: (id: string) => Promise<ScheduleRow> = this.route("GET /v1/schedules/*")
  readonly put: (id: string, schedule: NewSchedule) => Promise<ScheduleRow> = this.route("PUT /v1/schedules/*")
  readonly delete: (id: string) => Promise<void> = this.route("DELETE /v1/schedules/*")
  readonly fire: (id: string) => Promise<{ readonly run: string | null; readonly verdict: string }> =
    this.route("POST /v1/schedules/*/fire")
  preview(cron: string, zone = "UTC", count = 5): Promise<{ readonly next: readonly string[] }> {
    return this.json("POST", "/v1/schedules/preview", { body: { cron, zone, count } })
  }
}

export class Callbacks extends Part<typeof callbacks, typeof callbackShapes> {
  readonly list: () => Paged<CallbackRow> = this.paged("/v1/callbacks")
  readonly create: (callback: NewCallback) => Promise<CallbackRow> = this.route("POST /v1/callbacks")
  readonly get: (id: string) => Promise<CallbackRow> = this.route("GET /v1/callbacks/*")
  readonly delete: (id: string) => Promise<void> = this.route("DELETE /v1/callbacks/*")
  readonly deliveries: (filter?: { readonly run?: string; readonly status?: CallbackDelivery["status"] }) => Paged<CallbackDelivery> =
    this.paged("/v1/callback-deliveries")
  readonly redrive: (message: string) => Promise<{ readonly id: string; readonly status: "pending" }> = this.route(
    "POST /v1/callback-deliveries/*/redrive",
  )
}
