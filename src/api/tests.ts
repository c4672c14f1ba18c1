// Declares tests of flows [K21, K22]: running their cases, making a case of a run, and backtests.

import { z } from "zod"
import { MAX_CASE_NAME } from "../core/case/case-fields.ts"
import { MAX_TEXT, recordOf } from "../core/schema/bounded.ts"
import { Amount } from "../core/money/amount.ts"
import { MAX_PATH } from "./catalog.ts"
import { REVISION, type Routes } from "./route/route.ts"
import { later } from "../core/schema/later.ts"

const MAX_PROPOSED = 500 // limit: files that a test or a backtest proposes → 422 at the member

/** Path → text, or null to delete the file. */
export const Definitions = later(() => recordOf(z.string().max(MAX_TEXT).nullable(), MAX_PROPOSED, z.string().min(1).max(MAX_PATH)))

export const TestBody = later(() =>
  z.strictObject({ case: z.string().max(MAX_CASE_NAME).exactOptional(), definitions: Definitions.exactOptional() }),
)
/** The type of the request body for clients. */
export type TestWish = z.input<typeof TestBody>

export const CaseBody = later(() => z.strictObject({ name: z.string().trim().min(1).max(MAX_CASE_NAME) }))

/** Limit: recorded runs of a backtest → 422 at the member. */
export const MAX_RUNS = 50
const MAX_MODELS = 100 // limit: models that a backtest changes → 422 at the member
const model = z.string().regex(/^[^\s@,][^\s,]{0,199}$/, "must be a model as `provider/model` or `model`, at most 200 characters")

const EndStatus = z.enum(["succeeded", "failed", "canceled"])

export const BacktestBody = later(() =>
  z.strictObject({
    against: z
      .strictObject({
        runs: z.array(z.string().max(100)).min(1).max(MAX_RUNS).exactOptional(),
        last: z.int().min(1).max(MAX_RUNS).exactOptional(),
        status: z.union([EndStatus, z.array(EndStatus).min(1).max(3)]).exactOptional(),
        tag: z.string().min(1).max(100).exactOptional(),
        since: z.string().max(100).exactOptional(),
      })
      .refine(
        ({ runs, last, ...filter }) =>
          (runs === undefined) !== (last === undefined) && (runs === undefined || Object.keys(filter).length === 0),
        {
          error: "must have either `runs`, or `last` with status, tag, since",
        },
      ),
    change: z
      .strictObject({
        definitions: Definitions.exactOptional(),
        revision: z.int().min(0).exactOptional(),
        session: z.string().max(100).exactOptional(),
        models: recordOf(model, MAX_MODELS).exactOptional(),
      })
      .exactOptional(),
    match: z.enum(["exact", "position"]).exactOptional(),
    beyond: z.enum(["stop", "live"]).exactOptional(),
    budget: Amount.exactOptional(),
  }),
)
/** The type of the request body for clients. */
export type BacktestAsked = z.input<typeof BacktestBody>

export const tests = {
  testFlow: {
    method: "POST",
    path: "/v1/flows/:flow/test",
    scope: "runs:write",
    tag: "Catalog",
    summary: "Run a flow's tests",
    description:
      "Each case is a run of its own, rehearsed and dry, with `trigger.kind` `test`: no model is called and nothing is sent. `definitions` also need the scope catalog:write; they are tried and not written. `flow` may be `id@draft:NAME`.",
    body: TestBody,
    optional: true,
    answers: {
      200: {
        description: "The result of each case.",
        body: { "application/json": "TestReport", "application/xml": "text" },
        headers: ["ratelimit", "ratelimit-policy"],
      },
    },
    problems: ["no_tests", "invalid_flow", "unknown_agent", "no_model", "unsupported", "quota", "storage_full"],
  },
  listCases: {
    method: "GET",
    path: "/v1/flows/:flow/test",
    scope: "catalog:read",
    also: ["runs:read"],
    tag: "Catalog",
    summary: "List the cases of a flow's tests, each with its last result",
    description: "A result is kept for each case and revision when the tests are run without `definitions`.",
    query: { revision: { ...REVISION, description: "Results of this revision or an earlier one; by default the newest." } },
    answers: { 200: { description: "The cases, in the order of the file.", body: "TestCases" } },
  },
  testOfRun: {
    method: "POST",
    path: "/v1/runs/:run/test",
    scope: "catalog:write",
    also: ["runs:read"],
    tag: "Catalog",
    summary: "Make a test of an ended run",
    description:
      "Adds a case to the tests of the run's flow: its input, the replies of its models, the answers of people, and the results of calls that left the run. The case passes as it is.",
    body: CaseBody,
    answers: { 201: { description: "The case, and the revision that has it.", body: "CaseMade" } },
    problems: [
      "run_not_over",
      "taken",
      "unsupported",
      "not_written",
      "catalog_full",
      "catalog_moved",
      "gate_failed",
      "gate_pending",
      "definitions_lost",
    ],
  },
  backtestFlow: {
    method: "POST",
    path: "/v1/flows/:flow/backtest",
    scope: "runs:write",
    also: ["runs:read"],
    tag: "Catalog",
    summary: "Try a change on recorded runs",
    description: "Recorded replies, results and answers are replayed. Definitions and sessions also need the scope catalog:write.",
    body: BacktestBody,
    answers: { 202: { description: "It has begun.", body: "BacktestBegun", headers: ["location"] } },
    problems: ["invalid_flow", "unknown_agent", "no_model", "unsupported"],
  },
  getBacktest: {
    method: "GET",
    path: "/v1/backtests/:backtest",
    scope: "runs:read",
    tag: "Catalog",
    summary: "Read a backtest",
    answers: { 200: { description: "The results so far, by run.", body: "Backtest" } },
  },
} as const satisfies Routes
