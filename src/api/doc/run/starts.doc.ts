// Describes the API's list of starts.

import { z } from "zod"
import { PRIORITIES } from "../../../core/start/start-block.ts"
import { WAIT_REASONS } from "../../../core/start/start-wait.ts"
import { START_STATES } from "../../run/starts.ts"
import { RUN } from "./run-pieces.doc.ts"
import { documented, Time } from "../shape.doc.ts"

const Held = z.object({
  pool: z.string().describe("The pool of the key."),
  key: z.string().describe("The key."),
  limit: z.number().describe("The start's own limit, as it counts now."),
})

export const Start = z.object({
  run: z.string().describe("The run, which has its id from its arrival on."),
  flow: z.string().describe("The flow."),
  state: z.enum(START_STATES).describe("`running`: the run holds its key until it and all runs below it have ended."),
  arrived: Time.describe("When it arrived."),
  priority: z.enum(PRIORITIES).describe("Its priority."),
  merged: z.number().describe("Of how many starts it is made."),
  concurrency: Held.exactOptional().describe("The key of which so many runs may be at work."),
  throttle: Held.extend({ period: z.number().describe("Milliseconds.") })
    .exactOptional()
    .describe("The key of which so many runs may begin within a period."),
  waiting: z
    .object({
      reason: z.enum(WAIT_REASONS).describe("What holds it."),
      until: Time.exactOptional().describe("When time alone may end the wait."),
      pool: z.string().exactOptional().describe("The pool of the key that holds it."),
      key: z.string().exactOptional().describe("The key that holds it."),
      ahead: z.number().exactOptional().describe("How many starts go before it, counted up to 100."),
      run: z.string().exactOptional().describe("The oldest run that holds the key."),
      expires: Time.exactOptional().describe("When the start ends unbegun."),
    })
    .exactOptional()
    .describe("Of a start that waits."),
})
export type StartRow = z.output<typeof Start>

export const startsDoc = documented({
  shapes: { Start },
  examples: {
    Start: {
      run: RUN,
      flow: "review",
      state: "waiting",
      arrived: "2026-11-22T09:00:00.000Z",
      priority: "low",
      merged: 1,
      concurrency: { pool: "review", key: "acme/shop#7", limit: 1 },
      waiting: { reason: "concurrency", pool: "review", key: "acme/shop#7", ahead: 2, run: "run_6x1m9k2f0a7c3e5b8d1g4h6j2k" },
    },
  },
})
