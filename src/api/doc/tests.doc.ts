// What the API answers about tests of flows.

import { z } from "zod"
import { CaseBody, TestBody } from "../tests.ts"
import { documented, JsonObject, type FieldTexts } from "./shape.doc.ts"

const CaseFailure = z.object({
  at: z
    .string()
    .describe("JSON Pointer into the case's `expect`; or `/answers`, `/inputs`, `/files`, `/task`; empty for the run as a whole."),
  expected: z.json().describe("What the case says."),
  found: z.json().describe("What came of the run; null for nothing."),
})

const CaseResult = z.object({
  name: z.string().describe("The case's name."),
  passed: z.boolean().describe("Whether nothing differed."),
  run: z.string().nullable().describe("The case's run; null if it could not start."),
  ms: z.number().describe("Milliseconds."),
  failures: z.array(CaseFailure).describe("Each place where what came of the run differs."),
})

export const TestReport = z.object({
  flow: z.string().describe("The flow."),
  passed: z.number().describe("The number of cases that passed."),
  failed: z.number().describe("The number of cases that failed."),
  cases: z.array(CaseResult).describe("The cases, in the order of the file."),
})
export type TestReport = z.output<typeof TestReport>

export const CaseMade = z.object({
  flow: z.string().describe("The flow whose tests have the case."),
  case: JsonObject.describe("The case, as the file has it."),
  revision: z.number().describe("The catalog's revision that has it."),
})
export type CaseMade = z.output<typeof CaseMade>

const TEST_FIELDS: FieldTexts = {
  case: "Run only the case of this name.",
  definitions: "Path in the catalog → text, or null for a file that goes: the tests are run on the catalog as it would be.",
}

export const testsDoc = documented({
  shapes: { TestReport, TestBody, CaseMade, CaseBody },
  examples: {
    CaseBody: { name: "as it was on Monday" },
    CaseMade: {
      flow: "sort",
      case: { name: "as it was on Monday", task: "Sort the letter.", expect: { status: "succeeded" } },
      revision: 12,
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
    [CaseBody, { name: "The name of the case, which no other case of the flow has." }],
  ],
})
