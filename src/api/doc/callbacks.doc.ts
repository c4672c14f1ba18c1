// Describes the API's answers about callbacks, and the messages that receivers are sent [W6].

import { z } from "zod"
import { NOTICE_FORMATS, NOTICE_KINDS, NOTICE_PAYLOADS, NOTICES } from "../../core/run/notice.ts"
import { CallbackBody } from "../../core/project/callback-body.ts"
import { MESSAGE_STATUS } from "../callbacks.ts"
import { documented, JsonObject, Time, type FieldTexts } from "./shape.doc.ts"

export const CALLBACK_FIELDS: FieldTexts = {
  url: "The address for messages; https, and a public host.",
  events: "The events to send; by default all.",
  secret:
    "The name (scope) of the secret in the vault whose values sign the messages as Standard Webhooks. It may be left out for `slack` and `email-webhook`.",
  kind: "`webhook` (default): the notice as data. `slack`: blocks with a button. `email-webhook`: `subject`, `text` and `html` besides the data.",
  payload: "`whole` (default), or `thin` with only run, flow and status.",
  format: "`cloudevents`: the notice as a structured CloudEvent 1.0, signed like any other; for the kind `webhook`.",
}

export const Callback = z.object({
  id: z.string().describe("The receiver's id."),
  name: z.string().exactOptional().describe("The name, if a file `callbacks/NAME.yaml` of the catalog defines the receiver."),
  url: z.string().describe("The address for messages."),
  events: z.array(z.enum(NOTICES)).describe("The events to send."),
  secret: z.string().describe("The name (scope) of the secret in the vault whose values sign the messages; empty if they are not signed."),
  kind: z.enum(NOTICE_KINDS).exactOptional().describe("The form of the messages; absent for `webhook`."),
  payload: z.enum(NOTICE_PAYLOADS).exactOptional().describe("`thin`: only run, flow and status."),
  format: z.enum(NOTICE_FORMATS).exactOptional().describe("`cloudevents`: the notice as a CloudEvent."),
  enabled: z.boolean().describe("False after the receiver has answered 410: it receives no more messages."),
  created: Time.describe("When the receiver was created."),
})
export type CallbackRow = z.output<typeof Callback>

export const CallbackDelivery = z.object({
  id: z.string().describe("The message's id: the `webhook-id` of every attempt."),
  run: z.string().describe("The run that the message is about."),
  callback: z.string().nullable().describe("The receiver's id; null for the receiver that the run's start named."),
  url: z.string().describe("The address of the message."),
  type: z.string().describe("The event, such as `run.succeeded`."),
  status: z.enum(MESSAGE_STATUS).describe("`pending` until an attempt succeeds, `dead` after the last one failed."),
  attempts: z.number().describe("The number of attempts."),
  last_status: z.number().nullable().describe("The HTTP status of the last attempt; null if there was no answer."),
  last_error: z.string().nullable().describe("Why the last attempt failed; null if it succeeded."),
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
      rehearsed: z
        .boolean()
        .exactOptional()
        .describe("Whether a rehearsal model was used. This and all following members are absent for `thin`."),
      tags: z.array(z.string()).exactOptional().describe("The run's tags."),
      superseded: z.string().exactOptional().describe("The run that took the place of a canceled one."),
      output: z.json().exactOptional().describe("The run's result."),
      error: JsonObject.exactOptional().describe("Why the run failed."),
      usage: JsonObject.exactOptional().describe("The run's usage."),
      interaction: z
        .object({
          id: z.string().describe("The interaction's id."),
          kind: z.string().describe("The kind of question."),
          step: z.string().describe("The step that asks."),
          payload: JsonObject.exactOptional().describe("The question, or the call to approve."),
          run: z.string().exactOptional().describe("The child run that asks; absent if the run itself asks."),
          expires: Time.exactOptional().describe("The time at which the run continues without an answer."),
          link: z.string().exactOptional().describe("A page for answering without a key, valid for at most a week."),
        })
        .exactOptional()
        .describe("The question of a waiting run: its oldest open interaction."),
      omitted: z.array(z.string()).exactOptional().describe("The parts that are too large for a message; read them from the run."),
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
