// Describes the API's answers about scorers, scores, feedback and grades.

import { z } from "zod"
import { FeedbackBody, GradingBody, ScoresBody } from "../quality/scores.ts"
import { ProbeBody } from "../quality/judges.ts"
import { Account } from "./account.doc.ts"
import { documented, Time } from "./shape.doc.ts"

export const Scorer = z.object({
  name: z.string().describe("The scorer's name."),
  kind: z.enum(["expect", "code", "judge", "built-in"]).describe("What decides."),
  description: z.string().describe("What a high score means."),
  version: z.string().describe("What a score is made by: file, handler, the judge's agent and its model. Versions are never mixed."),
  levels: z
    .array(z.object({ score: z.number().describe("The score."), text: z.string().describe("What the judge chooses.") }))
    .exactOptional()
    .describe("A judge's levels, the worst first."),
  tier: z.enum(["local", "package", "built-in"]).describe("The tier of the catalog that has the scorer."),
})
export type ScorerRow = z.output<typeof Scorer>

const scorer = z.string().describe("The scorer.")
const version = z.string().describe("The scorer's version.")
const by = z.string().describe("`sample`, `experiment`, or who asked.")

const Asked = z.object({
  scorer,
  version,
  state: z.enum(["waiting", "done", "skipped"]).describe("`done`: this version has scored the run."),
  why: z.enum(["budget", "queue"]).exactOptional().describe("Why it was skipped: what judges may use today, or too many that wait."),
})
export const ScoresAsked = z.object({ data: z.array(Asked).describe("In the order of the request.") })
export type ScoresAsked = z.output<typeof ScoresAsked>

const ScoreRow = z.object({
  scorer,
  version,
  current: z.boolean().describe("Whether the catalog has this version."),
  score: z.number().nullable().describe("From 0 to 1, the best; null if the scorer does not apply, or with `error`."),
  level: z.string().exactOptional().describe("The judge's level."),
  reason: z.string().exactOptional().describe("Why."),
  error: z.string().exactOptional().describe("Why there is no score."),
  by,
  at: Time.describe("When it was scored."),
  judge: z.string().exactOptional().describe("The run of the judge."),
})

const feedback = {
  thumb: z.enum(["up", "down", "none"]).exactOptional().describe("The thumb; `none` takes back what the giver said before."),
  score: z.number().exactOptional().describe("From 0 to 1, the best."),
  comment: z.string().exactOptional().describe("In the giver's words."),
  correction: z.json().exactOptional().describe("What the answer should have been."),
  scorer: z.string().exactOptional().describe("The scorer whose question it answers: it is a grade."),
  user: z.string().exactOptional().describe("Your customer's opaque id."),
}
export const FeedbackGiven = z.object({
  id: z.string().describe("Its id."),
  run: z.string().describe("The run."),
  at: Time.describe("When it came."),
  by: z.string().describe("The name of the key, or `page`."),
  ...feedback,
})
export type FeedbackGiven = z.output<typeof FeedbackGiven>

export const RunScores = z.object({
  scores: z.array(ScoreRow).describe("Newest first."),
  feedback: z.array(FeedbackGiven).describe("Feedback and grades, newest first."),
})
export type RunScores = z.output<typeof RunScores>

const figures = (what: string) =>
  z.object({ tokens: z.number().describe("Tokens."), usd: z.number().describe("US dollars.") }).describe(what)
export const ScoringToday = z.object({
  day: z.string().describe("The UTC day."),
  scored: z.number().describe("How many scores there are of today."),
  skipped: z
    .object({
      budget: z.number().describe("What the day's budget did not cover."),
      queue: z.number().describe("What found too many waiting."),
    })
    .describe("What is not scored, for good."),
  waiting: z.number().describe("What waits."),
  usage: figures("What judges have used today."),
})
export type ScoringToday = z.output<typeof ScoringToday>

export const GradingEntry = z.object({
  run: z.string().describe("The run."),
  flow: z.string().describe("Its flow."),
  scorer,
  rubric: z.string().exactOptional().describe("What the judge is asked."),
  levels: z
    .array(z.object({ score: z.number().describe("The score."), text: z.string().describe("Its text.") }))
    .exactOptional()
    .describe("The levels to choose from, the worst first."),
  account: Account.exactOptional().describe("What a scorer sees of the run; absent with `brief=1`."),
  since: Time.describe("Since when it waits."),
})
export type GradingEntry = z.output<typeof GradingEntry>
export const GradingAdded = z.object({ added: z.number().describe("How many entries are new.") })

const rate = (what: string) => z.number().nullable().describe(what)
const VersionTrust = z.object({
  version,
  pairs: z.number().describe("How many runs both the judge and a person gave a level."),
  agreement: rate("The share of the pairs in which both said the same; null without a pair."),
  kappa: rate(
    "Cohen's kappa: agreement beyond chance, 1 at most, with quadratic weights from three levels on; null if chance alone agrees.",
  ),
  interval: z
    .array(z.number())
    .nullable()
    .describe(
      "In 95 of 100 cases kappa lies between these two, by 4,000 resamples; null below 10 pairs, or where too few resamples have one.",
    ),
  table: z.array(z.array(z.number())).describe("Pairs by the judge's level, then by the person's, the worst first."),
})
const Probe = z.object({
  version,
  at: Time.describe("When it began."),
  status: z.enum(["running", "done"]).describe("Whether its judges are through."),
  runs: z.number().describe("How many runs were judged in all three ways."),
  plain: rate("The mean of the runs as they are."),
  empty: rate("The mean without answer, output, results, calls and files."),
  urged: rate("The mean of the same with a sentence that asks for the best level."),
})
export type ProbeShown = z.output<typeof Probe>
export const ScorerTrust = z.object({
  versions: z.array(VersionTrust).describe("The version of now first; empty for a scorer that asks no judge."),
  probe: Probe.exactOptional().describe("The newest probe."),
  flags: z
    .array(z.enum(["few_grades", "disagrees", "ignores_input", "swayed"]))
    .describe("What is to be said against the version of now: under 30 pairs; a kappa that is below 0.4 at best; what the probe shows."),
})
export type ScorerTrust = z.output<typeof ScorerTrust>

const RUN = "run_0n3v5k8q2m7x1c9z4b6p0d2f8h"
const LEVELS = [
  { score: 0, text: "wrong or made up" },
  { score: 1, text: "right and complete" },
]

export const qualityDoc = documented({
  parameters: { scorer: { description: "The scorer's name.", example: "helpful" } },
  shapes: {
    Scorer,
    ScoresAsked,
    ScoresBody,
    RunScores,
    FeedbackBody,
    FeedbackGiven,
    ScoringToday,
    GradingBody,
    GradingEntry,
    GradingAdded,
    Probe,
    ProbeBody,
    ScorerTrust,
  },
  examples: {
    Scorer: {
      name: "helpful",
      kind: "judge",
      description: "Does the reply solve the problem, with nothing made up?",
      version: "3f9a02c41b7d",
      levels: [
        { score: 0, text: "wrong or made up" },
        { score: 1, text: "right and complete" },
      ],
      tier: "local",
    },
    ScoresBody: { scorers: ["helpful", "tools-worked"] },
    ScoresAsked: { data: [{ scorer: "helpful", version: "3f9a02c41b7d", state: "waiting" }] },
    RunScores: {
      scores: [
        {
          scorer: "helpful",
          version: "3f9a02c41b7d",
          current: true,
          score: 1,
          level: "right and complete",
          reason: "The reply names the cause that the log shows, and how to mend it.",
          by: "sample",
          at: "2026-11-23T09:00:00.000Z",
          judge: "run_6x1m9k2f0a7c3e5b8d1g4h6j2k",
        },
      ],
      feedback: [],
    },
    FeedbackBody: { thumb: "down", comment: "It was the other order." },
    FeedbackGiven: {
      id: "fb_3f9k2m1x0a",
      run: RUN,
      at: "2026-11-23T09:00:00.000Z",
      by: "shop",
      thumb: "down",
      comment: "It was the other order.",
    },
    ScoringToday: { day: "2026-11-23", scored: 40, skipped: { budget: 1, queue: 0 }, waiting: 2, usage: { tokens: 81_000, usd: 0.41 } },
    GradingBody: { scorer: "helpful", runs: [RUN] },
    GradingEntry: {
      run: RUN,
      flow: "support",
      scorer: "helpful",
      rubric: "Judge the reply.",
      levels: LEVELS,
      since: "2026-11-23T09:00:00.000Z",
    },
    GradingAdded: { added: 1 },
    ProbeBody: { dataset: "regression", most: 20, budget: { usd: 0.5 } },
    Probe: { version: "3f9a02c41b7d", at: "2026-11-23T09:00:00.000Z", status: "running", runs: 20, plain: null, empty: null, urged: null },
    ScorerTrust: {
      versions: [
        { version: "3f9a02c41b7d", pairs: 50, agreement: 0.7, kappa: 0.4, interval: [0.14, 0.64], table: [[20, 5], [10, 15]] }, // prettier-ignore
      ],
      probe: { version: "3f9a02c41b7d", at: "2026-11-23T09:00:00.000Z", status: "done", runs: 20, plain: 0.85, empty: 0.1, urged: 0.1 },
      flags: [],
    },
  },
  fields: [
    [ScoresBody, { scorers: "The scorers, at most 10.", again: "Whether a version that has scored the run scores it again." }],
    [
      FeedbackBody,
      {
        thumb: "A thumb; `none` takes back what the giver said before.",
        score: "From 0 to 1, the best.",
        comment: "In the giver's words.",
        correction: "What the answer should have been.",
        scorer: "The scorer whose question this answers: it is then a grade, and needs `score`.",
        user: "Your customer's opaque id.",
      },
    ],
    [
      ProbeBody,
      {
        dataset: "A dataset by its name, or `from`: which runs.",
        most: "How many runs, 20 by default.",
        budget: ["What its judges may use; needed for a judge with a price.", { usd: "US dollars.", tokens: "Tokens." }],
      },
    ],
    [
      GradingBody,
      {
        scorer: "The scorer whose question is to be answered.",
        runs: "The runs, at most 100.",
        experiment: "In place of `runs`: an experiment, whose trials that succeeded are added.",
        most: "How many runs are added at most, 100 by default.",
      },
    ],
  ],
})
