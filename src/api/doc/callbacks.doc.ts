// Describes the API's answers about callbacks, and the messages that receivers are sent [W6].

import { z } from "zod"
import { NOTICE_FORMATS, NOTICE_KINDS, NOTICE_PAYLOADS, NOTICES } from "../../core/run/notice.ts"
import { CallbackBody } from "../../core/project/callback-body.ts"
import { MESSAGE_STATUS } from "../callbacks.ts"
import { documented, JsonObject, Time, type FieldTexts } from "./shape.doc.ts"

export const CALLBACK_FIELDS: FieldTexts = {
  url: "Where messages are sent; https, and a public host.",
  events: "Which events are sent; without it, all of them.",
  secret:
    "The scope of the vault whose values sign the messages, as Standard Webhooks do. It may be left out for `slack` and `email-webhook`.",
  kind: "`webhook`: the notice as data, by default. `slack`: blocks with a button. `email-webhook`: `subject`, `text` and `html` besides the data.",
  payload: "`whole` by default; `thin` sends only run, flow and status.",
  format: "`cloudevents`: the notice as a structured CloudEvent 1.0, signed as any other; for the kind `webhook`.",
}

export const Callback = z.object({
  id: z.string().describe("The receiver's id."),
  name: z.string().exactOptional().describe("The name of the file `callbacks/NAME.yaml` that makes it; absent for one that no file makes."),
  url: z.string().describe("Where messages are sent."),
  events: z.array(z.enum(NOTICES)).describe("Which events are sent."),
  secret: z.string().describe("The scope of the vault whose values sign the messages; empty if they are not signed."),
  kind: z.enum(NOTICE_KINDS).exactOptional().describe("What the receiver reads; absent for `webhook`."),
  payload: z.enum(NOTICE_PAYLOADS).exactOptional().describe("`thin`: only run, flow and status."),
  format: z.enum(NOTICE_FORMATS).exactOptional().describe("`cloudevents`: the notice as a CloudEvent."),
  enabled: z.boolean().describe("False after the receiver answered 410: nothing more is sent to it."),
  created: Time.describe("When the receiver was created."),
})
export type CallbackRow = z.output<typeof Callback>

export const CallbackDelivery = z.object({
  id: z.string().describe("The message's id: the `webhook-id` of every attempt."),
  run: z.string().describe("The run that the message is about."),
  callback: z.string().nullable().describe("The receiver's id; null for the receiver that the run's start named."),
  url: z.string().describe("Where the message is sent."),
  type: z.string().describe("The event, such as `run.succeeded`."),
  status: z.enum(MESSAGE_STATUS).describe("`pending` until an attempt succeeds, `dead` after the last one failed."),
  attempts: z.number().describe("How many attempts were made."),
  last_status: z.number().nullable().describe("The HTTP status of the last attempt; null if there was no answer."),
  last_error: z.string().nullable().describe("Why the last attempt failed; null if it did not."),
  created: Time.describe("When the event happened."),
})
export type CallbackDelivery = z.output<typeof CallbackDelivery>

export const RedrivenDelivery = z.object({
  id: z.string().describe("The message's id."),
  status: z.literal("pending").describe("The message is queued."),
})

/** The body of a message. */
export const RunNotice = z.object({
  type: z.enum(NOTICES).describe("The event."),
  timestamp: Time.describe("When the event happened."),
  data: z
    .object({
      run: z.string().describe("The run's id."),
      flow: z.string().describe("The run's flow."),
      status: z.enum(["succeeded", "failed", "canceled", "waiting"]).describe("The run's status at that time."),
      rehearsed: z.boolean().exactOptional().describe("Whether a rehearsal model answered. From here on absent for `thin`."),
      tags: z.array(z.string()).exactOptional().describe("The run's tags."),
      output: z.json().exactOptional().describe("The run's result."),
      error: JsonObject.exactOptional().describe("Why the run failed."),
      usage: JsonObject.exactOptional().describe("What the run has used."),
      interaction: z
        .object({
          id: z.string().describe("The interaction's id."),
          kind: z.string().describe("What is asked."),
          step: z.string().describe("The step that asks."),
          payload: JsonObject.exactOptional().describe("The question, or the call to approve."),
          run: z.string().exactOptional().describe("The run below that asks; absent: the run itself."),
          expires: Time.exactOptional().describe("When the run continues without an answer."),
          link: z.string().exactOptional().describe("A page that answers it without a key, for a week at most."),
        })
        .exactOptional()
        .describe("What a waiting run asks: its oldest open interaction."),
      omitted: z.array(z.string()).exactOptional().describe("What is too large for a message, and stands in the run."),
    })
    .describe("The run that the event is about."),
})

const RUN = "run_0n3v5k8q2m7x1c9z4b6p0d2f8h"
const MESSAGE = "msg_5f0c2e9b7a1d4c3e8f6a0b2d4c6e8f0a"

export const callbacksDoc = documented({
  parameters: {
    callback: { description: "The receiver's id.", example: "cb_4k2m8x" },
    message: { description: "The message's id.", example: "msg_5f0c2e9b7a1d4c3e8f6a0b2d4c6e8f0a" },
  },
  shapes: { Callback, CallbackBody, CallbackDelivery, RedrivenDelivery, RunNotice },
  examples: {
    Callback: {
      id: "cb_4k2m8x",
      url: "https://shop.example.com/sluice",
      events: ["run.failed", "run.waiting"],
      secret: "callback",
      enabled: true,
      created: "2026-11-22T09:00:00.000Z",
    },
    CallbackBody: { url: "https://shop.example.com/sluice", events: ["run.failed", "run.waiting"], secret: "callback" },
    CallbackDelivery: {
      id: MESSAGE,
      run: RUN,
      callback: "cb_4k2m8x",
      url: "https://shop.example.com/sluice",
      type: "run.failed",
      status: "delivered",
      attempts: 2,
      last_status: 200,
      last_error: null,
      created: "2026-11-22T09:14:03.000Z",
    },
    RedrivenDelivery: { id: MESSAGE, status: "pending" },
    RunNotice: { type: "run.succeeded", timestamp: "2026-11-22T09:14:03.000Z", data: { run: RUN, flow: "triage", status: "succeeded" } },
  },
  fields: [[CallbackBody, CALLBACK_FIELDS]],
})
