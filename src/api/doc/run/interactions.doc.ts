// Describes the API's answers about interactions: questions of runs to people.

import { ANSWER_TEXTS } from "../../../core/case/case-fields.ts"
import { z } from "zod"
import { InteractionKind } from "../../../core/run/event-parts.ts"
import { MAX_GIVEN, recordOf } from "../../../core/schema/bounded.ts"
import { AnswerBody, INTERACTION_STATUS, LinkBody } from "../../run/interactions.ts"
import { documented, JsonObject, Time } from "../shape.doc.ts"

export const Interaction = z.object({
  id: z.string().describe("The interaction's id, unique within its run."),
  run: z.string().describe("The run that asks."),
  kind: InteractionKind.describe(
    "The kind: a question, a branch, an approval of a tool call or a plan, a higher budget, or a question of an MCP server during a tool call.",
  ),
  status: z.enum(INTERACTION_STATUS).describe("Only a pending interaction can be answered."),
  step: z.string().describe("The step that asks."),
  agent: z.string().exactOptional().describe("The agent of this step."),
  payload: JsonObject.describe(
    "The question, or the call to approve, with its hash. If text from outside is the reason (`reason: tainted`), `outside` names its source (`history`, `attachments`, `message` or `answers`), and `declare` says how to mark it as trusted.",
  ),
  schema: JsonObject.describe("JSON Schema of the answer's body."),
  risk: z.string().exactOptional().describe("For an approval: `low`, `medium` or `high`."),
  created: Time.describe("When the run asked."),
  expires: Time.exactOptional().describe("When the run continues without an answer."),
  default: z.json().exactOptional().describe("The answer that is assumed then."),
  answer: JsonObject.exactOptional().describe("The decision."),
  by: z
    .string()
    .exactOptional()
    .describe("Who decided: a session's person, the email that Cloudflare Access verified, the name of a key, `link` or `page`."),
  decided: Time.exactOptional().describe("When it was decided, expired or was withdrawn."),
})

/** The view of a link after its interaction is closed. */
export const ClosedInteraction = z.object({
  id: z.string().describe("The interaction's id."),
  run: z.string().describe("The run that asked."),
  status: z.enum(INTERACTION_STATUS).describe("How the interaction ended."),
})
export const LinkedInteraction = z.union([Interaction, ClosedInteraction])

/** A question outside any run. */
export const Question = z.object({
  id: z.string().describe("The question's id."),
  run: z.null().describe("Always null: no run asks."),
  kind: z.literal("ask_user").describe("Always a question."),
  status: z.enum(["pending", "answered", "withdrawn"]).describe("Only a pending question can be answered."),
  payload: JsonObject.describe("The question and its options."),
  schema: JsonObject.describe("JSON Schema of the answer's body."),
  created: Time.describe("When the question was asked."),
  answer: JsonObject.exactOptional().describe("The decision."),
  by: z
    .string()
    .exactOptional()
    .describe("Who decided: a session's person, the email that Cloudflare Access verified, or the name of a key."),
  decided: Time.exactOptional().describe("When it was decided, in the list of answered interactions."),
})
export type Question = z.output<typeof Question>

const AskedByRun = Interaction.extend({
  flow: z.string().describe("The run's flow."),
  task: z.string().exactOptional().describe("In the list: the first 200 characters of the run's task."),
  tags: z.array(z.string()).exactOptional().describe("In the list: the run's tags."),
})
export const Asked = z.union([AskedByRun, Question])
export type Asked = z.output<typeof Asked>

export const InboxCount = z.object({
  asks: z.number().describe("Open interactions of runs, and open questions that were asked outside a run."),
  effects: z.number().describe("Effects whose outcome is unknown (`uncertain`)."),
  complete: z.boolean().describe("Whether all were counted."),
})
export type InboxCount = z.output<typeof InboxCount>

export const AnswerLink = z.object({
  url: z
    .string()
    .describe("A page that shows the interaction and takes the answer. Without PUBLIC_URL and outside local development, only its path."),
  expires: Time.describe("When the link expires."),
})
export const AnswerForm = recordOf(z.string().max(MAX_GIVEN), 60)

const ASKED = {
  id: "int_1",
  run: "run_0n3v5k8q2m7x1c9z4b6p0d2f8h",
  kind: "ask_user",
  status: "pending",
  step: "choose",
  payload: { type: "select", question: "Which region?", options: [{ label: "eu" }, { label: "us" }] },
  schema: { type: "object" },
  created: "2026-11-22T09:00:00.000Z",
} satisfies z.input<typeof Interaction>

const ANSWER_FIELDS = {
  ...ANSWER_TEXTS,
  hash: "With `decision`: the hash of the call that you saw; another call is not approved.",
}

export const interactionsDoc = documented({
  parameters: {
    interaction: { description: "The interaction's id.", example: "int_1" },
    question: { description: "The question's id.", example: "q_3x7k1m" },
    token: { description: "The signed token of the link.", example: "eyJydW4iOiJydW5fMCJ9.c2ln" },
  },
  shapes: { AnswerBody, AnswerForm, AnswerLink, Asked, ClosedInteraction, InboxCount, Interaction, LinkBody, LinkedInteraction, Question },
  examples: {
    AnswerBody: { answer: "eu" },
    AnswerForm: { answer: '"eu"' },
    AnswerLink: { url: "https://sluice.example.com/i/eyJydW4iOiJydW5fMCJ9.c2ln", expires: "2026-11-23T09:00:00.000Z" },
    Asked: { ...ASKED, flow: "triage", task: "Sort this ticket.", tags: ["eu"] },
    ClosedInteraction: { id: ASKED.id, run: ASKED.run, status: "answered" },
    InboxCount: { asks: 5, effects: 1, complete: true },
    Interaction: ASKED,
    LinkBody: { ttl: 86_400, allow: ["edit"] },
    LinkedInteraction: ASKED,
    Question: {
      id: "q_3x7k1m",
      run: null,
      kind: "ask_user",
      status: "answered",
      payload: { type: "confirm", question: "Publish it?" },
      schema: { type: "object" },
      created: "2026-11-22T09:00:00.000Z",
      answer: { answer: true },
      by: "reviewer",
    },
  },
  fields: [
    [AnswerBody, ANSWER_FIELDS],
    [
      LinkBody,
      {
        ttl: "The link's lifetime in seconds: 60 to 604,800; by default a day.",
        allow: "Additional permissions: `edit` the arguments of a call, `raise` a budget; by default neither.",
      },
    ],
  ],
})
