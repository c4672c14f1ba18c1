// Webhooks, callbacks and schedules: how each route of theirs is described.

import { z } from "zod"
import { CallbackBody } from "../triggers/callbacks.ts"
import { HookBody } from "../triggers/hooks.ts"
import { NoBody } from "../runs/runs.ts"
import { PreviewBody, ScheduleBody } from "../triggers/schedules.ts"
import { CURSOR, PAGE, limitTo } from "./parameters.ts"
import { listOf } from "./shapes.ts"
import type { Table } from "./told.ts"
import { Callback, CallbackDelivery, Delivery, Fired, Fires, Hook, Received, Schedule, Taken } from "./trigger-shapes.ts"

const hook = { says: "The hook.", body: Hook }
const schedule = { says: "The schedule.", body: Schedule }

export const TRIGGERS: Table = {
  "GET /v1/hooks": {
    id: "listHooks",
    tag: "Webhooks",
    does: "List hooks, newest first",
    query: PAGE,
    answers: { 200: { says: "All hooks.", body: listOf(Hook) } },
  },
  "POST /v1/hooks": {
    id: "createHook",
    tag: "Webhooks",
    does: "Make a hook: an address whose deliveries start runs of a flow",
    body: HookBody,
    answers: { 201: hook },
    refuses: ["too_many_hooks"],
  },
  "GET /v1/hooks/{hook}": { id: "getHook", tag: "Webhooks", does: "Look at a hook", answers: { 200: hook } },
  "PUT /v1/hooks/{hook}": {
    id: "putHook",
    tag: "Webhooks",
    does: "Replace a hook's settings",
    more: "What is not said is the default again.",
    body: HookBody,
    answers: { 200: hook },
  },
  "DELETE /v1/hooks/{hook}": { id: "deleteHook", tag: "Webhooks", does: "Delete a hook", answers: { 204: { says: "Deleted." } } },
  "POST /v1/hooks/{hook}": {
    id: "deliver",
    tag: "Webhooks",
    does: "Deliver to a hook, as its sender signs it",
    more: "The signature is checked over the raw bytes. The same delivery again is answered with the same run.",
    body: { "*/*": "bytes" },
    noKey: true,
    answers: {
      200: { says: "A duplicate, a ping, or the word of an address check.", body: Received },
      202: { says: "Durable; `run` is null when the filter held it back.", body: Received },
    },
    refuses: ["not_found", "unproven", "malformed_json"],
  },
  "GET /v1/hooks/{hook}/deliveries": {
    id: "listDeliveries",
    tag: "Webhooks",
    does: "List a hook's deliveries, newest first",
    query: { limit: limitTo(200, 50), cursor: CURSOR },
    answers: { 200: { says: "A page of deliveries.", body: listOf(Delivery) } },
  },
  "POST /v1/hooks/{hook}/deliveries/{delivery}/redeliver": {
    id: "redeliver",
    tag: "Webhooks",
    does: "Start a new run of a delivery",
    body: NoBody,
    answers: { 202: { says: "Started.", body: Taken } },
    refuses: ["not_redeliverable"],
  },
  "POST /v1/callbacks": {
    id: "createCallback",
    tag: "Callbacks",
    does: "Make a receiver of messages about all runs of the tenant",
    body: CallbackBody,
    answers: { 201: { says: "The receiver.", body: Callback, headers: ["location"] } },
    refuses: ["too_many_callbacks"],
  },
  "GET /v1/callbacks": {
    id: "listCallbacks",
    tag: "Callbacks",
    does: "List receivers, newest first",
    query: PAGE,
    answers: { 200: { says: "All receivers.", body: listOf(Callback) } },
  },
  "GET /v1/callbacks/{callback}": {
    id: "getCallback",
    tag: "Callbacks",
    does: "Look at a receiver",
    answers: { 200: { says: "The receiver.", body: Callback } },
  },
  "DELETE /v1/callbacks/{callback}": {
    id: "deleteCallback",
    tag: "Callbacks",
    does: "Delete a receiver and its messages",
    answers: { 204: { says: "Deleted." } },
  },
  "GET /v1/callback-deliveries": {
    id: "listCallbackDeliveries",
    tag: "Callbacks",
    does: "List messages and what became of them, newest first",
    query: {
      limit: limitTo(200, 50),
      cursor: CURSOR,
      run: { schema: z.string(), says: "About this run." },
      status: { schema: z.string(), says: "Of pending, delivered, dead, joined by commas." },
    },
    answers: { 200: { says: "A page of messages.", body: listOf(CallbackDelivery) } },
  },
  "POST /v1/callback-deliveries/{message}/redrive": {
    id: "redriveCallbackDelivery",
    tag: "Callbacks",
    does: "Send a message again",
    body: NoBody,
    optional: true,
    answers: { 202: { says: "It is tried from now on.", body: z.object({ id: z.string(), status: z.literal("pending") }) } },
    refuses: ["already_delivered"],
  },
  "GET /v1/schedules": {
    id: "listSchedules",
    tag: "Schedules",
    does: "List schedules, newest first",
    query: PAGE,
    answers: { 200: { says: "All schedules.", body: listOf(Schedule) } },
  },
  "POST /v1/schedules": {
    id: "createSchedule",
    tag: "Schedules",
    does: "Make a schedule: a flow that starts by the clock",
    body: ScheduleBody,
    answers: { 201: { ...schedule, headers: ["location"] } },
    refuses: ["too_many_schedules"],
  },
  "POST /v1/schedules/preview": {
    id: "previewSchedule",
    tag: "Schedules",
    does: "The next times that a cron expression means",
    body: PreviewBody,
    answers: { 200: { says: "Times, soonest first.", body: Fires } },
  },
  "GET /v1/schedules/{schedule}": { id: "getSchedule", tag: "Schedules", does: "Look at a schedule", answers: { 200: schedule } },
  "PUT /v1/schedules/{schedule}": {
    id: "putSchedule",
    tag: "Schedules",
    does: "Replace a schedule",
    more: "What is not said is the default again.",
    body: ScheduleBody,
    answers: { 200: schedule },
  },
  "DELETE /v1/schedules/{schedule}": {
    id: "deleteSchedule",
    tag: "Schedules",
    does: "Delete a schedule",
    answers: { 204: { says: "Deleted." } },
  },
  "POST /v1/schedules/{schedule}/fire": {
    id: "fireSchedule",
    tag: "Schedules",
    does: "Fire a schedule now, as if its time had come",
    body: NoBody,
    optional: true,
    answers: { 202: { says: "What became of it.", body: Fired } },
    refuses: ["not_started"],
  },
}
