// Describes the API's answers about repairs of failed runs.

import { z } from "zod"
import { RunStatus } from "../../core/run/event-parts.ts"
import { RepairBody } from "../architect.ts"
import { Backtest, TestReport } from "./tests.doc.ts"
import { documented } from "./shape.doc.ts"

const Unproven = z.object({ error: z.string().describe("Why the files could not be tried.") })

const ProofFork = z.object({
  run: z.string().describe("A staged fork of the failed run, with the changed definitions."),
  from: z
    .enum(["step", "start"])
    .describe("Whether the fork continues from the failed step, or begins at the start because the change does not fit the history."),
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

export const RepairProof = z.object({
  status: z.enum(["running", "done"]).describe("Whether the evidence is complete."),
  fork: z.union([ProofFork, Unproven]).exactOptional().describe("The continuation of the failed run."),
  tests: z.union([ProofTests, Unproven, z.null()]).exactOptional().describe("The results of the flow's tests; null if it has none."),
  backtest: z.union([ProofBacktest, Unproven, z.null()]).exactOptional().describe("The backtest of its newest runs; null if it has none."),
})
export type RepairProof = z.output<typeof RepairProof>

export const SessionRepair = z
  .object({
    run: z.string().describe("The failed run."),
    step: z.string().exactOptional().describe("The step that failed."),
    proof: RepairProof.exactOptional().describe("The result of trying the files; absent until they are written."),
  })
  .describe("For a repair: the failed run, and the results of trying the files.")

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
      },
    ],
  ],
})
