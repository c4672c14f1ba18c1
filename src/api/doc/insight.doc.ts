// Describes the API's answers about usage and failures (src/api/insight.ts).

import { z } from "zod"
import { FailureSource } from "../../core/run/event-parts.ts"
import { GROUP_STATUSES } from "../../core/run/failure/group.ts"
import { USAGE_BY } from "../../core/run/usage/run-usage.ts"
import { GroupStatusBody, USAGE_EACH } from "../insight.ts"
import { LostCalls } from "./run/runs.doc.ts"
import { RUN } from "./run/run-pieces.doc.ts"
import { documented, Time } from "./shape.doc.ts"

const UsageSum = z.object({
  runs: z.number().describe("Runs without a parent; grouped by model, agent or tool, all runs that used it."),
  failed: z.number().describe("The number of failed runs."),
  children: z.number().describe("Child runs."),
  input: z.number().describe("Input tokens."),
  cached: z.number().describe("Input tokens read from the provider's cache."),
  output: z.number().describe("Output tokens."),
  usd: z.number().nullable().describe("US dollars; null if no call had a price."),
  unpriced: z.number().describe("Model calls without a price, which `usd` leaves out."),
  model_calls: z.number().describe("Answered model calls."),
  tool_calls: z.number().describe("Tool calls."),
  tool_errors: z.number().describe("Tool calls that failed, or whose outcome is unknown."),
  lost: LostCalls,
  questions: z.number().describe("Questions to people; none when grouped by tool."),
  approvals: z.number().describe("Approvals requested from people: of calls, plans and kept calls."),
  answered: z.number().describe("The number of questions and approvals that a person answered."),
  waited_ms: z.number().describe("The total time until these answers, in milliseconds."),
})

const Usage = z.object({
  by: z.enum(USAGE_BY).describe("The grouping of the sums."),
  each: z.enum(USAGE_EACH).exactOptional().describe("`day`: one row for each day and name; `hour`: for each hour."),
  from: z.string().describe("The first day."),
  to: z.string().describe("The last day."),
  rehearsed: z.boolean().describe("Whether the sums are those of rehearsed runs."),
  data: z
    .array(
      UsageSum.extend({
        day: z.string().exactOptional().describe("The day, if there is one row for each day and name."),
        hour: Time.exactOptional().describe("When the hour begins, if there is one row for each hour and name."),
        key: z
          .string()
          .describe(
            "The day, or the name. `(other)`: names beyond the limit of a run or a day; `(earlier)`: what was used before an upgrade.",
          ),
      }),
    )
    .describe("The sums; at most 1,000, or for each day or hour at most 21."),
  total: UsageSum.describe("The sum over all runs of these days."),
  complete: z.boolean().describe("Whether `data` lists every name separately."),
})
export type Usage = z.output<typeof Usage>
export const ScorerUsage = z.object({
  by: z.literal("scorer").describe("The grouping."),
  each: z.literal("day").exactOptional().describe("Each row is of one day."),
  from: z.string().describe("The first day."),
  to: z.string().describe("The last day."),
  data: z
    .array(
      z.object({
        day: z.string().exactOptional().describe("With `each=day`: the day in UTC."),
        key: z.string().describe("FLOW/SCORER; the scorer `feedback` is the mean of what people say of each run."),
        scored: z.number().describe("How many scores."),
        mean: z.number().nullable().describe("Their mean; null if none is a number."),
        low: z.number().describe("How many are low."),
        input: z.number().describe("Input tokens of judges."),
        output: z.number().describe("Output tokens of judges."),
        usd: z.number().nullable().describe("US dollars of judges; null if a model without a price was asked."),
      }),
    )
    .describe("By flow and scorer."),
})
export type ScorerUsage = z.output<typeof ScorerUsage>
const UsageAnswer = z.union([Usage, ScorerUsage])

const Seen = z.object({
  run: z.string().describe("The run."),
  at: Time.describe("When the run failed."),
  revision: z.number().exactOptional().describe("The catalog's revision to which the run was pinned."),
})

export const FailureGroup = z.object({
  key: z.string().describe("The group's key."),
  flow: z.string().describe("The flow."),
  step: z.string().exactOptional().describe("The step that failed; absent: the run itself."),
  scorer: z.string().exactOptional().describe("Of low scores: the scorer; the shape is its level."),
  source: z.union([FailureSource, z.literal("score")]).describe("The source of the failures; `score`: succeeded runs whose score is low."),
  shape: z
    .string()
    .describe("The common form of their messages. Addresses, quoted text, ids and numbers are `<url>`, `<text>`, `<id>` and `<n>`."),
  message: z.string().describe("The latest message; at most 500 characters."),
  rehearsed: z.boolean().describe("Whether the runs were rehearsed."),
  count: z.number().describe("The number of runs in the group."),
  days: z
    .array(z.object({ day: z.string().describe("The day in UTC."), count: z.number().describe("The number of runs that failed.") }))
    .describe("The last 14 days, today last."),
  first: Seen.describe("The first."),
  last: Seen.describe("The latest."),
  runs: z.array(z.string()).describe("Ids of the latest runs, newest first; at most 10. A run may have been deleted since."),
  status: z.enum(GROUP_STATUSES).describe("The group's status, as set by people."),
  by: z
    .string()
    .exactOptional()
    .describe("Who set the status: the name of a key. Absent if nobody did, or if the failure has come back since."),
  at: Time.exactOptional().describe("When the status was set."),
  reopened: Seen.exactOptional().describe("The run that reopened the group."),
})
export type FailureGroup = z.output<typeof FailureGroup>

const SUM = {
  runs: 412,
  failed: 9,
  children: 1_236,
  input: 5_112_000,
  cached: 3_204_000,
  output: 402_000,
  usd: 21.4,
  unpriced: 0,
  model_calls: 4_804,
  tool_calls: 3_120,
  tool_errors: 17,
  lost: { calls: 3, tokens: 61_400 },
  questions: 12,
  approvals: 30,
  answered: 40,
  waited_ms: 5_400_000,
} satisfies z.input<typeof UsageSum>
const AT = "2026-11-22T09:00:12.000Z"

const GROUP = {
  key: "fail_9f86d081884c7d659a2feaa0",
  flow: "triage",
  step: "read",
  source: "api_error",
  shape: "the provider answered <n>: <text>",
  message: 'the provider answered 503: "try later"',
  rehearsed: false,
  count: 12,
  days: [{ day: "2026-11-22", count: 12 }],
  first: { run: RUN, at: "2026-11-22T07:11:00.000Z", revision: 6 },
  last: { run: RUN, at: AT, revision: 7 },
  runs: [RUN],
  status: "resolved",
  by: "ann",
  at: AT,
} satisfies FailureGroup

const USAGE: Usage = {
  by: "model",
  from: "2026-10-24",
  to: "2026-11-22",
  rehearsed: false,
  data: [{ key: "anthropic/claude-sonnet-4-5", ...SUM }],
  total: SUM,
  complete: true,
}

export const insightDoc = documented({
  parameters: { failure: { description: "The group's key from the list.", example: "fail_9f86d081884c7d659a2feaa0" } },
  shapes: { FailureGroup, GroupStatusBody, ScorerUsage, Usage, UsageAnswer },
  examples: {
    FailureGroup: GROUP,
    GroupStatusBody: { status: "resolved" },
    ScorerUsage: {
      by: "scorer",
      from: "2026-11-01",
      to: "2026-11-23",
      data: [{ key: "support/helpful", scored: 64, mean: 0.79, low: 7, input: 190_000, output: 9_000, usd: 0.62 }],
    },
    Usage: USAGE,
    UsageAnswer: USAGE,
  },
  fields: [[GroupStatusBody, { status: "`open`, `muted` or `resolved`." }]],
})
