// Describes the account [V4]: what a scorer, or a person who grades, sees of a run.

import { z } from "zod"
import { JsonObject } from "./shape.doc.ts"

const texts = (what: string) => z.array(z.string()).describe(what)

const Step = z.object({
  status: z.string().describe("How its last pass ended."),
  passes: z.number().describe("How many passes it had."),
  summary: z.string().describe("What its agent said it did."),
  outputs: JsonObject.describe("Its outputs."),
  called: texts("The tools that were called."),
  refused: texts("The tools whose calls were refused."),
  failed: texts("The tools whose calls failed."),
})

export const Account = z.object({
  flow: z.string().describe("The flow."),
  task: z.string().describe("Its task."),
  inputs: JsonObject.describe("Its inputs."),
  conversation: z
    .array(
      z.object({ role: z.enum(["user", "assistant", "system"]).describe("Who said it."), text: z.string().describe("What was said.") }),
    )
    .describe("What was said before."),
  status: z.string().describe("How it ended."),
  error: z.json().describe("Why it failed, else null."),
  output: z.json().describe("Its output, else null."),
  answer: z.string().describe("What it answered, as text."),
  branches: JsonObject.describe("What its forks decided."),
  steps: z.record(z.string(), Step).describe("Its steps."),
  turns: z.number().describe("How often models were asked."),
  tool_calls: z.number().describe("How many tools were called."),
  usage: z
    .object({
      tokens: z.number().describe("Tokens."),
      usd: z.number().nullable().describe("US dollars; null if a model without a price was asked."),
      ms: z.number().describe("Milliseconds from its creation to its end."),
    })
    .describe("What it used, with what a fork inherits."),
  files: z.record(z.string(), z.string().nullable()).describe("The files that its scorer asks for; null: there is none, or it is no text."),
  expected: z.json().describe("What a row of a dataset expects, else null."),
  criteria: z.string().nullable().describe("What its answer must meet, by a row of a dataset."),
})
