// Describes the API's answers about tests of flows.

import { z } from "zod"
import { BacktestBody, CaseBody, TestBody } from "../tests.ts"
import { documented, Hash, JsonObject, Time, type FieldTexts } from "./shape.doc.ts"

const CaseFailure = z.object({
  at: z
    .string()
    .describe("JSON Pointer into the case's `expect`; or `/answers`, `/inputs`, `/files`, `/task`; empty for the run as a whole."),
  expected: z.json().describe("The expected value."),
  found: z.json().describe("The actual value; null if there is none."),
})

const CaseResult = z.object({
  name: z.string().describe("The case's name."),
  passed: z.boolean().describe("Whether the case passed."),
  run: z.string().nullable().describe("The case's run; null if it could not start."),
  ms: z.number().describe("Milliseconds."),
  failures: z.array(CaseFailure).describe("The differences from the expectation."),
})

export const TestReport = z.object({
  flow: z.string().describe("The flow."),
  passed: z.number().describe("The number of cases that passed."),
  failed: z.number().describe("The number of cases that failed."),
  cases: z.array(CaseResult).describe("The cases, in the order of the file."),
})
export type TestReport = z.output<typeof TestReport>

export const TestCases = z.object({
  flow: z.string().describe("The flow."),
  path: z.string().exactOptional().describe("The file of the tests; absent if the flow has none."),
  tier: z.enum(["local", "package", "built-in"]).exactOptional().describe("The tier of the catalog that has the file."),
  hash: Hash.exactOptional(),
  cases: z
    .array(
      z.object({
        name: CaseResult.shape.name,
        line: z.number().describe("The line of the file where the case begins, from 1."),
        last: z
          .object({
            revision: z.number().describe("The catalog's revision for this result."),
            at: Time.describe("When the case was run."),
            passed: CaseResult.shape.passed,
            run: CaseResult.shape.run,
            ms: CaseResult.shape.ms,
            failures: z.array(CaseFailure).describe("The differences from the expectation; only the first if there are many."),
          })
          .exactOptional()
          .describe("The result on the newest revision on which the case was run; absent if it never was."),
      }),
    )
    .describe("The cases, in the order of the file."),
})
export type TestCases = z.output<typeof TestCases>

export const CaseMade = z.object({
  flow: z.string().describe("The flow that is tested."),
  case: JsonObject.describe("The case as in the file."),
  revision: z.number().describe("The catalog's revision with the new case."),
})
export type CaseMade = z.output<typeof CaseMade>

export const BacktestBegun = z.object({
  id: z.string().describe("The backtest's id."),
  status: z.literal("running").describe("The backtest continues after this response."),
  flow: z.string().describe("The flow."),
})
export type BacktestBegun = z.output<typeof BacktestBegun>

export const BacktestRun = z.object({
  run: z.string().describe("The recorded run."),
  result: z
    .enum(["same", "changed", "diverged", "failed"])
    .describe("The outcome: same result, same result with different texts, different result, or unknown."),
  step: z.string().exactOptional().describe("The step with the first difference; FLOW/STEP in a child run."),
  pass: z.number().exactOptional().describe("The step's pass, from 1."),
  turn: z.number().exactOptional().describe("The model's turn, from 0."),
  why: z.enum(["prompt", "tools", "model", "guard", "route", "schema", "code", "calls"]).exactOptional().describe("The difference."),
  live: z
    .enum(["succeeded", "failed", "stopped"])
    .exactOptional()
    .describe("With `beyond: live`: how the run continued from there. `stopped`: it lacked a budget, an answer or a child run."),
  message: z.string().exactOptional().describe("Why the run failed."),
})
export const Backtest = z.object({
  id: z.string().describe("The backtest's id."),
  flow: z.string().describe("The flow."),
  status: z.enum(["running", "done"]).describe("`done` when all runs have a result."),
  created: Time.describe("When the backtest was requested."),
  usage: z
    .object({
      tokens: z.number().describe("Tokens of live calls."),
      usd: z.number().nullable().describe("US dollars; null if a price is unknown."),
    })
    .describe("The usage of live calls; zero without `beyond: live`."),
  runs: z.array(BacktestRun).describe("The results, in the order of the runs."),
})
export type Backtest = z.output<typeof Backtest>

const BACKTEST_FIELDS: FieldTexts = {
  against: [
    "The recorded runs of the flow to use.",
    {
      runs: "These runs.",
      last: "The number of newest ended runs to use.",
      status: "Use only runs with these statuses; default succeeded and failed.",
      tag: "Use only runs with this tag.",
      since: "Use only runs created at this time or later.",
    },
  ],
  change: [
    "The change to try; by default the current catalog.",
    {
      definitions: "Path in the catalog → text, or null to delete the file.",
      revision: "The catalog at this revision.",
      session: "The files of this architect session.",
      models: "Agent → model.",
    },
  ],
  match:
    "`exact`: a recorded reply counts only for the same request. `position`, the default: also where only the text of the request changed.",
  beyond: "`live`: after the end of the recording, models are called and reads are made; nothing outside changes. Default `stop`.",
  budget: "The budget of the live part.",
}

const TEST_FIELDS: FieldTexts = {
  case: "Run only the case with this name.",
  definitions: "Path in the catalog → text, or null to delete the file: the tests run on the changed catalog.",
}

export const testsDoc = documented({
  parameters: { backtest: { description: "The backtest's id.", example: "bt_3f8k1m" } },
  shapes: { TestReport, TestCases, TestBody, CaseMade, CaseBody, BacktestBody, BacktestBegun, Backtest },
  examples: {
    BacktestBody: {
      against: { last: 20 },
      change: { definitions: { "agents/sorter.md": "---\nname: sorter\ndescription: Sorts letters.\n---\nSort the letter." } },
      match: "exact",
    },
    BacktestBegun: { id: "bt_01j9zq3v8x4m5n6p7q8r9s0t1u", status: "running", flow: "sort" },
    Backtest: {
      id: "bt_01j9zq3v8x4m5n6p7q8r9s0t1u",
      flow: "sort",
      status: "done",
      created: "2026-11-02T09:30:00.000Z",
      usage: { tokens: 0, usd: null },
      runs: [{ run: "run_01j9zq3v8x4m5n6p7q8r9s0t1u", result: "diverged", step: "sort", pass: 1, turn: 0, why: "prompt" }],
    },
    CaseBody: { name: "as it was on Monday" },
    CaseMade: {
      flow: "sort",
      case: { name: "as it was on Monday", task: "Sort the letter.", expect: { status: "succeeded" } },
      revision: 12,
    },
    TestCases: {
      flow: "sort",
      path: "flows/sort.test.yaml",
      tier: "local",
      hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      cases: [
        {
          name: "sorts a short letter",
          line: 2,
          last: { revision: 12, at: "2026-11-02T09:30:00.000Z", passed: true, run: "run_01j9zq3v8x4m5n6p7q8r9s0t1u", ms: 84, failures: [] },
        },
        { name: "asks for more", line: 6 },
      ],
    },
    TestBody: { case: "sorts a short letter" },
    TestReport: {
      flow: "sort",
      passed: 1,
      failed: 1,
      cases: [
        { name: "sorts a short letter", passed: true, run: "run_01j9zq3v8x4m5n6p7q8r9s0t1u", ms: 84, failures: [] },
        {
          name: "asks for more",
          passed: false,
          run: "run_01j9zq3v8x4m5n6p7q8r9s0t1v",
          ms: 91,
          failures: [{ at: "/status", expected: "failed", found: "succeeded" }],
        },
      ],
    },
  },
  fields: [
    [TestBody, TEST_FIELDS],
    [BacktestBody, BACKTEST_FIELDS],
    [CaseBody, { name: "The name of the case, unique within the flow." }],
  ],
})
