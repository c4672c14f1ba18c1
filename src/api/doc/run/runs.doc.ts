// Describes the API's answers about runs and their files. Their events are in events.doc.ts, their conversations in messages.doc.ts.
//
// Over 300 lines: the view, the row and the public view of a run are made of the same members.

import { z } from "zod"
import { Amount } from "../../../core/money/amount.ts"
import {
  Attachment,
  EffectsMode,
  FailureSource,
  FileRef,
  InteractionKind,
  RunError,
  RunStatus,
  StartFile,
  Starter,
  StartTimes,
  StepStatus,
  Trial,
  Trigger,
} from "../../../core/run/event-parts.ts"
import { CALLBACK_FIELDS } from "../callbacks.doc.ts"
import { GivenStart } from "../../../core/start/start-schema.ts"
import { GIVEN_START_FIELDS, START_TEXT } from "./start-block.doc.ts"
import { COUNTED_BY, RunTokenBody, StartBody, SteerBody } from "../../run/runs.ts"
import {
  ATTACHMENT_FIELDS,
  ERROR_FIELDS,
  FILE_FIELDS,
  GIVEN_FILE_FIELDS,
  HASH,
  RUN,
  START_FILE_FIELDS,
  START_TIMES_FIELDS,
  STARTER_FIELDS,
  TRIAL_FIELDS,
  TRIGGER_FIELDS,
} from "./run-pieces.doc.ts"
import { saidFields } from "./said.doc.ts"
import { documented, EFFECTS_TEXT, Hash, JsonObject, Time, type FieldTexts } from "../shape.doc.ts"

export const StepView = z.object({
  status: StepStatus.describe("The step's status."),
  type: z.string().describe("The step's type."),
  agent: z.string().exactOptional().describe("The agent of the step."),
  summary: z.string().exactOptional().describe("The step's summary."),
  files: z.array(FileRef).exactOptional().describe("The files that the step read or changed."),
  artifacts: z.string().exactOptional().describe("The artifacts for later steps, as text."),
  outputs: JsonObject.exactOptional().describe("The step's declared outputs."),
  branch: z.string().exactOptional().describe("The chosen branch."),
  source: FailureSource.exactOptional().describe("The source of a failure."),
  usage: z
    .object({ input: z.number().describe("Input tokens."), output: z.number().describe("Output tokens.") })
    .describe("The tokens of all its model calls."),
  started: Time.exactOptional().describe("When the step's latest pass started."),
  ended: Time.exactOptional().describe("When the step's latest pass ended."),
  model_calls: z.number().describe("Model calls started in this pass, including repeats of failed calls."),
  retries: z.number().describe("The number of retries after soft failures since the step was last entered."),
  attempts: z.number().describe("The same as `model_calls`."),
  pass: z.number().describe("The number of times that the step was opened; a loop opens it again."),
  batch: z
    .object({
      sent: z.number().describe("Model calls sent in batches."),
      answered: z.number().describe("Those with a reply."),
      waiting: z.number().describe("Those that wait at their provider."),
      until: Time.exactOptional().describe("When the provider gives up the last of these."),
    })
    .exactOptional()
    .describe("For an open map with `batch_api`: its batches."),
  paced: z
    .object({
      model: z.string().describe("The model that the call waits for."),
      until: Time.describe("When it is asked again."),
      ahead: z.number().describe("How many calls of the tenant go before it."),
    })
    .exactOptional()
    .describe("Present while the step's model call waits for its turn."),
  paced_ms: z.number().exactOptional().describe("How long the model calls of this pass have waited for their turn, in milliseconds."),
  cached: z
    .object({ run: z.string().describe("The run that asked."), at: Time.describe("When it asked.") })
    .exactOptional()
    .describe("The step took the result of an equal pass of another run, and asked no model."),
  until: z
    .object({
      scorer: z.string().describe("The scorer."),
      at_least: z.number().describe("The score that is enough."),
      rounds: z.number().describe("The most passes of one entry."),
      from: z.string().exactOptional().describe("The step where a round begins, if it is not this one."),
      round: z.number().describe("The passes of this entry, the current one included."),
      scored: z
        .array(
          z.object({
            pass: z.number().describe("The pass."),
            round: z.number().describe("Its number in this entry."),
            score: z.number().nullable().describe("From 0 to 1, the best; null if there is none."),
            level: z.string().exactOptional().describe("The judge's level."),
            reason: z.string().exactOptional().describe("Why."),
            error: z.string().exactOptional().describe("Why there is no score."),
            enough: z.boolean().describe("Whether the step has ended with it."),
            judge: z.string().exactOptional().describe("The run of the judge."),
          }),
        )
        .describe("What the scorer said of each round, the oldest first."),
    })
    .exactOptional()
    .describe("For a step with `until`: its rounds since it was last entered."),
})

export const LostCalls = z
  .object({
    calls: z.number().describe("How many."),
    tokens: z.number().describe("The most tokens that these calls could use together."),
  })
  .describe(
    "Model calls that were begun and whose answers were lost, as by a restart. A provider may bill them; a budget counts them, and the other figures leave them out.",
  )

export const RunUsage = z.object({
  tokens: z.number().describe("Input and output tokens, including those of child runs."),
  usd: z.number().nullable().describe("US dollars; null if a model has no price."),
  tool_calls: z.number().describe("Tool calls."),
  estimated: z.number().exactOptional().describe("Tokens that no provider reported: each such call counts with its maximum."),
  lost: LostCalls.exactOptional(),
})

const id = z.string().describe("The run's id.")
const flow = z.string().describe("The run's flow.")
const status = RunStatus.describe("The run's status.")
const created = Time.describe("When the run was started.")
const fork = z
  .object({
    run: z.string().describe("The run that it was forked from."),
    seq: z.number().describe("The `seq` of that run's event after which it was forked."),
  })
  .describe("Present for a fork.")
const trigger = Trigger.describe("What started the run.")
const tags = z.array(z.string()).describe("The run's tags.")
const error = RunError.exactOptional().describe("Why the run failed.")
const pending = z.number().describe("Open interactions; a run can wait for a person while other steps continue.")
const QUEUED_WAIT = {
  until: Time.exactOptional().describe("For a queued run: when time alone may end the wait."),
  pool: z.string().exactOptional().describe("For a queued run: the pool of the key that it waits for."),
  key: z.string().exactOptional().describe("For a queued run: the key that it waits for."),
  ahead: z.number().exactOptional().describe("For a queued run: the number of starts that go before it, counted up to 100."),
  run: z.string().exactOptional().describe("For a queued run: the oldest run that holds the key."),
  expires: Time.exactOptional().describe("For a queued run: when the start expires."),
}
const waiting = z
  .object({
    reason: z
      .string()
      .describe(
        "What the run waits for; `child_interaction`: a person's answer to a child run. For a queued run: `debounce`, `batch`, `delay`, `throttle`, `concurrency` or `room`.",
      ),
    signal: z.string().exactOptional().describe("The name of the signal that a step waits for, if the reason is `signal`."),
    ...QUEUED_WAIT,
  })
  .exactOptional()
  .describe("Present while the run waits, or is queued by its `start` block.")
const rehearsed = z.boolean().describe("Whether the built-in model plays all models.")

const thread = z.string().describe("The thread that the start named; the run's id if it named none.")
const session = z.string().describe("The session that the start named, which goes on from run to run.")
const parent = z
  .object({
    run: z.string().describe("The parent run."),
    step: z.string().describe("The step of the parent that started this run."),
    index: z.number().describe("This run's index among the child runs of that step, from 0."),
    depth: z.number().describe("1 for a child of a run that has no parent."),
  })
  .describe("For a child run: its parent.")

export const RunView = z.object({
  id,
  flow,
  thread,
  status,
  created,
  since: Time.describe("When the run reached its status."),
  ended: Time.exactOptional().describe("When the run ended."),
  task: z.string().describe("The run's task."),
  inputs: JsonObject.describe("The run's inputs."),
  files: z.array(StartFile).exactOptional().describe("The files at the run's start."),
  autonomous: z.boolean().describe("Whether the run never waits for a person."),
  tainted: z.literal(true).exactOptional().describe("Present if the run has received or read text from outside."),
  effects: EffectsMode.describe("How the run treats calls that change something outside."),
  output: z.json().exactOptional().describe("The run's result."),
  error,
  steps: z.record(z.string(), StepView).describe("Step id → its state."),
  usage: RunUsage.describe("The run's usage."),
  budget: z
    .object({
      limit: Amount.describe("The run's limits; units without a limit are left out."),
      spent: Amount.describe("The spent part of the limits."),
      reserved: Amount.describe("The amount reserved for actions in progress."),
    })
    .exactOptional()
    .describe("The run's budget."),
  waiting,
  pending,
  asks: z
    .array(
      z.object({
        run: z.string().describe("The run that asks, which takes the answer."),
        id: z.string().describe("The interaction's id in that run."),
        kind: InteractionKind.describe("The kind of question."),
        step: z.string().describe("The step of that run that asks."),
      }),
    )
    .exactOptional()
    .describe("The questions of child runs to people; absent if there are none."),
  pinned: JsonObject.describe("The definitions that the run uses, by hash, and the models of its agents."),
  rehearsed,
  trigger,
  trial: Trial.exactOptional().describe("Of a run of an experiment: the experiment, the row, the variant and the repeat."),
  tags,
  start: StartTimes.exactOptional().describe("When the start arrived, came into line and began, if it had a `start` block."),
  superseded: z.string().exactOptional().describe("The run that took its place."),
  starters: z.array(Starter).exactOptional().describe("Who else started it, by starts that joined its window: at most 1,000."),
  seq: z.number().describe("The `seq` of its latest event."),
  parent: parent.exactOptional(),
  children: z.array(z.string()).describe("Ids of its child runs."),
  fork: fork.exactOptional(),
  inherited: z
    .object({
      tokens: z.number().describe("Tokens."),
      usd: z.number().nullable().describe("US dollars; null if no model has a price."),
      tool_calls: z.number().describe("Tool calls."),
      steps: z.number().describe("Steps."),
    })
    .exactOptional()
    .describe("For a fork: the usage of the history before it; `usage` counts from the fork on."),
  ...saidFields,
})

const RunNow = z.object({
  step: z.string().exactOptional().describe("The step that is active, asks or failed; the first in file order if several are active."),
  pass: z.number().exactOptional().describe("Its pass."),
  turn: z.number().exactOptional().describe("The turn of its agent, counted from 0 as in the events."),
  more: z.number().exactOptional().describe("The number of other active steps."),
  asks: z
    .object({
      id: z.string().describe("The interaction's id."),
      run: z.string().exactOptional().describe("The child run that asks; absent if the run itself asks."),
      kind: InteractionKind.describe("The kind of question."),
      text: z.string().describe("The question, or the call that needs an approval; at most 200 characters."),
    })
    .exactOptional()
    .describe("The oldest open question."),
  reason: z.string().exactOptional().describe("Why the run waits, or who paused it."),
  source: FailureSource.exactOptional().describe("Where the failure came from."),
  message: z.string().exactOptional().describe("Why the run failed; at most 200 characters."),
  output: z
    .string()
    .exactOptional()
    .describe("What the run has made: what its last step said, or its values with their names; at most 200 characters."),
  at: Time.describe("The time of this summary: a run reports it at its start and whenever its status or questions change."),
})

export const RunRow = z.object({
  id,
  flow,
  status,
  task: z.string().exactOptional().describe("The first 200 characters of the task. Absent for a second after the start."),
  revision: z.number().exactOptional().describe("The revision of the catalog that the run is pinned to."),
  waiting,
  now: RunNow.exactOptional().describe(
    "The run's current step, its question, the cause of its failure, or the beginning of its output; absent if there is nothing to show.",
  ),
  children: z
    .object({
      count: z.number().describe("The number of child runs below it, at any depth."),
      worst: RunStatus.describe("Their worst status: failed, waiting, paused, queued, running, canceled, succeeded."),
    })
    .exactOptional()
    .describe("The child runs below a run without a parent; `children=1` lists them. Absent if there are none."),
  created,
  ended: Time.nullable().describe("When the run ended; null before that."),
  trigger,
  tags,
  start: StartTimes.exactOptional().describe("When the start arrived, came into line and began, if it had a `start` block."),
  superseded: z.string().exactOptional().describe("The run that took its place."),
  starters: z.array(Starter).exactOptional().describe("Who else started it, by starts that joined its window: at most 1,000."),
  usage: RunUsage.describe("The run's usage."),
  pending,
  error,
  rehearsed,
  thread,
  session: session.exactOptional(),
  parent: parent.exactOptional(),
  fork: fork.exactOptional(),
  effects: EffectsMode.exactOptional().describe("How the run treats calls that change something outside."),
  ...saidFields,
})
export type RunRow = z.output<typeof RunRow>

export const RunCounts = z.object({
  by: z.enum(COUNTED_BY).describe("The grouping of the counts."),
  data: z
    .array(
      z.object({
        key: z.string().describe("The status, the flow's id, the kind of trigger, or when the hour or day in UTC begins."),
        count: z.number().describe("The number of runs."),
      }),
    )
    .describe("The counts, largest first, and hours and days in order; at most 1,000."),
  total: z.number().describe("The sum of these counts."),
  complete: z.boolean().describe("Whether all runs were counted."),
})
export type RunCounts = z.output<typeof RunCounts>

export const Started = z.object({
  id,
  flow,
  status,
  rehearsed: rehearsed.exactOptional(),
  merged: z.literal(true).exactOptional().describe("The start joined the window of this run."),
  waiting,
  urls: z
    .object({
      self: z.string().describe("The run."),
      events: z.string().describe("Its journal."),
      cancel: z.string().describe("POST here to cancel it."),
    })
    .describe("Links to further operations."),
})
export type Started = z.output<typeof Started>

export const SignalAccepted = z.object({
  run: id,
  signal: z.string().describe("The signal's name."),
  status: z.literal("accepted").describe("The signal is stored."),
})

export const SteerQueued = z.object({
  id: z.string().describe("The message's id."),
  step: z.string().describe("The step that receives the message."),
  status: z.literal("queued").describe("The message is delivered before the next turn."),
})

export const RunToken = z.object({
  token: z.string().exactOptional().describe("The token. It is shown only here; a replayed response leaves it out."),
  run: id,
  expires: Time.describe("When the token expires."),
  view: z.literal("public").exactOptional().describe("The token gives access to what a page may show to anyone."),
  answer: z.boolean().exactOptional().describe("Whether the token may answer the run's questions."),
  feedback: z.literal(true).exactOptional().describe("The token may say how good the run is."),
})

/** The view of a run for a public token [H1]. */
export const PublicRun = z.object({
  id,
  flow,
  status,
  created,
  ended: Time.exactOptional().describe("When the run ended."),
  output: z.json().exactOptional().describe("The run's result."),
  error: z
    .object({
      step: z.string().exactOptional().describe("The step that failed."),
      source: FailureSource.describe("Where the failure came from."),
    })
    .exactOptional()
    .describe("The kind of the failure, without its message."),
  steps: z
    .record(
      z.string(),
      StepView.omit({
        agent: true,
        artifacts: true,
        usage: true,
        attempts: true,
        model_calls: true,
        retries: true,
        cached: true,
        paced: true,
        paced_ms: true,
      }),
    )
    .describe("Step id → its state, without the agent, usage and artifacts."),
  waiting: z
    .object({ reason: z.string().describe("Why.") })
    .exactOptional()
    .describe("The run waits."),
  rehearsed: z.boolean().describe("Whether a rehearsal model answered."),
  seq: z.number().describe("The last event's `seq`."),
})
export const ReadRun = z.union([RunView, PublicRun])
export type RunToken = z.output<typeof RunToken>

export const FileRow = z.object({
  path: z.string().describe("The file's path in the workspace."),
  size: z.number().describe("Bytes."),
  hash: Hash,
  modified: Time.describe("When it was last written."),
})
export type FileRow = z.output<typeof FileRow>

export const StepTool = z.object({
  name: z.string().describe("The tool's name."),
  granted: z.boolean().describe("Whether the agent may call the tool."),
  rule: z.string().describe("The rule that decided."),
})

const ROW = {
  id: RUN,
  thread: "ticket-42",
  flow: "triage",
  status: "succeeded",
  created: "2026-11-22T09:00:00.000Z",
  trigger: { kind: "api", key: "ci" },
  tags: ["nightly"],
  usage: { tokens: 1_840, usd: 0.0071, tool_calls: 2 },
  pending: 0,
  rehearsed: false,
  effects: "live",
} satisfies Partial<z.input<typeof RunRow>>
const ENDED = "2026-11-22T09:00:12.000Z"

const START_FIELDS: FieldTexts = {
  task: "What the run should do. Some flows require it.",
  inputs: "Inputs that the flow declares, by name.",
  files: [
    "Files of the workspace, by path: text, or an object with `text`, `base64` or `object`. With files, the body may have 10 MiB.",
    GIVEN_FILE_FIELDS,
  ],
  autonomous: "Never wait for a person; by default as the flow says.",
  rehearse: "Use the built-in model, which calls no provider and costs nothing.",
  effects: `${EFFECTS_TEXT} A policy may demand more care.`,
  tags: "Labels for finding the run; at most 20.",
  budget: "The run's budget.",
  callback: ["A receiver of messages about this run.", CALLBACK_FIELDS],
  thread:
    "The conversation that the run belongs to, as the caller names it. Without `session`, the session that its steps continue is named after it.",
  session: "For steps with `session: ${{session}}`: the session to continue, from earlier runs.",
  trusted:
    "The parts that count as trusted; after other text from outside, calls wait for a person: the `history` that a client sends back, `attachments` of a message, the `message` of a chat token's holder, `answers` of a token's holder.",
  start: START_TEXT,
}

const RUN_VIEW = {
  ...ROW,
  ended: ENDED,
  task: "Sort this ticket.",
  inputs: {},
  autonomous: true,
  effects: "live",
  since: ENDED,
  output: "urgent",
  steps: {
    read: {
      status: "complete",
      type: "agent",
      agent: "sorter",
      summary: "urgent",
      usage: { input: 1_600, output: 240 },
      model_calls: 1,
      retries: 0,
      attempts: 1,
      pass: 1,
    },
  },
  budget: { limit: { usd: 0.5 }, spent: { usd: 0.0071 }, reserved: { usd: 0 } },
  pinned: { revision: 7, flow: { id: "triage", hash: HASH } },
  seq: 14,
  children: [],
} satisfies z.input<typeof RunView>

export const runsDoc = documented({
  parameters: {
    handle: { description: "The handle in the truncated output.", example: "out_2b9f" },
    path: { description: "The file's path in the workspace.", example: "report.md" },
    run: { description: "The run's id.", example: "run_0n3v5k8q2m7x1c9z4b6p0d2f8h" },
    session: { description: "The session's id.", example: "customer-42" },
    signal: { description: "The signal's name.", example: "approved" },
    step: { description: "The step's id.", example: "read" },
  },
  shapes: {
    Attachment,
    FileRef,
    FileRow,
    RunError,
    RunCounts,
    RunRow,
    RunStatus,
    PublicRun,
    ReadRun,
    RunToken,
    RunTokenBody,
    RunView,
    SignalAccepted,
    StartBody,
    StartBlock: GivenStart,
    StartFile,
    StartTimes,
    Started,
    SteerBody,
    SteerQueued,
    StepStatus,
    StepTool,
    StepView,
    Trigger,
  },
  examples: {
    Attachment: { path: "in/photo.png", hash: HASH, type: "image/png", size: 48_213, tokens: 765, width: 800, height: 600 },
    FileRow: { path: "report.md", size: 2_048, hash: HASH, modified: ENDED },
    RunCounts: {
      by: "status",
      data: [
        { key: "succeeded", count: 1_204 },
        { key: "failed", count: 12 },
      ],
      total: 1_216,
      complete: true,
    },
    RunRow: {
      ...ROW,
      status: "failed",
      ended: ENDED,
      task: "Sort this ticket.",
      revision: 7,
      now: { step: "read", source: "api_error", message: "the provider answered 503", at: ENDED },
      error: { step: "read", source: "api_error", message: "the provider answered 503" },
      children: { count: 3, worst: "failed" },
    },
    RunToken: { token: "rt_eyJydW4iOiJydW5fMCJ9.c2ln", run: RUN, expires: "2026-11-22T09:05:00.000Z" },
    RunTokenBody: { ttl: 300 },
    ReadRun: RUN_VIEW,
    RunView: RUN_VIEW,
    SignalAccepted: { run: RUN, signal: "approved", status: "accepted" },
    StartBody: { task: "Sort this ticket.", inputs: { ticket: 4711 }, tags: ["nightly"], budget: { usd: 0.5 } },
    Started: {
      id: RUN,
      flow: "triage",
      status: "running",
      urls: { self: `/v1/runs/${RUN}`, events: `/v1/runs/${RUN}/events`, cancel: `/v1/runs/${RUN}/cancel` },
    },
    SteerBody: { message: "Leave out the appendix." },
    SteerQueued: { id: "steer_1", step: "write", status: "queued" },
    StepTool: { name: "read", granted: true, rule: "agent: tools" },
    Trigger: { kind: "api", key: "ci" },
  },
  fields: [
    [Attachment, ATTACHMENT_FIELDS],
    [FileRef, FILE_FIELDS],
    [RunError, ERROR_FIELDS],
    [
      RunTokenBody,
      {
        ttl: "The token's lifetime in seconds: 1 to 900; 300 by default.",
        view: "`public`: the token is for a page that anyone may see. It shows the status, the agents' texts, the questions, the output and the named files, but no prompts, tools, rules or costs.",
        answer: "With `view`: the token may answer the run's questions. The key needs `interactions:answer`.",
        feedback: "With `view`: the token may say how good the run is. The key needs `runs:write`.",
        trusted: "With `answer`: `answers` if the holder's texts count as trusted.",
      },
    ],
    [StartBody, START_FIELDS],
    [GivenStart, GIVEN_START_FIELDS],
    [StartFile, START_FILE_FIELDS],
    [StartTimes, START_TIMES_FIELDS],
    [SteerBody, { message: "The message to the agent." }],
    [Starter, STARTER_FIELDS],
    [Trial, TRIAL_FIELDS],
    [Trigger, TRIGGER_FIELDS],
  ],
})
