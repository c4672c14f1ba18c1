// Flows under test [K21, K22]: their cases are run, and a case is made of a run.

import { z } from "zod"
import { MAX_CASE_NAME } from "../core/flow/case/parse-tests.ts"
import { MAX_TEXT, recordOf } from "../core/schema/bounded.ts"
import { MAX_PATH } from "./catalog.ts"
import type { Routes } from "./route.ts"

/** Files that one request proposes. */
const MAX_PROPOSED = 500

/** Path → text, or null for a file that goes. */
export const Definitions = recordOf(z.string().max(MAX_TEXT).nullable(), MAX_PROPOSED, z.string().min(1).max(MAX_PATH))

export const TestBody = z.strictObject({ case: z.string().max(MAX_CASE_NAME).exactOptional(), definitions: Definitions.exactOptional() })
/** The type of the body that a client sends. */
export type TestWish = z.input<typeof TestBody>

export const CaseBody = z.strictObject({ name: z.string().trim().min(1).max(MAX_CASE_NAME) })

export const tests = {
  testFlow: {
    method: "POST",
    path: "/v1/flows/:flow/test",
    scope: "runs:write",
    tag: "Catalog",
    summary: "Run a flow's tests",
    description:
      "Each case is a run of its own, rehearsed and dry, with `trigger.kind` `test`: no model is asked and nothing is sent. `definitions` need the scope catalog:write too; they are tried and not written.",
    body: TestBody,
    optional: true,
    answers: {
      200: {
        description: "What came of each case.",
        body: { "application/json": "TestReport", "application/xml": "text" },
        headers: ["ratelimit", "ratelimit-policy"],
      },
    },
    problems: ["no_tests", "invalid_flow", "unknown_agent", "no_model", "unsupported", "quota", "storage_full"],
  },
  testOfRun: {
    method: "POST",
    path: "/v1/runs/:run/test",
    scope: "catalog:write",
    tag: "Catalog",
    summary: "Make a test of an ended run",
    description:
      "Adds a case to the tests of the run's flow: its input, the replies of its models, the answers of people, and the results of calls that left the run. The case passes as it is.",
    body: CaseBody,
    answers: { 201: { description: "The case, and the revision that has it.", body: "CaseMade" } },
    problems: ["run_not_over", "taken", "unsupported", "not_written", "catalog_full", "catalog_moved", "gate_failed", "definitions_lost"],
  },
} as const satisfies Routes
