// All shapes of the API with their descriptions and examples, and the messages that this instance sends.

import type { z } from "zod"
import { architectDoc } from "./architect.doc.ts"
import { repairsDoc } from "./repairs.doc.ts"
import { startsDoc } from "./run/starts.doc.ts"
import { bulkDoc } from "./run/bulk.doc.ts"
import { qualityDoc } from "./quality.doc.ts"
import { callbacksDoc } from "./callbacks.doc.ts"
import { catalogDoc } from "./catalog.doc.ts"
import { effectsDoc } from "./run/effects.doc.ts"
import { a2aDoc } from "./a2a.doc.ts"
import { protocolsDoc } from "./protocols.doc.ts"
import { eventsDoc } from "./run/events.doc.ts"
import { datasetsDoc } from "./datasets.doc.ts"
import { experimentsDoc } from "./experiments.doc.ts"
import { draftsDoc } from "./drafts.doc.ts"
import { feedDoc } from "./run/feed.doc.ts"
import { filesDiffDoc } from "./run/files-diff.doc.ts"
import { forksDoc } from "./run/forks.doc.ts"
import { usedDoc } from "./used.doc.ts"
import { hooksDoc } from "./hooks.doc.ts"
import { insightDoc } from "./insight.doc.ts"
import { overviewDoc } from "./overview.doc.ts"
import { instanceDoc } from "./instance.doc.ts"
import { interactionsDoc } from "./run/interactions.doc.ts"
import { mcpServersDoc } from "./mcp-servers.doc.ts"
import { promptsDoc } from "./run/prompts.doc.ts"
import { referencesDoc } from "./references.doc.ts"
import type { Tag } from "../route/route.ts"
import { messagesDoc } from "./run/messages.doc.ts"
import { runsDoc } from "./run/runs.doc.ts"
import { schedulesDoc } from "./schedules.doc.ts"
import { settingsDoc } from "./settings.doc.ts"
import { shapeDoc, type FieldTexts, type ResourceDoc } from "./shape.doc.ts"
import { signInDoc } from "./sign-in.doc.ts"
import { tenantsDoc } from "./tenants.doc.ts"
import { testsDoc } from "./tests.doc.ts"
import { toolsDoc } from "./tools.doc.ts"
import { trustDoc } from "./trust.doc.ts"
import { uiDoc } from "./ui.doc.ts"

const DOCS = [
  shapeDoc,
  runsDoc,
  messagesDoc,
  trustDoc,
  feedDoc,
  filesDiffDoc,
  promptsDoc,
  forksDoc,
  bulkDoc,
  qualityDoc,
  startsDoc,
  usedDoc,
  eventsDoc,
  interactionsDoc,
  effectsDoc,
  insightDoc,
  overviewDoc,
  catalogDoc,
  draftsDoc,
  testsDoc,
  datasetsDoc,
  experimentsDoc,
  architectDoc,
  repairsDoc,
  toolsDoc,
  mcpServersDoc,
  referencesDoc,
  hooksDoc,
  callbacksDoc,
  schedulesDoc,
  settingsDoc,
  signInDoc,
  tenantsDoc,
  instanceDoc,
  protocolsDoc,
  a2aDoc,
  uiDoc,
]

type NameOf<Doc> = Doc extends ResourceDoc<infer Name> ? Name : never
/** The names of shapes that routes may use for their responses. */
export type Shape = NameOf<(typeof DOCS)[number]>

export const SHAPES: Readonly<Record<string, z.ZodType>> = Object.assign({}, ...DOCS.map((doc) => doc.shapes))
export const EXAMPLES: Readonly<Record<string, unknown>> = Object.assign({}, ...DOCS.map((doc) => doc.examples))
export const FIELDS: ReadonlyMap<z.core.$ZodType, FieldTexts> = new Map(DOCS.flatMap((doc: ResourceDoc) => doc.fields ?? []))

export const PARAMETERS: NonNullable<ResourceDoc["parameters"]> = Object.assign({}, ...DOCS.map((doc: ResourceDoc) => doc.parameters))

/** A message that this instance sends, listed under `webhooks` in the document. */
export interface Outgoing {
  readonly tag: Tag
  readonly summary: string
  readonly description: string
  readonly headers: Readonly<Record<string, string>>
  /** The shape of its body. */
  readonly body: Shape
  /** Statuses of the receiver, and what they mean to the sender. */
  readonly answers: Readonly<Record<string, { readonly description: string; readonly body?: Shape }>>
}

/** As Standard Webhooks define them. */
const SIGNED = {
  "webhook-id": "The message's id, the same for every attempt.",
  "webhook-timestamp": "When this attempt was made, in seconds since 1970.",
  "webhook-signature": "`v1,` and a signature in base64, one for each value of the secret.",
}
const notice = (event: string, when: string): Outgoing => ({
  tag: "Callbacks",
  summary: event,
  description: `Sent ${when}, to the tenant's receivers and to the one that the run's start named. Signed according to Standard Webhooks, delivered at least once, in any order.`,
  headers: { ...SIGNED, "x-sluice-depth": "The number of callbacks in the chain that led to this message, including this one." },
  body: "RunNotice",
  answers: {
    "2XX": { description: "The message is delivered." },
    "410": { description: "The receiver is disabled, and receives no more messages." },
    default: { description: "The message is sent again, up to 13 times within three days. Redirects are failures." },
  },
})

export const OUTGOING: Readonly<Record<string, Outgoing>> = {
  "run.succeeded": notice("A run succeeded", "when a run ends with success"),
  "run.failed": notice("A run failed", "when a run fails"),
  "run.canceled": notice("A run was canceled", "when a run is canceled"),
  "run.waiting": notice("A run waits for a person", "when a run waits for a person"),
  "plan.execute": {
    tag: "Tools",
    summary: "A plan must be executed",
    description:
      "Sent once to the dispatcher of a plan's kind, when a run executes an approved plan. Signed according to Standard Webhooks.",
    headers: { ...SIGNED, "idempotency-key": "An id of the run and the plan, the same for every attempt." },
    body: "PlanExecution",
    answers: {
      "2XX": { description: "The result of the plan; an empty body or null reports nothing.", body: "PlanResult" },
      default: { description: "The plan has failed." },
    },
  },
}

/** Examples of text bodies by media type. */
export const TEXT_EXAMPLES: Readonly<Record<string, string>> = {
  "application/yaml": "name: sort\ndescription: Sorts tickets by urgency.\nsteps:\n  - id: read\n    agent: sorter\n",
  "text/markdown": "---\nname: sorter\ndescription: Reads a ticket.\n---\nHow urgent is ${{task}}?\n",
  "text/plain": "Three tickets are urgent.\n",
  "text/event-stream": 'data: {"id":"chatcmpl-1"}\n\ndata: [DONE]\n\n',
  "application/jsonl": '{"receipt":1}\n{"seq":1}\n{"events":1}\n',
  "application/xml": '<?xml version="1.0"?><testsuites/>\n',
  "text/csv":
    "day,runs,failed,children,input,cached,output,usd,unpriced,model_calls,tool_calls,tool_errors\r\n2026-11-22,412,9,30,4821000,3100000,512000,6.98,0,1690,2204,31\r\n",
  "text/html": "<!doctype html><title>Sluice asks</title>",
  "text/typescript": "export default function (input: { score: number }) {\n  return { urgent: input.score > 7 }\n}\n",
  "text/javascript": "export default function (input) {\n  return { urgent: input.score > 7 }\n}\n",
}
