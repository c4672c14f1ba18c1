// Describes the API's answers about bulks.

import { z } from "zod"
import { BULK_ACTIONS } from "../../../core/run/bulk-act.ts"
import { BULK_FINDERS, BULK_OUTCOMES, BULK_STATUSES, BulkBody } from "../../run/bulk.ts"
import { AGAIN_FIELDS, FORK_FIELDS } from "./forks.doc.ts"
import { documented, Time } from "../shape.doc.ts"

const action = z.enum(BULK_ACTIONS).describe("What is done with each run.")
const count = z.number().describe("How many runs it has.")
const id = z.string().describe("The bulk's id, which is also a tag of the runs that it starts.")

export const Bulk = z.object({
  id,
  action,
  by: z.string().describe("The name of the key that asked for it."),
  created: Time.describe("When it was asked for."),
  status: z.enum(BULK_STATUSES).describe("`stopped`: the runs that still wait are not worked off."),
  count,
  done: z.number().describe("How many of them it was done with."),
  skipped: z.number().describe("How many of them it is not for."),
  failed: z.number().describe("How many of them it could not be done with."),
})
export type BulkRow = z.output<typeof Bulk>

export const BulkItem = z.object({
  run: z.string().describe("The run."),
  outcome: z.enum(BULK_OUTCOMES).describe("What became of it; `waiting`: nothing yet."),
  new: z.string().exactOptional().describe("The run that was started."),
  reason: z.string().exactOptional().describe("Why it was skipped, why it failed, or what it waits for."),
})
export type BulkItemRow = z.output<typeof BulkItem>

export const BulkCheck = z.object({
  action,
  count,
  complete: z.boolean().describe("False if more runs may match: it looked at 20,000 runs, and narrower filters are needed."),
  effects: z
    .object({
      live: z.number().describe("Runs that carry out what changes something outside."),
      staged: z.number().describe("Runs that keep it."),
      dry: z.number().describe("Runs that carry out nothing."),
    })
    .describe("How many of the runs treat effects in which way."),
  runs: z.array(z.string()).describe("The ids of the first 20."),
})
export type BulkCounted = z.output<typeof BulkCheck>
export const BulkBegun = z.object({ id, action, count })
export type BulkStarted = z.output<typeof BulkBegun>

const RUN = "run_0n3v5k8q2m7x1c9z4b6p0d2f8h"
const BULK = { id: "bulk_3f9k2m1x0a", action: "again", count: 1_213 } as const

const FROM = [
  "`failed`: the last pass of the step that failed the run, or the beginning. Or a step of each run; by default the beginning.",
  { step: "Before this step opened." },
] as const

export const bulkDoc = documented({
  parameters: { bulk: { description: "The bulk's id.", example: BULK.id } },
  shapes: { Bulk, BulkBegun, BulkBody, BulkCheck, BulkItem },
  examples: {
    Bulk: { ...BULK, by: "ana", created: "2026-11-22T14:21:00.000Z", status: "running", done: 430, skipped: 15, failed: 23 },
    BulkBegun: BULK,
    BulkBody: { action: "again", filter: { status: "failed", flow: "support:*", since: "7d" }, most: 2_000 },
    BulkCheck: { action: "again", count: 1_213, complete: true, effects: { live: 1_180, staged: 21, dry: 12 }, runs: [RUN] },
    BulkItem: { run: RUN, outcome: "done", new: "run_6x1m9k2f0a7c3e5b8d1g4h6j2k" },
  },
  fields: [
    [
      BulkBody,
      {
        action: "What is done with each run.",
        filter: [
          "Which runs: at least one filter of the list of runs, written as in its query.",
          Object.fromEntries(Object.entries(BULK_FINDERS).map(([name, { description }]) => [name, description])),
        ],
        runs: "Which runs, by their ids, instead of a filter. Ids of runs that are not there are left out.",
        most: "The most runs that may match: 1 to 10,000; 1,000 by default.",
        again: ["How each run is run again; as in `POST /v1/runs/RUN/again`.", AGAIN_FIELDS],
        fork: ["How each run is forked; as in `POST /v1/runs/RUN/fork`, but for `from`.", { ...FORK_FIELDS, from: FROM }],
      },
    ],
  ],
})
