// Describes the API's answers about experiments.

import { z } from "zod"
import { ExperimentBody, VariantBody } from "../quality/experiments.ts"
import { documented, Time } from "./shape.doc.ts"

const Interval = z
  .tuple([z.number(), z.number()])
  .meta({ items: { type: "number" } })
  .nullable()
  .describe("95 %; null below 10 units.")
const Mean = z.object({
  n: z.number().describe("Rows."),
  mean: z.number().nullable().describe("Over rows, whose value is the mean of its repeats."),
  interval: Interval,
})
const Difference = z.object({
  n: z.number().describe("Rows."),
  difference: z.number().nullable().describe("A mean over rows: this variant less the first."),
  interval: Interval,
  better: z.number().describe("Rows that are better than with the first variant."),
  worse: z.number().describe("Rows that are worse."),
})
const LeftOut = z.object({ row: z.string().describe("The row."), why: z.string().describe("Why it does not count.") })

const Variant = z.object({
  name: z.string().describe("Its name."),
  trials: z.number().exactOptional().describe("How many trials it had."),
  failed: z.number().exactOptional().describe("How many failed; they are scored."),
  stopped: z.number().exactOptional().describe("How many were stopped by what is not its doing."),
  reads: z
    .object({ recorded: z.number().describe("Calls that the recording answered."), live: z.number().describe("Calls that were made.") })
    .exactOptional()
    .describe("Calls of its trials."),
  scores: z.record(z.string(), Mean).exactOptional().describe("By scorer."),
  usd: z.number().nullable().exactOptional().describe("US dollars, from the cuts on; null if a model without a price was asked."),
  tokens: z.number().exactOptional().describe("Tokens, from the cuts on."),
  ms: z.number().exactOptional().describe("Milliseconds, from the cuts on."),
})

const Compared = z.object({
  variant: z.string().describe("The variant."),
  with: z.string().describe("The first variant."),
  scores: z.record(z.string(), Difference).describe("By scorer."),
  usd: Difference.describe("Of US dollars: less is better."),
  tokens: Difference.describe("Of tokens: less is better."),
  ms: Difference.describe("Of milliseconds: less is better."),
})

const FLAGS = ["few_rows", "incomplete", "uneven", "judge_flagged", "selected"] as const

export const Experiment = z.object({
  id: z.string().describe("Its id."),
  name: z.string().exactOptional().describe("Its name."),
  flow: z.string().describe("The flow."),
  by: z.string().describe("The name of the key that asked for it."),
  created: Time.describe("When it was asked for."),
  status: z.enum(["running", "done", "stopped"]).describe("How far it is."),
  dataset: z.json().describe("The dataset, or which runs, as it was asked for."),
  scorers: z.array(z.string()).describe("The scorers."),
  repeats: z.number().describe("Trials of each row and variant."),
  rows: z.number().describe("How many rows it has."),
  same: z.number().describe("Rows in which no variant differs: nothing is asked, and every difference is 0."),
  left_out: z.array(LeftOut).describe("Rows that do not count in a comparison."),
  variants: z.array(Variant).describe("Its variants; their figures come with the end."),
  compared: z.array(Compared).exactOptional().describe("Each variant but the first, compared with it. Comes with the end."),
  usage: z
    .object({ tokens: z.number().describe("Tokens."), usd: z.number().nullable().describe("US dollars.") })
    .describe("What its trials and judges have used."),
  budget: z
    .object({ usd: z.number().exactOptional().describe("US dollars."), tokens: z.number().exactOptional().describe("Tokens.") })
    .exactOptional()
    .describe("What they may use."),
  flags: z.array(z.enum(FLAGS)).describe("What makes its figures say less than they seem to."),
  seed: z.string().describe("What its intervals are drawn with: the same rows give the same bits."),
})
export type ExperimentShown = z.output<typeof Experiment>

const Trial = z.object({
  variant: z.string().describe("The variant."),
  repeat: z.number().describe("From 1."),
  run: z.string().nullable().describe("Its run; null before it begins."),
  state: z.enum(["waiting", "running", "scoring", "succeeded", "failed", "stopped"]).describe("How far it is, or how it ended."),
  why: z.string().exactOptional().describe("Why it failed or was stopped."),
  scores: z.record(z.string(), z.number().nullable()).exactOptional().describe("By scorer, once the experiment is over."),
})

export const ExperimentRow = z.object({
  row: z.string().describe("The row's id."),
  run: z.string().exactOptional().describe("Its recording."),
  thread: z.string().exactOptional().describe("The named thread of its recording: rows of one thread are one unit."),
  cut: z
    .union([z.enum(["end", "start"]), z.object({ step: z.string().describe("The step."), pass: z.number().describe("Its pass.") })])
    .exactOptional()
    .describe("What the trials begin before; `start`: they begin at the beginning."),
  same: z.boolean().describe("Whether no variant differs on its recording."),
  left_out: z.string().exactOptional().describe("Why it does not count."),
  trials: z.array(Trial).describe("Its trials."),
})
export type ExperimentRowShown = z.output<typeof ExperimentRow>

export const ExperimentBegun = z.object({
  id: z.string().describe("Its id."),
  status: z.enum(["running", "done", "stopped"]).describe("How far it is."),
  rows: z.number().describe("How many rows it has."),
})
export type ExperimentBegunShown = z.output<typeof ExperimentBegun>

export const ExperimentForecast = z.object({
  rows: z.number().describe("How many rows it would have."),
  looked: z.number().describe("Rows that were looked at: 50 at most."),
  same: z.number().describe("Of these, the rows in which no variant differs."),
  trials: z.number().describe("About how many trials it would need."),
  typical: z
    .object({ tokens: z.number().describe("Tokens."), usd: z.number().nullable().describe("US dollars; null if nothing had a price.") })
    .describe("What a recorded run used from its cut on."),
})
export type ExperimentForecastShown = z.output<typeof ExperimentForecast>

const ID = "exp_0n3v5k8q2m7x1c9z4b6p0d2f8h"
const ROW_ID = "row_9f86d081884c7d659a2feaa0"
const RUN = "run_0n3v5k8q2m7x1c9z4b6p0d2f8h"
const NO_DIFFERENCE: z.output<typeof Difference> = { n: 100, difference: 0, interval: [-0.0002, 0.0001], better: 20, worse: 19 }

export const experimentsDoc = documented({
  parameters: { experiment: { description: "The experiment's id.", example: ID } },
  shapes: { Experiment, ExperimentBegun, ExperimentBody, ExperimentForecast, ExperimentRow },
  examples: {
    Experiment: {
      id: ID,
      flow: "support",
      by: "ci",
      created: "2026-11-22T14:21:00.000Z",
      status: "done",
      dataset: { last: 100 },
      scorers: ["helpful"],
      repeats: 1,
      rows: 100,
      same: 61,
      left_out: [],
      variants: [{ name: "now" }, { name: "short" }],
      compared: [
        {
          variant: "short",
          with: "now",
          scores: { helpful: { n: 100, difference: 0.04, interval: [0.01, 0.08], better: 9, worse: 2 } },
          usd: NO_DIFFERENCE,
          tokens: NO_DIFFERENCE,
          ms: NO_DIFFERENCE,
        },
      ],
      usage: { tokens: 310_000, usd: 1.12 },
      budget: { usd: 4 },
      flags: [],
      seed: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    },
    ExperimentBegun: { id: ID, status: "running", rows: 100 },
    ExperimentBody: {
      flow: "support",
      dataset: { last: 100 },
      scorers: ["helpful"],
      budget: { usd: 4 },
      variants: [{ name: "now" }, { name: "short", draft: "short-prompt" }],
    },
    ExperimentForecast: { rows: 100, looked: 50, same: 31, trials: 76, typical: { tokens: 3_900, usd: 0.014 } },
    ExperimentRow: {
      row: ROW_ID,
      run: RUN,
      cut: { step: "write", pass: 1 },
      same: false,
      trials: [{ variant: "now", repeat: 1, run: RUN, state: "succeeded", scores: { helpful: 1 } }],
    },
  },
  fields: [
    [
      ExperimentBody,
      {
        flow: "The flow.",
        dataset: "The name of a dataset, or which runs: `{last, status?, tag?, since?, …}` or `{runs}`, as for a dataset's rows.",
        variants: "Forms of the flow: the others are compared with the first.",
        scorers: "The names of scorers.",
        repeats: "Trials of each row and variant: 1 to 10; by default 1.",
        budget: ["What trials and judges may use. Without it no model with a price is asked.", { usd: "US dollars.", tokens: "Tokens." }],
        name: "A name for people.",
      },
    ],
    [
      VariantBody,
      {
        name: "Its name; by default what it is.",
        revision: "The catalog as it was at this revision.",
        draft: "The catalog with this draft over it.",
        definitions: "The catalog with these files: path → text, or null for a file that goes.",
        recorded: "The rows' own runs.",
        models: "Agent → model.",
        agents: "Agent → the agent that takes its place.",
      },
    ],
  ],
})
