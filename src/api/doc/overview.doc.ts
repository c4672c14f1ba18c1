// Describes the API's answers about measures of runs (src/api/insight.ts).

import { z } from "zod"
import { MEASURED_EACH } from "../insight.ts"
import { documented, Time } from "./shape.doc.ts"

const Times = z.object({
  n: z.number().describe("How many."),
  sum: z.number().describe("All of them together, in milliseconds."),
  p50: z.number().describe("Half of them took no longer, in milliseconds; within 5 %."),
  p95: z.number().describe("95 of 100 took no longer, in milliseconds; within 5 %."),
  spread: z
    .array(z.tuple([z.number(), z.number()]).rest(z.never()))
    .exactOptional()
    .describe(
      "Of the whole range, for models, tools and steps: pairs of milliseconds and how many took no longer than these, but longer than those of the pair before.",
    ),
})

const Ends = z.object({
  succeeded: z.number().describe("Runs that succeeded."),
  failed: z.number().describe("Runs that failed."),
  canceled: z.number().describe("Runs that were canceled."),
})

const Asks = z.object({
  n: z.number().describe("How many were asked."),
  approved: z.number().describe("Approved."),
  edited: z.number().describe("Approved with other arguments."),
  rejected: z.number().describe("Rejected."),
  answered: z.number().describe("Answered in another way."),
  expired: z.number().describe("Expired."),
  ms: Times.nullable().describe("The time until a person answered."),
})

const Success = z.number().nullable().describe("The share of runs that succeeded, of those that succeeded or failed; null: none did.")
const Usd = z.number().nullable().describe("US dollars; null if no call had a price.")

const Measures = z.object({
  began: z.number().describe("Runs that began; without child runs."),
  runs: Ends.describe("Runs that ended; without child runs."),
  children: Ends.describe("Child runs that ended."),
  success: Success,
  usd: Usd,
  unpriced: z.number().describe("Model calls without a price, which `usd` leaves out."),
  input: z.number().describe("Input tokens."),
  cached: z.number().describe("Input tokens read from the provider's cache."),
  output: z.number().describe("Output tokens."),
  ms: Times.nullable().describe("How long the runs took, without pauses and waits for people."),
  waited: Times.nullable().describe("How long the runs that asked waited for people."),
})

const Model = z.object({
  model: z.string().describe("The model, or `(other)`."),
  calls: z.number().describe("Answered calls."),
  failed: z.number().describe("Calls that failed."),
  limited: z.number().describe("Those of them that the provider refused with 429."),
  input: z.number().describe("Input tokens."),
  cached: z.number().describe("Input tokens read from the provider's cache."),
  output: z.number().describe("Output tokens."),
  usd: Usd,
  ms: Times.nullable().describe("How long the answered calls took."),
})

const Tool = z.object({
  tool: z.string().describe("The tool, or `(other)`."),
  calls: z.number().describe("Calls."),
  errors: z.number().describe("Calls that failed, or whose outcome is unknown."),
  refused: z.record(z.string(), z.number()).describe("Refused calls by the code of the reason."),
  approvals: Asks.describe("What people were asked before the calls."),
  ms: Times.nullable().describe("How long calls took that returned."),
})

const Person = z.object({
  person: z.string().describe("Who answered: the name of a person or of a key, or `(other)`."),
  answered: z.number().describe("Answers."),
  ms: Times.nullable().describe("The time until these answers."),
})

const Use = z.object({
  name: z.string().describe("The API key or the tag, or `(other)`."),
  runs: Ends.describe("Runs that ended; without child runs."),
  input: z.number().describe("Input tokens, with those of child runs."),
  output: z.number().describe("Output tokens, with those of child runs."),
  usd: z.number().nullable().describe("US dollars, with those of child runs; null if no call had a price."),
})

const Names = z.object({
  questions: Asks.describe("Questions to people, of runs that ended."),
  approvals: Asks.describe("Approvals that people were asked for, of runs that ended."),
  models: z.array(Model).describe("By model."),
  tools: z.array(Tool).describe("By tool."),
  people: z.array(Person).describe("By person."),
  keys: z.array(Use).describe("By the API key that started the runs."),
  tags: z.array(Use).describe("By tag; a run with several tags counts with each."),
})

/** Of a slice, with `names=1`. */
const SliceNames = z.object({
  models: z.array(Model).exactOptional().describe("By model, with `names=1`."),
  tools: z.array(Tool).exactOptional().describe("By tool, with `names=1`."),
  keys: z.array(Use).exactOptional().describe("By the API key that started the runs, with `names=1`."),
  tags: z.array(Use).exactOptional().describe("By tag, with `names=1`."),
})

const range = z.tuple([z.number(), z.number()]).rest(z.never()).nullable()
const Range = range.describe("The lowest and the highest usual value; null: not known.")
const numbers = <T extends z.ZodType>(value: T) =>
  z.object({
    runs: value.describe("Runs that began."),
    ended: value.describe("Runs that ended."),
    success: value.describe("The share of runs that succeeded."),
    usd: value.describe("US dollars."),
    p95: value.describe("95 of 100 runs took no longer, in milliseconds."),
    open: value.describe("Open questions."),
  })
const Value = z.number().nullable()
const Judged = z.object({
  value: Value.describe("The number; null: there is none."),
  usual: Range,
  unusual: z.boolean().nullable().describe("Whether the number is out of its usual range; null: nothing is usual."),
})

const Span = z.object({
  since: Time.describe("The first hour."),
  until: Time.describe("The end of the last hour."),
  each: z.enum(MEASURED_EACH).describe("The length of a slice."),
  rehearsed: z.boolean().describe("Whether the sums are those of rehearsed runs."),
})

const Slice = Measures.extend({
  at: Time.describe("When the slice begins."),
  partial: z.boolean().describe("Whether it is not over yet."),
})

const Overview = Span.extend({
  data: z
    .array(
      Slice.extend({
        open: Value.describe("Questions open at its end, or now; null: not known."),
        active: Value.describe(
          "Runs under way at its end, or now, without child runs; one that waited in line counts from its arrival. null: not known.",
        ),
        usual: numbers(Range).exactOptional().describe("What is usual in such a slice."),
        so_far: numbers(Value).exactOptional().describe("The numbers from `since` to the end of the slice."),
        usual_so_far: numbers(Range).exactOptional().describe("What is usual for these."),
        ...SliceNames.shape,
      }),
    )
    .describe("The slices, in order."),
  total: Measures.extend(Names.shape).describe("The sums over the whole range."),
  numbers: numbers(Judged).exactOptional().describe("The numbers from `since` until now, and what is usual for them at this time."),
})
export type Overview = z.output<typeof Overview>

const FlowMeasures = Span.extend({
  flow: z.string().describe("The flow."),
  data: z
    .array(
      Slice.extend({
        ...SliceNames.shape,
        revisions: z.array(z.number()).describe("Revisions whose runs ended in the slice, newest first."),
      }),
    )
    .describe("The slices, in order."),
  total: Measures.extend({
    ...Names.shape,
    revisions: z
      .array(
        z.object({
          revision: z.union([z.number(), z.string()]).describe("The revision, or `(other)`."),
          runs: Ends.describe("Runs that ended, with child runs."),
          success: Success,
          usd: z.number().nullable().describe("US dollars of these runs with their children; null if no call had a price."),
          ms: Times.nullable().describe("How long the runs took."),
        }),
      )
      .describe("By revision, newest first."),
    steps: z
      .array(
        z.object({
          step: z.string().describe("The step, or `(other)`."),
          reached: z.number().describe("Runs that reached the step."),
          skipped: z.number().describe("Runs that skipped it."),
          failed: z.number().describe("Runs in which it failed or was blocked."),
          left: z.number().describe("Runs that ended while it was open."),
          usd: Usd,
          ms: Times.nullable().describe("How long each pass took, without pauses."),
        }),
      )
      .describe("By step."),
  }).describe("The sums over the whole range."),
})
export type FlowMeasures = z.output<typeof FlowMeasures>

const TIMES = { n: 412, sum: 21_400_000, p50: 47_000, p95: 109_000 }
const ASKS = {
  n: 30,
  approved: 26,
  edited: 1,
  rejected: 2,
  answered: 0,
  expired: 1,
  ms: { n: 29, sum: 17_000_000, p50: 360_000, p95: 1_900_000 },
}
const SUMS = {
  began: 436,
  runs: { succeeded: 395, failed: 9, canceled: 3 },
  children: { succeeded: 1_230, failed: 6, canceled: 0 },
  success: 0.978,
  usd: 21.42,
  unpriced: 0,
  input: 5_112_000,
  cached: 3_204_000,
  output: 402_000,
  ms: TIMES,
  waited: ASKS.ms,
} satisfies z.input<typeof Measures>
const NAMES = {
  questions: { ...ASKS, n: 12, approved: 0, edited: 0, rejected: 0, answered: 12, expired: 0 },
  approvals: ASKS,
  models: [
    {
      model: "anthropic/claude-sonnet-4-5",
      calls: 4_804,
      failed: 12,
      limited: 9,
      input: 5_112_000,
      cached: 3_204_000,
      output: 402_000,
      usd: 21.42,
      ms: {
        n: 4_804,
        sum: 21_000_000,
        p50: 4_100,
        p95: 11_000,
        spread: [
          [4_096, 2_390],
          [11_585, 2_414],
        ],
      },
    },
  ],
  tools: [
    {
      tool: "payments.refund",
      calls: 816,
      errors: 2,
      refused: { policy: 41 },
      approvals: ASKS,
      ms: { n: 773, sum: 910_000, p50: 1_100, p95: 2_100 },
    },
  ],
  people: [{ person: "Priya", answered: 29, ms: ASKS.ms }],
  keys: [{ name: "desk", runs: { succeeded: 395, failed: 9, canceled: 3 }, input: 5_112_000, output: 402_000, usd: 21.42 }],
  tags: [{ name: "eu", runs: { succeeded: 201, failed: 4, canceled: 1 }, input: 2_600_000, output: 204_000, usd: 10.9 }],
} satisfies z.input<typeof Names>
const AT = "2026-11-24T13:00:00.000Z"
const SPAN = { since: "2026-11-23T23:00:00.000Z", until: "2026-11-24T14:00:00.000Z", each: "hour", rehearsed: false } as const
const judged = (value: number, usual: [number, number], unusual = false) => ({ value, usual, unusual })

export const overviewDoc = documented({
  shapes: { Overview, FlowMeasures },
  examples: {
    Overview: {
      ...SPAN,
      data: [{ at: AT, partial: true, ...SUMS, open: 60, active: 12 }],
      total: { ...SUMS, ...NAMES },
      numbers: {
        runs: judged(436, [375, 468]),
        ended: judged(407, [370, 460]),
        success: judged(0.924, [0.971, 1], true),
        usd: judged(21.42, [17.7, 23.2]),
        p95: judged(108_000, [88_000, 128_000]),
        open: judged(60, [8, 22], true),
      },
    },
    FlowMeasures: {
      ...SPAN,
      flow: "support:refund",
      data: [{ at: AT, partial: true, ...SUMS, revisions: [18, 17] }],
      total: {
        ...SUMS,
        ...NAMES,
        revisions: [{ revision: 18, runs: { succeeded: 33, failed: 31, canceled: 0 }, success: 0.516, usd: 4.1, ms: TIMES }],
        steps: [{ step: "decide-amount", reached: 838, skipped: 311, failed: 31, left: 0, usd: 8.2, ms: TIMES }],
      },
    },
  },
})
