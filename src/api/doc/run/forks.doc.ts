// Describes the API's answers about forks of runs, and about turns that are tried.

import { z } from "zod"
import { THINKING } from "../../../core/flow/agent.ts"
import { Usage } from "../../../core/money/usage.ts"
import { AgainBody, ForkBody, TryBody } from "../../run/forks.ts"
import { RunView } from "./runs.doc.ts"
import { AMOUNT_FIELDS, documented, type FieldTexts } from "../shape.doc.ts"

const step = z.string().describe("The step.")
const pass = z.number().describe("Its pass, from 1.")

const ForkCheck = z.object({
  kept: z.array(z.object({ step, pass })).describe("Steps whose results the fork keeps."),
  asked: z.array(z.object({ step, pass })).describe("Steps of the run after the cut, which the fork runs again or continues."),
  staged: z
    .array(z.object({ step, pass, tool: z.string().describe("The tool.") }))
    .describe("Calls of the run after the cut that change something outside; the fork does not repeat them automatically."),
  changed: z
    .array(z.string())
    .describe(
      "Steps that the fork's definitions change: the step itself, its agent, skills, model or handler, or the flow of its children.",
    ),
})

export type ForkCheck = z.output<typeof ForkCheck>

const Forked = z.union([RunView, ForkCheck])

const Said = {
  model: z.string().describe("The model, as `provider/model`."),
  thinking: z.enum(THINKING).nullable().describe("The requested thinking level; null if there was none."),
}

const { input, output, cacheRead, cacheWrite, reasoning, estimated } = Usage.shape
const TURN_USAGE = z.object({
  input: input.describe("Input tokens."),
  output: output.describe("Output tokens."),
  cacheRead: cacheRead.describe("Input tokens read from the provider's cache."),
  cacheWrite: cacheWrite.describe("Input tokens written to the provider's cache."),
  reasoning: reasoning.describe("Output tokens used for thinking."),
  estimated: estimated.describe("True if the provider reported no usage: the figures are the most that the call could use."),
})

const ANSWER = {
  ...Said,
  reply: z
    .object({
      text: z.string().describe("The model's text."),
      toolCalls: z
        .array(
          z.object({
            id: z.string().describe("The call's id."),
            name: z.string().describe("The tool."),
            args: z.record(z.string(), z.json()).describe("Its arguments."),
          }),
        )
        .describe("The model's tool calls. In a try, none of them runs."),
    })
    .describe("The reply, in the form of `instead.reply` of a fork."),
  stopReason: z.string().describe("Why the reply ended."),
  usage: TURN_USAGE.describe("Its tokens."),
  cost: z.number().nullable().describe("US dollars; null if the model has no price."),
  ms: z.number().describe("Milliseconds from the request to the end of the reply."),
  responseModel: z.string().optional().describe("The model as its provider names it, if that differs from the requested name."),
}

const TURN = {
  step: z.string().describe("The step."),
  pass: z.number().describe("Its pass, from 1."),
  turn: z.number().describe("The turn, from 0."),
  recorded: z.object(ANSWER).nullable().describe("The reply in the run; null if there was none."),
}

const TurnAnswer = z.object({ ...TURN, ...ANSWER })
const TurnCheck = z.object({
  ...TURN,
  ...Said,
  most: z
    .object({
      tokens: z.number().describe("Tokens, read and written; 0 for the built-in model."),
      usd: z.number().nullable().describe("US dollars; null if the model has no price."),
    })
    .describe("The maximum usage of the turn."),
})

export type TurnAnswer = z.output<typeof TurnAnswer>
export type TurnCheck = z.output<typeof TurnCheck>

const Tried = z.union([TurnAnswer, TurnCheck])

const EFFECTS =
  "`staged` keeps calls that change something outside, and asks at the end; `dry` carries out none; `live` carries them out. A policy may demand more care."

const OF_A_START: FieldTexts = {
  budget: ["The fork's budget; by default the run's remaining budget.", AMOUNT_FIELDS],
  autonomous: "Never wait for a person; by default like the run.",
  rehearse: "Use the built-in model, which calls no provider and costs nothing.",
  tags: "Labels for finding the fork; at most 20.",
}

const FROM: FieldTexts = {
  seq: "After the event with this `seq`, which must end a decision.",
  step: "Before this step opened.",
  pass: "Before this pass of the step; by default the last.",
  turn: "Before the model call of this turn of its conversation, from 0.",
  interaction: "Before this question was answered or expired, or now if it is open.",
}

const INSTEAD: FieldTexts = {
  finish: [
    "A different end of the step of `from`.",
    {
      status: "`complete`, `error` or `blocked`.",
      summary: "A summary of the step.",
      outputs: "The declared outputs.",
      branch: "The label of the branch, for a step that chooses.",
      artifacts: "The artifacts for later steps, as text.",
    },
  ],
  reply: [
    "A different reply of the model in the turn of `from`.",
    {
      text: "The model's text.",
      toolCalls: ["The model's tool calls.", { name: "The tool.", args: "Its arguments.", id: "The call's id; generated by default." }],
    },
  ],
  answer: "A different answer to the interaction of `from`: the body of its route.",
}

const PATCH: FieldTexts = {
  revision: "Use the definitions of this revision of the catalog.",
  definitions: "Path → its text, or null without the file, over the definitions of the run.",
  models: "Agent → its model.",
  task: "A different task; only from the beginning.",
  inputs: "Different inputs; only from the beginning.",
  trigger: "What `${{trigger.…}}` reads; from the beginning only.",
}

export const FORK_FIELDS: FieldTexts = {
  from: ["The place at which the fork leaves the run; by default the beginning.", FROM],
  instead: ["The replacement for what the run did there.", INSTEAD],
  patch: ["The changes for this fork alone.", PATCH],
  effects: `What the fork does with calls that change something outside. ${EFFECTS} \`staged\`, if absent.`,
  ...OF_A_START,
}

export const AGAIN_FIELDS: FieldTexts = { effects: `${EFFECTS} As the run was, if absent.`, ...OF_A_START }

const TRY_FIELDS: FieldTexts = {
  pass: "The pass of the step; by default the last.",
  turn: "The turn of its conversation, from 0; by default the last.",
  model: "The model to call: a role, or `provider/model`; by default as recorded.",
  prompt: "A text that replaces the agent's own. Its templates are filled as they were when the step opened.",
  thinking: "The thinking level; by default that of the model's suffix, or as recorded.",
}

const WROTE = {
  reply: { text: "", toolCalls: [{ id: "call_1", name: "finish", args: { status: "complete", summary: "The report is written." } }] },
  stopReason: "toolUse",
  usage: { input: 2_104, output: 188 },
}

export const forksDoc = documented({
  shapes: { AgainBody, ForkBody, Forked, TryBody, Tried },
  examples: {
    AgainBody: { tags: ["mended"] },
    ForkBody: { from: { step: "write" }, patch: { models: { writer: "anthropic/claude-sonnet-5" } } },
    Forked: { kept: [{ step: "read", pass: 1 }], asked: [{ step: "write", pass: 1 }], staged: [], changed: ["write"] },
    TryBody: { model: "anthropic/claude-sonnet-5", thinking: "low" },
    Tried: {
      step: "write",
      pass: 1,
      turn: 0,
      recorded: { ...WROTE, model: "openai/gpt-5-mini", thinking: null, cost: 0.0021, ms: 2_310 },
      ...WROTE,
      model: "anthropic/claude-sonnet-5",
      thinking: "low",
      cost: 0.0098,
      ms: 3_870,
    },
  },
  fields: [
    [AgainBody, AGAIN_FIELDS],
    [ForkBody, FORK_FIELDS],
    [TryBody, TRY_FIELDS],
  ],
})
