// Describes the API's answers about repairs of failed runs.

import { z } from "zod"
import { RunStatus } from "../../core/run/event-parts.ts"
import { RepairBody } from "../architect.ts"
import { Backtest, TestReport } from "./tests.doc.ts"
import { documented } from "./shape.doc.ts"

const Unproven = z.object({ error: z.string().describe("Why it could not be tried.") })

const ProofFork = z.object({
  run: z.string().describe("A staged fork of the failed run, on the definitions as they would be."),
  from: z
    .enum(["step", "start"])
    .describe("Whether it goes on from the step that failed, or from the start, because the change does not fit what had run."),
  status: z
    .enum([...RunStatus.options, "deleted"])
    .describe("How far it is now. What it kept of calls to the outside, it asks about at its end."),
  error: z.string().exactOptional().describe("Why it failed."),
  waiting: z.string().exactOptional().describe("What it waits for."),
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
  same: count("Runs that would take the same course."),
  changed: count("Runs that would take the same course with other texts."),
  diverged: count("Runs that would take another course, such as those that failed before."),
  failed: count("Runs of which it cannot be told."),
  runs: Backtest.shape.runs,
})

export const RepairProof = z.object({
  status: z.enum(["running", "done"]).describe("Whether all of it is there."),
  fork: z.union([ProofFork, Unproven]).exactOptional().describe("The failed run, gone on with."),
  tests: z.union([ProofTests, Unproven, z.null()]).exactOptional().describe("The flow's tests; null: it has none."),
  backtest: z.union([ProofBacktest, Unproven, z.null()]).exactOptional().describe("Its newest runs played again; null: it has none."),
})
export type RepairProof = z.output<typeof RepairProof>

export const SessionRepair = z
  .object({
    run: z.string().describe("The failed run."),
    step: z.string().exactOptional().describe("The step at which it failed."),
    proof: RepairProof.exactOptional().describe("What came of trying the files; absent until they are written."),
  })
  .describe("Of a repair: what it is about, and how it was tried.")

export const repairsDoc = documented({
  shapes: { RepairBody },
  examples: { RepairBody: { notes: "The clerk's prompt may be at fault.", budget: { tokens: 50_000 } } },
  fields: [
    [
      RepairBody,
      {
        notes: "What the architect should know besides.",
        budget: "The most that the architect's run may spend, and the most that the fork may spend that tries its change.",
        thread: "The thread of the session's runs.",
      },
    ],
  ],
})
