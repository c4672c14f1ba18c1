// Describes the API's answers about sessions of the architect.

import { z } from "zod"
import { OpenBody, ReviseBody } from "../architect.ts"
import { SessionRepair } from "./repairs.doc.ts"
import { Diagnostic, documented, Hash, Time } from "./shape.doc.ts"

const id = z.string().describe("The session's id: that of its first run.")
const status = z
  .enum(["working", "ready", "failed", "accepted", "discarded"])
  .describe(
    "`working`: the run has not ended, or a repair's files are being tried. `ready`: the files can be accepted. `failed`: the run ended without files.",
  )
const task = z.string().describe("The request.")
const flow = z.string().exactOptional().describe("The flow to change; absent for a new one.")
const iteration = z.number().describe("The number of the iteration, from 1; each revision adds one.")
const run = z.string().describe("The run of this iteration.")
const urls = z
  .object({
    self: z.string().describe("The session."),
    accept: z.string().describe("POST here to accept the session's files."),
    revise: z.string().describe("POST here to request a revision with notes."),
    run: z.string().describe("The run of this iteration."),
    events: z.string().describe("The journal of that run."),
  })
  .describe("Links to further operations.")

export const ArchitectSession = z.object({
  id,
  status,
  task,
  flow,
  iteration,
  run,
  summary: z.string().exactOptional().describe("The architect's summary of its work."),
  error: z
    .object({ message: z.string().describe("What went wrong.") })
    .exactOptional()
    .describe("Why the run failed."),
  revision: z.number().exactOptional().describe("The catalog's revision that accepted the files."),
  valid: z.boolean().describe("Whether the files have no errors."),
  files: z
    .array(
      z.object({
        path: z.string().describe("The file's path in the catalog."),
        change: z.enum(["added", "changed"]).describe("Whether the catalog has no such file yet."),
        hash: Hash,
        text: z.string().exactOptional().describe("Whether the file is an agent, a flow, or another kind."),
        diagnostics: z.array(Diagnostic).describe("What is wrong with the file."),
        moved: z
          .object({
            base: z.string().nullable().describe("Hash of the file that the architect started from; null if there was none."),
            current: z.string().nullable().describe("Hash of the file in the catalog now; null if it was removed."),
          })
          .exactOptional()
          .describe("Present if the catalog's own file changed in the meantime."),
      }),
    )
    .describe("The files that the session would write."),
  diff: z.record(z.string(), z.string()).describe("Path → hunks of a unified diff against the catalog."),
  repair: SessionRepair.exactOptional(),
  created: Time.describe("When the session was opened."),
  updated: Time.describe("When the session last changed."),
  urls,
})
export type ArchitectSession = z.output<typeof ArchitectSession>

export const ArchitectRow = z.object({
  id,
  status,
  task,
  flow,
  iteration,
  run,
  files: z.number().describe("The number of files that the session would write."),
  created: Time.describe("When the session was opened."),
  updated: Time.describe("When the session last changed."),
})
export type ArchitectRow = z.output<typeof ArchitectRow>

export const ArchitectBegun = z.object({ id, status: z.literal("working").describe("The architect is working."), iteration, run, urls })
export type ArchitectBegun = z.output<typeof ArchitectBegun>

export const ArchitectAccepted = z.object({
  id,
  status: z.literal("accepted").describe("The files are in the catalog."),
  revision: z.number().describe("The catalog's new revision."),
  paths: z.array(z.string()).describe("The files that were written."),
})
export type ArchitectAccepted = z.output<typeof ArchitectAccepted>

const ID = "run_0n3v5k8q2m7x1c9z4b6p0d2f8h"
const TASK = "A flow that sorts support tickets by urgency."
const TIMES = { created: "2026-11-22T09:00:00.000Z", updated: "2026-11-22T09:02:00.000Z" } as const
const URLS = {
  self: `/v1/architect/${ID}`,
  accept: `/v1/architect/${ID}/accept`,
  revise: `/v1/architect/${ID}/revise`,
  run: `/v1/runs/${ID}`,
  events: `/v1/runs/${ID}/events`,
} as const

export const architectDoc = documented({
  shapes: { ArchitectAccepted, ArchitectBegun, ArchitectRow, ArchitectSession, ArchitectBody: OpenBody, ReviseBody },
  examples: {
    ArchitectAccepted: { id: ID, status: "accepted", revision: 8, paths: ["agents/sorter.md", "flows/sort.yaml"] },
    ArchitectBegun: { id: ID, status: "working", iteration: 1, run: ID, urls: URLS },
    ArchitectRow: { id: ID, status: "ready", task: TASK, iteration: 1, run: ID, files: 2, ...TIMES },
    ArchitectSession: {
      id: ID,
      status: "ready",
      task: TASK,
      iteration: 1,
      run: ID,
      summary: "One agent reads each ticket and a decision routes it.",
      valid: true,
      files: [
        {
          path: "flows/sort.yaml",
          change: "added",
          hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
          text: "name: sort\ndescription: Sorts tickets\n",
          diagnostics: [],
        },
      ],
      diff: { "flows/sort.yaml": "@@ -0,0 +1,2 @@\n+name: sort\n+description: Sorts tickets\n" },
      ...TIMES,
      urls: URLS,
    },
    ArchitectBody: { task: TASK },
    ReviseBody: { notes: "Tickets about payments are always urgent." },
  },
  fields: [
    [
      OpenBody,
      {
        task: "What the new flow should do.",
        flow: "The flow to change.",
        change: "With `flow`: the requested change.",
        thread: "The thread of the session's runs.",
      },
    ],
    [ReviseBody, { notes: "The requested changes.", fresh: "Discard the files written so far; false by default." }],
  ],
})
