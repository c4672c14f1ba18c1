// Describes the API's answers about repairs of runs that failed or scored low.

import { z } from "zod"
import { RunStatus } from "../../core/run/event-parts.ts"
import { RepairBody } from "../architect.ts"
import { Backtest, TestReport } from "./tests.doc.ts"
import { documented } from "./shape.doc.ts"

const Unproven = z.object({ error: z.string().describe("Why the files could not be tried.") })

const ProofFork = z.object({
  run: z.string().describe("A fork of the run with the changed definitions: staged, or dry for a low score."),
  from: z
    .enum(["step", "start"])
    .describe(
      "Whether the fork continues from the failed step, or begins at the start because the change does not fit the history or the repair is about a low score.",
    ),
  status: z.enum([...RunStatus.options, "deleted"]).describe("The fork's current status. At its end it asks about the calls that it kept."),
  error: z.string().exactOptional().describe("Why the fork failed."),
  waiting: z.string().exactOptional().describe("What the fork waits for."),
})

const ProofTests = z.object({
  passed: TestReport.shape.passed,
  failed: TestReport.shape.failed,
  failures: z
    .array(TestReport.shape.cases.element.pick({ name: true, run: true, failures: true }))
    .describe("The first cases that failed."),
})

const count = (text: string) => z.number().describe(text)
const ProofBacktest = z.object({
  id: z.string().describe("The backtest."),
  status: Backtest.shape.status,
  same: count("Runs with the same result."),
  changed: count("Runs with the same result but different texts."),
  diverged: count("Runs with a different result, such as those that had failed."),
  failed: count("Runs whose result is unknown."),
  runs: Backtest.shape.runs,
})

const RepairedScore = z.object({
  scorer: z.string().describe("The scorer."),
  version: z.string().describe("The scorer's version."),
  score: z.number().describe("The run's score."),
  level: z.string().exactOptional().describe("The level that a judge chose."),
  reason: z.string().exactOptional().describe("The reason for the score."),
  below: z.number().describe("The rule's `low`: a score below it is low."),
})

const ScoredAgain = RepairedScore.omit({ score: true }).extend({
  before: RepairedScore.shape.score,
  after: z.number().nullable().describe("The fork's score; null if the scorer does not apply to it."),
  judge: z.string().exactOptional().describe("The judge's run."),
  passed: z.boolean().describe("Whether the fork's score is no longer low."),
})

export const RepairProof = z.object({
  status: z.enum(["running", "done"]).describe("Whether the evidence is complete."),
  fork: z.union([ProofFork, Unproven]).exactOptional().describe("The continuation of the failed run."),
  score: z
    .union([ScoredAgain, Unproven])
    .exactOptional()
    .describe("Of a repair of a low score: the fork's score by the same scorer, or why it has none; absent until it is there."),
  tests: z.union([ProofTests, Unproven, z.null()]).exactOptional().describe("The results of the flow's tests; null if it has none."),
  backtest: z.union([ProofBacktest, Unproven, z.null()]).exactOptional().describe("The backtest of its newest runs; null if it has none."),
})
export type RepairProof = z.output<typeof RepairProof>

export const SessionRepair = z
  .object({
    run: z.string().describe("The run that failed or scored low."),
    step: z.string().exactOptional().describe("The step that failed."),
    low: RepairedScore.exactOptional().describe("The low score that the repair is about; absent if the run failed."),
    proof: RepairProof.exactOptional().describe("The result of trying the files; absent until they are written."),
  })
  .describe("For a repair: the run that failed or scored low, and the results of trying the files.")

export const repairsDoc = documented({
  shapes: { RepairBody },
  examples: { RepairBody: { notes: "The clerk's prompt may be at fault.", budget: { tokens: 50_000 } } },
  fields: [
    [
      RepairBody,
      {
        notes: "Additional notes for the architect.",
        budget: "The budget of the architect's run, and of the fork that tries its change.",
        thread: "The thread of the session's runs.",
        scorer: "Of a run that succeeded: the scorer whose low score the repair is about; by default that of the lowest.",
      },
    ],
  ],
})
