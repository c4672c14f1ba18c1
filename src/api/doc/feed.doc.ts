// Describes the events of the tenant's stream.

import { z } from "zod"
import { documented, Time } from "./shape.doc.ts"

const FeedEvent = z.object({
  id: z.string().describe("Send it as `Last-Event-ID` to go on after this event."),
  type: z
    .enum([
      "stream.began",
      "stream.gap",
      "run.began",
      "run.changed",
      "run.ended",
      "run.deleted",
      "question.asked",
      "question.answered",
      "revision.written",
      "draft.written",
      "draft.removed",
    ])
    .describe("What has happened. `stream.gap`: events were lost, so read the lists anew."),
  at: Time.describe("When it happened."),
  run: z.string().exactOptional().describe("The run that it is about."),
  flow: z.string().exactOptional().describe("Its flow."),
  status: z.string().exactOptional().describe("Its status."),
  pending: z.number().exactOptional().describe("How many of its questions are open."),
  parent: z.string().exactOptional().describe("The run that it is a child of."),
  thread: z.string().exactOptional().describe("The conversation that it belongs to."),
  question: z.string().exactOptional().describe("The question that was asked or answered outside a run."),
  revision: z.number().exactOptional().describe("The revision of the catalog."),
  action: z.string().exactOptional().describe("How it was written."),
  draft: z.string().exactOptional().describe("The draft of the catalog."),
  by: z.string().exactOptional().describe("Who wrote it."),
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
    "Each message has an `id`, an `event` with the type, and as `data` one line of JSON: `id`, `type`, `at`; of a run `run`, `flow`, `status`, `pending`, `parent`, `thread`; of a question outside runs `question`; of a revision `revision`, `action`, `by`; of a draft `draft`, `by`. A comment shows that the stream is alive.",
  )

export const feedDoc = documented({
  shapes: { FeedStream },
  examples: {
    FeedStream: `id: ${EXAMPLE.id}\nevent: ${EXAMPLE.type}\ndata: ${JSON.stringify(EXAMPLE)}\n\n`,
  },
})
