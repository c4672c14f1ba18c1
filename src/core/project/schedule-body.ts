// Defines the settings of a schedule [W5]: the body of `POST /v1/schedules`, and the file `schedules/NAME.yaml`.

import { z } from "zod"
import { EffectsMode } from "../run/event-parts.ts"
import { GivenFiles } from "../run/given-file.ts"
import { Thread } from "../run/thread.ts"
import { MAX_GIVEN, name, objectWithin, within } from "../schema/bounded.ts"
import { TriggerStart } from "../start/start-schema.ts"
import { later } from "../schema/later.ts"

const MAX_TASK = 100_000 // limit: characters of a schedule's task → 422 at `/task`

/** What happens at a fire while a run of the schedule is still active. */
export const OVERLAPS = ["skip", "queue", "parallel"] as const
export type Overlap = (typeof OVERLAPS)[number]

export const ScheduleBody = later(() =>
  z.strictObject({
    flow: name,
    cron: name,
    zone: name.exactOptional(),
    task: z.string().max(MAX_TASK, `must have at most ${MAX_TASK} characters`).exactOptional(),
    inputs: objectWithin(MAX_GIVEN).exactOptional(),
    files: within(GivenFiles, MAX_GIVEN).exactOptional(),
    thread: Thread.exactOptional(),
    overlap: z.enum(OVERLAPS).exactOptional(),
    effects: EffectsMode.exactOptional(),
    start: TriggerStart.exactOptional(),
    enabled: z.boolean().exactOptional(),
  }),
)
