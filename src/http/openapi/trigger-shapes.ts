// What the API answers about webhooks, callbacks and schedules, as schemas; shapes.ts says how they are meant.

import { z } from "zod"
import { Amount } from "../../core/money/amount.ts"
import { NOTICES } from "../../core/run/notice.ts"
import { HOOK_KINDS } from "../../core/webhook/hook.ts"
import { MESSAGE_STATUS } from "../../ports/callbacks.ts"
import { OVERLAPS } from "../../ports/schedules.ts"
import { JsonObject, Time } from "./shapes.ts"

export const Hook = z.object({
  id: z.string(),
  url: z.string(),
  flow: z.string(),
  kind: z.enum(HOOK_KINDS),
  secret: z.string(),
  header: z.string().exactOptional(),
  mapping: z.object({ task: z.string().exactOptional(), inputs: JsonObject.exactOptional() }),
  filter: z.string().exactOptional(),
  dedupe: z.string().exactOptional(),
  autonomous: z.boolean(),
  budget: Amount.exactOptional(),
  enabled: z.boolean(),
  created: Time,
})

const verdict = z.enum(["accepted", "filtered", "duplicate", "ping", "rejected", "malformed", "failed"])
export const Taken = z.object({ delivery: z.string(), run: z.string().nullable(), verdict })
/** Slack's address check gets its word back. */
export const Received = z.union([Taken, z.object({ challenge: z.string() })])
export const Delivery = z.object({
  id: z.string(),
  at: Time,
  external_id: z.string().nullable(),
  verdict,
  reason: z.string().nullable(),
  run: z.string().nullable(),
  duplicates: z.number(),
  redelivery_of: z.string().nullable(),
})

export const Callback = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.enum(NOTICES)),
  secret: z.string(),
  enabled: z.boolean(),
  created: Time,
})
export const CallbackDelivery = z.object({
  id: z.string().describe("the webhook-id of every try"),
  run: z.string(),
  callback: z.string().nullable(),
  url: z.string(),
  type: z.string(),
  status: z.enum(MESSAGE_STATUS),
  attempts: z.number(),
  last_status: z.number().nullable(),
  last_error: z.string().nullable(),
  created: Time,
})

export const Schedule = z.object({
  id: z.string(),
  flow: z.string(),
  cron: z.string(),
  zone: z.string(),
  task: z.string().exactOptional(),
  inputs: JsonObject.exactOptional(),
  overlap: z.enum(OVERLAPS),
  enabled: z.boolean(),
  created: Time,
  next: Time.nullable(),
  last: z.object({ at: Time, run: z.string().nullable(), error: z.string().exactOptional() }).nullable(),
})
export const Fired = z.object({ run: z.string().nullable(), verdict: z.enum(["started", "skipped", "queued"]) })
export const Fires = z.object({ next: z.array(Time) })

export const NAMED_OF_TRIGGERS: Readonly<Record<string, z.ZodType>> = { Callback, CallbackDelivery, Delivery, Hook, Schedule, Taken }
