// Hooks and schedules start runs; callbacks report them to other systems.

import { Paged } from "./paged.ts"
import type { CallbackDelivery, CallbackRow } from "../api/doc/callbacks.doc.ts"
import type { NewCallback } from "../api/callbacks.ts"
import type { Delivery, HookRow, HookTestResult } from "../api/doc/hooks.doc.ts"
import type { HookTestWish, NewHook } from "../api/hooks.ts"
import type { ScheduleRow } from "../api/doc/schedules.doc.ts"
import type { NewSchedule } from "../api/schedules.ts"
import { part, type Transport } from "./transport.ts"

export class Hooks {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  list(): Paged<HookRow> {
    return new Paged(this.#transport, "/v1/hooks")
  }
  create(hook: NewHook): Promise<HookRow> {
    return this.#transport.json("POST", "/v1/hooks", { body: hook })
  }
  get(id: string): Promise<HookRow> {
    return this.#transport.json("GET", `/v1/hooks/${part(id)}`)
  }
  put(id: string, hook: NewHook): Promise<HookRow> {
    return this.#transport.json("PUT", `/v1/hooks/${part(id)}`, { body: hook })
  }
  delete(id: string): Promise<void> {
    return this.#transport.json("DELETE", `/v1/hooks/${part(id)}`)
  }
  /** Signs a sample as the sender would, and says what it would start. */
  test(id: string, wish: HookTestWish = {}): Promise<HookTestResult> {
    return this.#transport.json("POST", `/v1/hooks/${part(id)}/test`, { body: wish })
  }
  deliveries(id: string): Paged<Delivery> {
    return new Paged(this.#transport, `/v1/hooks/${part(id)}/deliveries`)
  }
  redeliver(id: string, delivery: string): Promise<{ readonly delivery: string; readonly run: string | null; readonly verdict: string }> {
    return this.#transport.json("POST", `/v1/hooks/${part(id)}/deliveries/${part(delivery)}/redeliver`)
  }
}

export class Schedules {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  list(): Paged<ScheduleRow> {
    return new Paged(this.#transport, "/v1/schedules")
  }
  create(schedule: NewSchedule): Promise<ScheduleRow> {
    return this.#transport.json("POST", "/v1/schedules", { body: schedule })
  }
  get(id: string): Promise<ScheduleRow> {
    return this.#transport.json("GET", `/v1/schedules/${part(id)}`)
  }
  put(id: string, schedule: NewSchedule): Promise<ScheduleRow> {
    return this.#transport.json("PUT", `/v1/schedules/${part(id)}`, { body: schedule })
  }
  delete(id: string): Promise<void> {
    return this.#transport.json("DELETE", `/v1/schedules/${part(id)}`)
  }
  fire(id: string): Promise<{ readonly run: string | null; readonly verdict: string }> {
    return this.#transport.json("POST", `/v1/schedules/${part(id)}/fire`)
  }
  preview(cron: string, zone = "UTC", count = 5): Promise<{ readonly next: readonly string[] }> {
    return this.#transport.json("POST", "/v1/schedules/preview", { body: { cron, zone, count } })
  }
}

export class Callbacks {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  list(): Paged<CallbackRow> {
    return new Paged(this.#transport, "/v1/callbacks")
  }
  create(callback: NewCallback): Promise<CallbackRow> {
    return this.#transport.json("POST", "/v1/callbacks", { body: callback })
  }
  get(id: string): Promise<CallbackRow> {
    return this.#transport.json("GET", `/v1/callbacks/${part(id)}`)
  }
  delete(id: string): Promise<void> {
    return this.#transport.json("DELETE", `/v1/callbacks/${part(id)}`)
  }
  deliveries(filter: { readonly run?: string; readonly status?: CallbackDelivery["status"] } = {}): Paged<CallbackDelivery> {
    return new Paged(this.#transport, "/v1/callback-deliveries", filter)
  }
  redrive(message: string): Promise<{ readonly id: string; readonly status: "pending" }> {
    return this.#transport.json("POST", `/v1/callback-deliveries/${part(message)}/redrive`)
  }
}
