// Serves schedules [W5]: checks them when written, lists, replaces, deletes and fires them, and previews cron expressions.

import { isFlowId } from "../../core/text/names.ts"
import { isoTime } from "../../core/text/iso-time.ts"
import { isoTimes } from "../../core/text/iso-time.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { scheduleFaults } from "../../engine/catalog/config/trigger-faults.ts"
import { finalFaults } from "../../engine/catalog/pin/start-faults.ts"
import { nextFires } from "../../engine/time/cron.ts"
import { readSchedule, timeFaults } from "../../engine/time/read-schedule.ts"
import { MOST_SCHEDULES, type ScheduleRow, type ScheduleSettings } from "../../ports/tenant/schedules.ts"
import { isPlaced, pathAt, addressOf } from "../middleware/address.ts"
import { json } from "../middleware/body.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { invalid, NOT_FOUND, refuse, type Fault, type Refusal } from "../middleware/problem.ts"
import { page } from "../middleware/page.ts"
import { NoBody } from "../../api/route/route.ts"
import { refuseIf } from "../runs/runs.ts"
import { ScheduleBody } from "../../core/project/schedule-body.ts"
import { PreviewBody, schedules } from "../../api/schedules.ts"
import { cleanJson } from "../../engine/run/arrival.ts"

export async function createSchedule(c: Call): Promise<Response> {
  const settings = await settingsOf(c)
  if (!settings.ok) return refuse(c, settings.error)
  const row = await c.get("tenant").schedules.create(settings.value, c.get("act"))
  if (row !== "too_many") return c.json(shown(row), 201, { location: pathAt(c, `/v1/schedules/${row.id}`) })
  return refuse(c, {
    code: "too_many_schedules",
    detail: `A tenant has at most ${MOST_SCHEDULES} schedules; delete those that are not used.`,
  })
}

export const listSchedules = async (c: Call): Promise<Response> => page(c, (await c.get("tenant").schedules.list()).map(shown))

export async function getSchedule(c: Call): Promise<Response> {
  const row = await c.get("tenant").schedules.find(param(c, "schedule"))
  return row ? c.json(shown(row)) : refuse(c, NOT_FOUND)
}

/** Replaces all settings: fields that are left out get their defaults. */
export async function putSchedule(c: Call): Promise<Response> {
  const { schedules } = c.get("tenant")
  const id = param(c, "schedule")
  const settings = await settingsOf(c)
  if (!settings.ok) return refuseIf(c, schedules.find(id), settings.error)
  const row = await schedules.replace(id, settings.value)
  return row ? c.json(shown(row)) : refuse(c, NOT_FOUND)
}

export async function deleteSchedule(c: Call): Promise<Response> {
  const gone = await c.get("tenant").schedules.remove(param(c, "schedule"))
  return gone ? c.body(null, 204) : refuse(c, NOT_FOUND)
}

export async function fireSchedule(c: Call): Promise<Response> {
  const { schedules } = c.get("tenant")
  const id = param(c, "schedule")
  const body = json(c, NoBody)
  if (!body.ok) return refuseIf(c, schedules.find(id), body.error)
  const fired = await schedules.fire(id, c.get("act"))
  if (!fired) return refuse(c, NOT_FOUND)
  if (fired.verdict === "failed")
    return refuse(c, { code: "not_started", detail: `The run could not be started: ${fired.reason}.`, more: { run: fired.run } })
  return c.json(fired, 202)
}

export function previewSchedule(c: Call): Response {
  const body = json(c, PreviewBody)
  if (!body.ok) return refuse(c, body.error)
  const { cron, zone = "UTC", from, count = 5 } = body.value
  const faults = timeFaults(cron, zone)
  if (faults.length > 0) return refuse(c, invalid(faults))
  return c.json({ next: nextFires(cron, zone, from === undefined ? Date.now() : Date.parse(from), count).map(isoTime) })
}

const shown = ({ last, address: _address, ...row }: ScheduleRow) => ({
  ...isoTimes(row, "created", "next"),
  last: last && isoTimes(last, "at"),
})

async function settingsOf(c: Call): Promise<Result<ScheduleSettings, Refusal>> {
  const body = json(c, ScheduleBody)
  if (!body.ok) return body
  const read = readSchedule(body.value)
  const { flow, cron, ...given } = body.value
  const faults = [...(read.ok ? [] : read.error), ...(await flowFaults(c, flow, given))]
  if (!read.ok || faults.length > 0) return err(invalid(faults))
  const { zone, overlap, enabled } = read.value
  // The schedule is shown later, so secrets are removed.
  const clean = await cleanJson(given, await c.get("tenant").secrets.redactor())
  return ok({ ...clean, flow, cron, zone, overlap, enabled, ...(isPlaced(c) ? addressOf(c) : {}) })
}

/** Refuses a schedule that could never start a run. If the flow changes later, its fires show why no run starts. */
async function flowFaults(c: Call, flow: string, given: Pick<ScheduleSettings, "task" | "inputs" | "start">): Promise<readonly Fault[]> {
  const pinned = isFlowId(flow) ? await c.get("tenant").catalog.pin({ flow }, { rehearse: false }) : undefined
  if (!pinned || (!pinned.ok && pinned.code === "not_found")) return [{ pointer: "/flow", message: "must be the id of an existing flow" }]
  if (!pinned.ok) return [{ pointer: "/flow", message: `cannot be started: ${pinned.message}` }]
  return [...scheduleFaults(given, pinned.flow), ...finalFaults(given.start, pinned.flow)]
}

export const SCHEDULE_ROUTES = routes(schedules, {
  createSchedule,
  listSchedules,
  previewSchedule,
  getSchedule,
  putSchedule,
  deleteSchedule,
  fireSchedule,
})
