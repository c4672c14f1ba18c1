// Declares schedules [W5]: flows that start at set times.

import { z } from "zod"
import { ScheduleBody } from "../core/project/schedule-body.ts"
import { name } from "../core/schema/bounded.ts"
import { NoBody, PAGE, type Routes } from "./route/route.ts"

/** The type of the request body for clients. */
export type NewSchedule = z.input<typeof ScheduleBody>

export const PreviewBody = z.strictObject({
  cron: name,
  zone: name.exactOptional(),
  from: z.iso.datetime({ offset: true, error: "must be a time such as 2026-03-27T09:00:00Z" }).exactOptional(),
  count: z.int("must be a whole number").min(1, "must be at least 1").max(100, "must be at most 100").exactOptional(),
})

const SCHEDULE = { description: "The schedule.", body: "Schedule" } as const

export const schedules = {
  createSchedule: {
    method: "POST",
    path: "/v1/schedules",
    scope: "admin",
    tag: "Schedules",
    summary: "Create a schedule: a flow that starts at set times",
    body: ScheduleBody,
    answers: { 201: { ...SCHEDULE, headers: ["location"] } },
    problems: ["too_many_schedules"],
  },
  listSchedules: {
    method: "GET",
    path: "/v1/schedules",
    scope: "admin",
    tag: "Schedules",
    summary: "List schedules, newest first",
    query: PAGE,
    answers: { 200: { description: "All schedules.", body: "Schedule[]" } },
  },
  previewSchedule: {
    method: "POST",
    path: "/v1/schedules/preview",
    scope: "admin",
    tag: "Schedules",
    summary: "List the next times that a cron expression matches",
    body: PreviewBody,
    answers: { 200: { description: "Times, soonest first.", body: "Fires" } },
  },
  getSchedule: {
    method: "GET",
    path: "/v1/schedules/:schedule",
    scope: "admin",
    tag: "Schedules",
    summary: "Read a schedule",
    answers: { 200: SCHEDULE },
  },
  putSchedule: {
    method: "PUT",
    path: "/v1/schedules/:schedule",
    scope: "admin",
    tag: "Schedules",
    summary: "Replace a schedule",
    description: "Fields that are left out get their defaults.",
    body: ScheduleBody,
    answers: { 200: SCHEDULE },
  },
  deleteSchedule: {
    method: "DELETE",
    path: "/v1/schedules/:schedule",
    scope: "admin",
    tag: "Schedules",
    summary: "Delete a schedule",
    answers: { 204: { description: "Deleted." } },
  },
  fireSchedule: {
    method: "POST",
    path: "/v1/schedules/:schedule/fire",
    scope: "admin",
    tag: "Schedules",
    summary: "Fire a schedule now, as if its time had come",
    body: NoBody,
    optional: true,
    answers: { 202: { description: "What the fire did.", body: "Fired" } },
    problems: ["not_started"],
  },
} as const satisfies Routes
