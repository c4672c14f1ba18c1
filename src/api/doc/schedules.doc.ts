// Describes the API's answers about schedules.

import { z } from "zod"
import { EffectsMode } from "../../core/run/event-parts.ts"
import { GIVEN_FILE_FIELDS } from "./run/run-pieces.doc.ts"
import { START_TEXT } from "./run/start-block.doc.ts"
import { TriggerStart } from "../../core/start/start-schema.ts"
import { OVERLAPS, ScheduleBody } from "../../core/project/schedule-body.ts"
import { PreviewBody } from "../schedules.ts"
import { documented, EFFECTS_TEXT, JsonObject, Time } from "./shape.doc.ts"

export const Schedule = z.object({
  id: z.string().describe("The schedule's id."),
  name: z.string().exactOptional().describe("The schedule's name, if a file `schedules/NAME.yaml` of the catalog defines it."),
  flow: z.string().describe("The flow that it starts."),
  cron: z.string().describe("Five cron fields: minute, hour, day of the month, month, day of the week."),
  zone: z.string().describe("The IANA time zone of the cron expression."),
  task: z.string().exactOptional().describe("The task of the runs."),
  inputs: JsonObject.exactOptional().describe("The inputs of the runs."),
  files: JsonObject.exactOptional().describe("The files at the start of the runs, by path."),
  thread: z.string().exactOptional().describe("The thread of the runs."),
  overlap: z
    .enum(OVERLAPS)
    .describe("What a fire does while a run is active: nothing, start a run afterward, or start another run immediately."),
  effects: EffectsMode.exactOptional().describe("How the runs treat calls that change something outside."),
  start: TriggerStart.exactOptional().describe("How many fires become how many runs, and when these begin."),
  enabled: z.boolean().describe("Whether the schedule is enabled."),
  created: Time.describe("When the schedule was created."),
  next: Time.nullable().describe("The next fire; null if the schedule is disabled or never matches again."),
  last: z
    .object({
      at: Time.describe("The time of the fire."),
      run: z.string().nullable().describe("The run that the fire started, or the failed run that says why it could not start."),
      error: z.string().exactOptional().describe("Why the run could not be started."),
    })
    .nullable()
    .describe("The latest fire; null before the first."),
})
export type ScheduleRow = z.output<typeof Schedule>

export const Fired = z.object({
  run: z.string().nullable().describe("The run that the fire started; null if there is none yet."),
  verdict: z
    .enum(["started", "skipped", "queued", "merged"])
    .describe("`queued`: the run waits, or the fire waits for the active run to end. `merged`: the fire joined the window of this run."),
})
export const Fires = z.object({ next: z.array(Time).describe("The next times, soonest first.") })

const SCHEDULE = { flow: "report", cron: "0 9 * * 1-5", zone: "Europe/Berlin", task: "Write the report of yesterday." } as const

export const schedulesDoc = documented({
  parameters: { schedule: { description: "The schedule's id.", example: "sch_8m2k4x" } },
  shapes: { Fired, Fires, PreviewBody, Schedule, ScheduleBody },
  examples: {
    Fired: { run: "run_0n3v5k8q2m7x1c9z4b6p0d2f8h", verdict: "started" },
    Fires: { next: ["2026-11-23T08:00:00.000Z", "2026-11-24T08:00:00.000Z"] },
    PreviewBody: { cron: SCHEDULE.cron, zone: SCHEDULE.zone, count: 2 },
    Schedule: {
      id: "sch_8m2k4x",
      ...SCHEDULE,
      overlap: "skip",
      enabled: true,
      created: "2026-11-22T09:00:00.000Z",
      next: "2026-11-23T08:00:00.000Z",
      last: null,
    },
    ScheduleBody: { ...SCHEDULE, overlap: "skip" },
  },
  fields: [
    [
      ScheduleBody,
      {
        flow: "The flow to start.",
        cron: "Five cron fields: minute, hour, day of the month, month, day of the week.",
        zone: "The IANA time zone of the cron expression; UTC by default.",
        task: "The task of the runs.",
        inputs: "The inputs of the runs.",
        files: ["The files at the start of the runs, by path: text, or an object as in a start.", GIVEN_FILE_FIELDS],
        thread: "The thread of the runs.",
        overlap: "What a fire does while a run is active; `skip` by default.",
        effects: EFFECTS_TEXT,
        start: START_TEXT,
        enabled: "Whether the schedule is enabled; true by default.",
      },
    ],
    [
      PreviewBody,
      {
        cron: "Five cron fields: minute, hour, day of the month, month, day of the week.",
        zone: "The IANA time zone of the cron expression; UTC by default.",
        from: "List times after this one; now by default.",
        count: "How many times to list; 5 by default.",
      },
    ],
  ],
})
