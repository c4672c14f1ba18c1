// Describes the API's answers about webhooks in.

import { z } from "zod"
import { Amount } from "../../core/money/amount.ts"
import { EffectsMode } from "../../core/run/event-parts.ts"
import { HOOK_KINDS } from "../../core/webhook/hook.ts"
import { HookTestBody } from "../hooks.ts"
import { ObeyedStart, START_TEXT, TRIGGER_START_FIELDS } from "./run/start-block.doc.ts"
import { TriggerStart } from "../../core/start/start-schema.ts"
import { HookBody } from "../../core/webhook/hook-body.ts"
import { documented, EFFECTS_TEXT, JsonObject, Time } from "./shape.doc.ts"

const Mapping = z.object({
  task: z.string().exactOptional().describe("A template for the run's task, such as `${{trigger.body.issue.title}}`."),
  inputs: JsonObject.exactOptional().describe("Templates for the run's inputs, by name."),
  files: JsonObject.exactOptional().describe("Templates for files of the run's workspace, by path."),
  thread: z.string().exactOptional().describe("A template for the run's thread; if it is empty, the run has no thread."),
})

export const Hook = z.object({
  id: z.string().describe("The hook's id, which cannot be guessed."),
  name: z.string().exactOptional().describe("The hook's name, if a file `hooks/NAME.yaml` of the catalog defines it."),
  url: z.string().describe("The address to which the sender delivers."),
  flow: z.string().describe("The flow that a delivery starts."),
  kind: z.enum(HOOK_KINDS).describe("How the sender authenticates."),
  secret: z.string().describe("The name (scope) of the secret in the vault that authenticates the sender; any of its values is accepted."),
  header: z.string().exactOptional().describe("For `hmac` and `token`: the header with the signature or token."),
  mapping: Mapping.describe("How a delivery becomes the run's task and inputs."),
  filter: z.string().exactOptional().describe("A condition on the body; other deliveries start nothing."),
  dedupe: z.string().exactOptional().describe("For `hmac` and `token`: a template whose value identifies a delivery."),
  autonomous: z.boolean().describe("Whether the runs never wait for a person."),
  effects: EffectsMode.exactOptional().describe("How the runs treat calls that change something outside."),
  budget: Amount.exactOptional().describe("The budget of each run."),
  start: TriggerStart.exactOptional().describe("How many deliveries become how many runs, and when these begin."),
  enabled: z.boolean().describe("Whether deliveries start runs."),
  created: Time.describe("When the hook was created."),
})
export type HookRow = z.output<typeof Hook>

const verdict = z
  .enum(["accepted", "merged", "skipped", "filtered", "duplicate", "ping", "rejected", "malformed", "failed"])
  .describe(
    "What the hook did with the delivery: an accepted one starts a run, a merged one joined a run that waits, a skipped one found its key busy.",
  )

export const Taken = z.object({
  delivery: z.string().describe("The delivery's id."),
  run: z
    .string()
    .nullable()
    .describe(
      "The run that the delivery started or joined, or the failed run if it could not start; null if there is none, and for an accepted delivery whose start is not decided yet: the delivery in the hook's list has it then.",
    ),
  verdict,
  reason: z.string().exactOptional().describe("Why a skipped delivery started nothing."),
})
export const Received = z.union([
  Taken,
  // Slack checks an address with a challenge that the answer must repeat.
  z.object({ challenge: z.string().describe("The challenge that Slack sent to check the address.") }),
])

export const Delivery = z.object({
  id: z.string().describe("The delivery's id."),
  at: Time.describe("When the delivery arrived."),
  external_id: z.string().nullable().describe("The sender's own id of the delivery."),
  verdict,
  reason: z.string().nullable().describe("Why no run started; for an accepted delivery, the references of the mapping that had no value."),
  run: z.string().nullable().describe("The run that the delivery started, or the failed run that says why it could not start."),
  duplicates: z.number().describe("The number of repeats of the delivery."),
  redelivery_of: z.string().nullable().describe("The delivery that this one repeats."),
})
export type Delivery = z.output<typeof Delivery>

export const HookTest = z.object({
  verdict: z
    .enum(["accepted", "filtered", "ping", "rejected", "failed"])
    .describe("What the hook would do; only an accepted delivery starts a run."),
  reason: z.string().nullable().describe("Why no run would start, and what to do next."),
  sent: z
    .object({
      headers: z.array(z.string()).describe("The names of the headers that the sender adds; their values are not shown."),
      body: z.json().describe("The body."),
    })
    .describe("The signed sample."),
  seen: z.json().describe("The body for the filter and the mapping: the fields of a form, or the event of GitHub's form."),
  starts: z
    .object({
      flow: z.string().describe("The flow."),
      task: z.string().describe("The run's task."),
      inputs: JsonObject.describe("The run's inputs."),
      files: z.array(z.string()).describe("Paths of the files in its workspace."),
      thread: z.string().nullable().describe("Its thread."),
      start: ObeyedStart.nullable().describe("What its start obeys, with its keys; null: nothing."),
    })
    .nullable()
    .describe("The input of the run; null if none would start."),
  missing: z.array(z.string()).describe("References of the mapping that have no value in this delivery."),
})
export type HookTestResult = z.output<typeof HookTest>

const TAKEN = { delivery: "dlv_7c1x9q", run: "run_0n3v5k8q2m7x1c9z4b6p0d2f8h", verdict: "accepted" } as const

export const hooksDoc = documented({
  parameters: {
    delivery: { description: "The delivery's id.", example: "dlv_7c1x9q" },
    hook: { description: "The hook's id.", example: "Zk3vT9q0b1x7m2n8c4y6d5Q" },
  },
  shapes: { Delivery, Hook, HookBody, HookTest, HookTestBody, Received, Taken, TriggerStart },
  examples: {
    Delivery: {
      id: "dlv_7c1x9q",
      at: "2026-11-22T09:00:00.000Z",
      external_id: "72d3162e-cc78-11e3-81ab-4c9367dc0958",
      verdict: "accepted",
      reason: null,
      run: TAKEN.run,
      duplicates: 0,
      redelivery_of: null,
    },
    Hook: {
      id: "Zk3vT9q0b1x7m2n8c4y6d5Q",
      url: "https://sluice.example.com/v1/hooks/Zk3vT9q0b1x7m2n8c4y6d5Q",
      flow: "triage",
      kind: "github",
      secret: "github",
      mapping: { task: "${{trigger.body.issue.title}}" },
      filter: 'action == "opened"',
      autonomous: true,
      budget: { usd: 0.5 },
      enabled: true,
      created: "2026-11-22T09:00:00.000Z",
    },
    HookBody: {
      flow: "triage",
      kind: "github",
      secret: "github",
      mapping: { task: "${{trigger.body.issue.title}}" },
      filter: 'action == "opened"',
      budget: { usd: 0.5 },
    },
    HookTest: {
      verdict: "accepted",
      reason: null,
      sent: {
        headers: ["x-github-event", "x-github-delivery", "x-hub-signature-256"],
        body: { action: "opened", issue: { title: "It is broken" } },
      },
      seen: { action: "opened", issue: { title: "It is broken" } },
      starts: { flow: "triage", task: "It is broken", inputs: {}, files: [], thread: null, start: null },
      missing: [],
    },
    HookTestBody: { event: "issues", body: { action: "opened", issue: { title: "It is broken" } } },
    Received: TAKEN,
    Taken: TAKEN,
  },
  fields: [
    [
      HookBody,
      {
        flow: "The flow that a delivery starts.",
        kind: "How the sender authenticates: by the signature of a known service, by `hmac`, or by a `token`.",
        secret: "The name (scope) of the secret in the vault that authenticates the sender.",
        header: "For `hmac` and `token`: the header with the signature or token.",
        mapping: "How a delivery becomes the run's task and inputs: `{task, inputs, files, thread}`, each a template.",
        filter: "A condition on the body; other deliveries start nothing.",
        dedupe: "For `hmac` and `token`: a template whose value identifies a delivery.",
        autonomous: "Whether the runs never wait for a person; true by default.",
        effects: EFFECTS_TEXT,
        budget: "The budget of each run.",
        start: START_TEXT,
        enabled: "Whether deliveries start runs; true by default.",
      },
    ],
    [TriggerStart, TRIGGER_START_FIELDS],
    [
      HookTestBody,
      {
        body: "The body that the sender posts; by default a small sample of the hook's kind.",
        type: "The body's format: `json` (default), or the fields of a `form`.",
        event: "For `github`: the event, `issues` by default.",
      },
    ],
  ],
})
