// Describes the events of the tenant's stream.

import { z } from "zod"
import { documented, Time } from "../shape.doc.ts"

const FeedEvent = z.object({
  id: z.string().describe("The event's id. Send it as `Last-Event-ID` to continue after this event."),
  type: z
    .enum([
      "stream.began",
      "stream.gap",
      "run.began",
      "run.changed",
      "run.ended",
      "run.deleted",
      "bulk.changed",
      "run.scored",
      "feedback.given",
      "question.asked",
      "question.answered",
      "revision.written",
      "draft.written",
      "draft.removed",
    ])
    .describe("The type of event. `stream.gap`: events were lost, so reload the lists."),
  at: Time.describe("The time of the event."),
  run: z.string().exactOptional().describe("The run that the event is about."),
  flow: z.string().exactOptional().describe("Its flow."),
  status: z.string().exactOptional().describe("Its status, or that of the bulk."),
  scorer: z.string().exactOptional().describe("The scorer."),
  score: z.number().nullable().exactOptional().describe("The score."),
  bulk: z.string().exactOptional().describe("The bulk that the event is about."),
  count: z.number().exactOptional().describe("How many runs the bulk has."),
  done: z.number().exactOptional().describe("How many of them it was done with."),
  skipped: z.number().exactOptional().describe("How many of them it is not for."),
  failed: z.number().exactOptional().describe("How many of them it could not be done with."),
  pending: z.number().exactOptional().describe("The number of the run's open questions."),
  parent: z.string().exactOptional().describe("The parent run."),
  thread: z.string().exactOptional().describe("The run's conversation."),
  question: z.string().exactOptional().describe("The question that was asked or answered outside a run."),
  revision: z.number().exactOptional().describe("The revision of the catalog."),
  action: z.string().exactOptional().describe("The kind of write, or what the bulk does."),
  draft: z.string().exactOptional().describe("The catalog's draft."),
  by: z.string().exactOptional().describe("The author of the revision or draft."),
})
export type FeedEvent = z.output<typeof FeedEvent>

const EXAMPLE = {
  id: "3f9k2m1x0a-7",
  type: "run.changed",
  at: "2026-11-23T09:00:00.000Z",
  run: "run_6x1m9k2f0a7c3e5b8d1g4h6j2k",
  flow: "triage",
  status: "waiting",
  pending: 1,
} as const satisfies z.input<typeof FeedEvent>

export const FeedStream = z
  .string()
  .describe(
    "Each message has an `id`, an `event` with the type, and as `data` a line of JSON: `id`, `type`, `at`; for a run `run`, `flow`, `status`, `pending`, `parent`, `thread`; for a bulk `bulk`, `action`, `status`, `count`, `done`, `skipped`, `failed`; for a score or a grade `run`, `flow`, `scorer`, `score`; for a question outside runs `question`; for a revision `revision`, `action`, `by`; for a draft `draft`, `by`. A comment shows that the stream is alive.",
  )

export const feedDoc = documented({
  shapes: { FeedStream },
  examples: {
    FeedStream: `id: ${EXAMPLE.id}\nevent: ${EXAMPLE.type}\ndata: ${JSON.stringify(EXAMPLE)}\n\n`,
  },
})
