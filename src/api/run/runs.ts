// Declares runs and sticky sessions: starting, reading, following, steering, files. Over 300 lines: the bodies and routes of one resource,
// from which handlers, document and client derive.

import { z } from "zod"
import { Amount } from "../../core/money/amount.ts"
import { EffectsMode, RunStatus, Trigger } from "../../core/run/event-parts.ts"
import { GivenStart } from "../../core/start/start-schema.ts"
import { GivenFiles } from "../../core/run/given-file.ts"
import { Origin, ORIGINS } from "../../core/flow/origin.ts"
import type { StartMember } from "../../core/run/start-members.ts"
import { Thread } from "../../core/run/thread.ts"
import { SESSION_ID } from "../../core/run/session/sticky.ts"
import { MAX_GIVEN, objectWithin } from "../../core/schema/bounded.ts"
import { CallbackBody } from "../../core/project/callback-body.ts"
import {
  IF_NONE_MATCH,
  IF_RANGE,
  LARGE_BODY,
  MAX_SOUGHT,
  NOT_MODIFIED,
  NoBody,
  PAGE,
  PAGES,
  PREFER,
  type Routes,
  STARTED,
  UNSTARTABLE,
  flag,
  limitTo,
  words,
} from "../route/route.ts"
import { later } from "../../core/schema/later.ts"

/** [G11] The parts of a run's input that count as trusted. */
export const Trusted = z.array(Origin).max(ORIGINS.length)

export const StartBody = later(() =>
  z.strictObject({
    task: z.string().max(MAX_GIVEN).exactOptional(),
    inputs: objectWithin(MAX_GIVEN).exactOptional(),
    files: GivenFiles.exactOptional(),
    autonomous: z.boolean().exactOptional(),
    rehearse: z.boolean().exactOptional(),
    effects: EffectsMode.exactOptional(),
    tags: z.array(z.string().min(1).max(100)).max(20).exactOptional(),
    budget: Amount.exactOptional(),
    callback: CallbackBody.exactOptional(),
    thread: Thread.exactOptional(),
    session: z
      .string()
      .regex(new RegExp(SESSION_ID), 'must have 1 to 128 letters, digits, "-", "_" or ".", and must not start with "."')
      .exactOptional(),
    trusted: Trusted.exactOptional(),
    start: GivenStart.exactOptional(),
  } satisfies Record<StartMember, z.ZodType>),
)
/** The type of the request body for clients. */
export type Start = z.input<typeof StartBody>

export const SteerBody = z.strictObject({ message: z.string().trim().min(1, "must not be empty").max(65_536) })

/** Limit: seconds of a run's token → 422 at `/ttl`. */
export const MAX_TOKEN_TTL = 900
export const RunTokenBody = later(() =>
  z.strictObject({
    ttl: z
      .number()
      .int()
      .min(1, `must be from 1 to ${MAX_TOKEN_TTL} seconds`)
      .max(MAX_TOKEN_TTL, `must be from 1 to ${MAX_TOKEN_TTL} seconds`)
      .exactOptional(),
    view: z.literal("public", 'must be "public"; leave it out for a token that reads the whole run').exactOptional(),
    answer: z.boolean().exactOptional(),
    feedback: z.boolean().exactOptional(),
    trusted: Trusted.exactOptional(),
  }),
)
/** The type of the request body for clients. */
export type TokenWish = z.input<typeof RunTokenBody>

/** Formats in which a run's events can be read besides their own [E3]. */
export const FORMATS = ["pi-flows", "harness", "chat", "ui", "responses", "agui", "a2a"] as const
export type EventFormat = (typeof FORMATS)[number]

/** The order of the list of runs. */
export const RUN_SORTS = ["newest", "oldest", "cost", "duration"] as const
export type RunSort = (typeof RUN_SORTS)[number]

export const COUNTED_BY = ["status", "flow", "trigger", "hour", "day"] as const
export type CountedBy = (typeof COUNTED_BY)[number]

const RUN = { description: "The run.", body: "RunView" } as const
const BYTES = { "text/plain": "text", "application/octet-stream": "bytes" } as const
/** A file keeps a type that a browser only shows, such as an image's. */
const FILE_BYTES = { "text/plain": "text", "*/*": "bytes" } as const
const SEQ = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const
const AT = { description: "The state after the event with this `seq`; by default the current state.", schema: SEQ } as const
/** The filters of the list of runs. */
export const FILTER = {
  children: flag("1 includes child runs."),
  parent: words("Only child runs of this run.", 100),
  fork_of: words("Only forks of this run.", 100),
  thread: words("Only runs of this thread.", 256),
  session: words("Only runs whose start named this sticky session.", 200),
  flow: words("Only runs of this flow, or of several joined by commas. `*` in a name stands for any characters: `support:*`.", 4_096),
  status: words(`Only runs with one of these statuses: ${RunStatus.options.join(", ")}, joined by commas.`),
  tag: words("Only runs with this tag.", 100),
  trigger: words(`Only runs started by one of these: ${Trigger.shape.kind.options.join(", ")}, joined by commas.`),
  hook: words("Only runs started by this hook.", 100),
  schedule: words("Only runs started by this schedule.", 100),
  api_key: words("Only runs started with the API key of this name.", 200),
  scorer: words("Only runs with a score of this scorer; `feedback` is the mean of what people say.", 100),
  at_most: words("With `scorer`: only scores of at most this number from 0 to 1.", 20),
  at_least: words("With `scorer`: only scores of at least this number from 0 to 1.", 20),
  q: words(
    "Only runs with all of these words in their list item: in the id, the flow, the beginning of the task, the error, the tags or the trigger. Parts of words count; case and accents do not matter, and no character is special.",
    MAX_SOUGHT,
  ),
  since: words("Only runs created at this time or later: a time, a day in UTC, or a span back from now, such as `2h` or `7d`.", 40),
  until: words("Only runs created before this time, which is written like `since`.", 40),
  created_after: {
    description: "The same as `since`, for a time only.",
    schema: { type: "string", format: "date-time" },
  },
  created_before: { description: "The same as `until`, for a time only.", schema: { type: "string", format: "date-time" } },
} as const
const SORT = {
  description:
    "The order: `newest` (by default) or `oldest` first, or the largest `cost` or `duration` first. By cost and duration, 5,000 runs at a time are put in order, the newest ones first.",
  schema: { type: "string", enum: RUN_SORTS },
} as const
const SNAPSHOT = flag("For a stream: 1 starts it with the current state of the run.")

export const runs = {
  startRun: {
    method: "POST",
    path: "/v1/flows/:flow/runs",
    scope: "runs:write",
    tag: "Runs",
    summary: "Start a run of a flow",
    description:
      "`flow` is an id, `id@revision` or `id@draft:NAME`. When the answer arrives, the run is durable. With `Accept: text/event-stream` the answer is the run's stream.",
    headers: { prefer: PREFER },
    query: { snapshot: SNAPSHOT },
    body: StartBody,
    bodyLimit: LARGE_BODY,
    largeWith: "files",
    optional: true,
    answers: {
      200: {
        description: "The run ended, or waits for a person, within `Prefer: wait`; or the run's stream.",
        body: { "application/json": "RunView", "text/event-stream": "EventStream" },
        headers: STARTED,
      },
      202: {
        description: "The run has started and continues.",
        body: "Started",
        headers: STARTED,
      },
    },
    problems: ["task_required", ...UNSTARTABLE],
  },
  listRuns: {
    method: "GET",
    path: "/v1/runs",
    scope: "runs:read",
    tag: "Runs",
    summary: "List runs, newest first",
    description:
      "Child runs are left out, unless `children=1`, `parent`, or `trigger` with `child` asks for them. A page looks at 5,000 runs at most: if it ends for that, `complete` is false, and what follows is at its cursor.",
    query: { ...PAGES, ...FILTER, sort: SORT },
    answers: { 200: { description: "A page of runs.", body: "RunRow[]" } },
  },
  countRuns: {
    method: "GET",
    path: "/v1/runs/counts",
    scope: "runs:read",
    tag: "Runs",
    summary: "Count runs by status, by flow, by what started them, or by the time they began",
    description:
      "Counts what the list would show under the same filters. With filters by flow and status alone the counts are exact and cost the same for any number of runs; with any other filter, by `trigger`, and by `hour` or `day` in UTC, the newest 10,000 runs of that filter's index are counted, and `complete` says whether these are all.",
    query: {
      by: { description: "The grouping; by default `status`.", schema: { type: "string", enum: COUNTED_BY } },
      ...FILTER,
    },
    answers: { 200: { description: "The counts, largest first.", body: "RunCounts" } },
  },
  getRun: {
    method: "GET",
    path: "/v1/runs/:run",
    scope: "runs:read",
    tag: "Runs",
    summary: "Read a run",
    description: "A public token reads what a page may show to anyone.",
    token: true,
    query: { at: AT },
    answers: { 200: { description: "The run; for a public token, its public part.", body: "ReadRun" } },
  },
  deleteRun: {
    method: "DELETE",
    path: "/v1/runs/:run",
    scope: "runs:write",
    tag: "Runs",
    summary: "Delete a run",
    description:
      "A live run is canceled first, without callbacks. The run disappears from all lists and responses immediately, and its journal is deleted. Files, long outputs and cached copies that no other run or session has are deleted within a day, and so is the first answer to the Idempotency-Key of its start, which repeats until then.",
    answers: { 204: { description: "Deleted.", headers: ["sluice-erased-within"] } },
  },
  cancelRun: {
    method: "POST",
    path: "/v1/runs/:run/cancel",
    scope: "runs:write",
    tag: "Runs",
    summary: "Cancel a run",
    description: "A run that has ended is returned unchanged.",
    body: NoBody,
    optional: true,
    answers: { 200: RUN },
  },
  pauseRun: {
    method: "POST",
    path: "/v1/runs/:run/pause",
    scope: "runs:write",
    tag: "Runs",
    summary: "Pause a run",
    description: "No new action starts. Actions in progress finish and are recorded.",
    body: NoBody,
    optional: true,
    answers: { 200: RUN },
  },
  resumeRun: {
    method: "POST",
    path: "/v1/runs/:run/resume",
    scope: "runs:write",
    tag: "Runs",
    summary: "Resume a paused run",
    body: NoBody,
    optional: true,
    answers: { 200: RUN },
  },
  makeRunToken: {
    method: "POST",
    path: "/v1/runs/:run/token",
    scope: "runs:read",
    tag: "Runs",
    summary: "Create a short-lived token for a browser's stream of this run",
    body: RunTokenBody,
    optional: true,
    answers: {
      201: {
        description:
          "The token. As `?token=` it gives access to GET of this run and its events; a public token also to its questions and named files, and as a Bearer too.",
        body: "RunToken",
      },
    },
  },
  readEvents: {
    method: "GET",
    path: "/v1/runs/:run/events",
    scope: "runs:read",
    tag: "Runs",
    summary: "Read or follow a run's journal",
    description:
      "JSON pages by default. With `Accept: text/event-stream` a live stream, which continues after `Last-Event-ID` and ends with the run. On upgrade a WebSocket, one text message per event. A reader who joins a running turn gets its text so far as a `model.delta` with `whole: true` after the journal: it replaces what the reader has of that turn. A public token reads public events only; their `seq` has gaps.",
    token: true,
    query: {
      after: { description: "Only events after this `seq`.", schema: SEQ },
      cursor: { description: "The same as `after`, under the name that lists use.", schema: SEQ },
      limit: limitTo(1000, 500),
      format: {
        description: "Answer frames in another system's format; without it, the events themselves.",
        schema: { type: "string", enum: FORMATS },
      },
      snapshot: SNAPSHOT,
      ack: flag("For a WebSocket: 1 says that the reader acknowledges what it has received by sending a message."),
    },
    headers: { "last-event-id": words("Where a stream continues. It takes precedence over `after`.") },
    answers: {
      101: { description: "A WebSocket of the same events." },
      200: { description: "A page, or the stream.", body: { "application/json": "EventPage", "text/event-stream": "EventStream" } },
      204: { description: "For a stream: the run has ended and no more events follow, or the cursor is beyond its journal." },
    },
  },
  signalRun: {
    method: "POST",
    path: "/v1/runs/:run/signals/:signal",
    scope: "runs:write",
    tag: "Runs",
    summary: "Send a signal to the step that waits for it",
    description: "The payload is any JSON. A signal that no step waits for yet is kept.",
    media: { "application/json": "json" },
    optional: true,
    answers: { 202: { description: "The signal is accepted.", body: "SignalAccepted" } },
    problems: ["run_over", "definitions_lost", "too_many_signals"],
  },
  steerStep: {
    method: "POST",
    path: "/v1/runs/:run/steps/:step/steer",
    scope: "runs:write",
    tag: "Runs",
    summary: "Send a message to the agent of a running step",
    body: SteerBody,
    answers: { 202: { description: "The message is queued and is delivered before the agent's next turn.", body: "SteerQueued" } },
    problems: ["not_running", "definitions_lost", "too_many_steers"],
  },
  listStepTools: {
    method: "GET",
    path: "/v1/runs/:run/steps/:step/tools",
    scope: "runs:read",
    tag: "Runs",
    summary: "List a step's tools: whether each is granted, and by which rule",
    query: PAGE,
    answers: { 200: { description: "All tools.", body: "StepTool[]" } },
  },
  listStepMessages: {
    method: "GET",
    path: "/v1/runs/:run/steps/:step/messages",
    scope: "runs:read",
    tag: "Runs",
    summary: "Read the conversation of a step's latest pass",
    query: PAGE,
    answers: { 200: { description: "A page of messages, oldest first.", body: "Message[]" } },
  },
  listFiles: {
    method: "GET",
    path: "/v1/runs/:run/files",
    scope: "runs:read",
    tag: "Runs",
    summary: "List the files of a run's workspace",
    token: true,
    query: { ...PAGE, at: AT },
    answers: { 200: { description: "All files.", body: "FileRow[]" } },
  },
  putFile: {
    method: "PUT",
    path: "/v1/runs/:run/files/:path{.+}",
    scope: "runs:write",
    tag: "Runs",
    summary: "Put a file into a run's workspace",
    description:
      "The body is the file. Accepted before the first step begins and while a step waits, or the run is paused and no action is in progress.",
    query: { untrusted: flag("1 marks the file's text as coming from outside, which taints its readers.") },
    media: { "*/*": "bytes" },
    bodyLimit: LARGE_BODY,
    answers: {
      200: { description: "The file is replaced.", body: "FileRow" },
      201: { description: "The file is new.", body: "FileRow", headers: ["location"] },
    },
    problems: ["steps_at_work", "run_over", "definitions_lost", "too_many_files", "storage_full"],
  },
  getFile: {
    method: "GET",
    path: "/v1/runs/:run/files/:path{.+}",
    scope: "runs:read",
    tag: "Runs",
    summary: "Read a file of a run's workspace",
    token: true,
    description: "A part of the file with `Range: bytes=FROM-TO`. Always a download that no browser executes.",
    query: { at: AT },
    headers: {
      "if-none-match": IF_NONE_MATCH,
      range: words("One range of bytes: `bytes=0-1023`, `bytes=1024-`, `bytes=-512`."),
      "if-range": IF_RANGE,
    },
    answers: {
      200: { description: "The file.", body: FILE_BYTES, headers: ["etag", "content-disposition"] },
      206: { description: "The part.", body: FILE_BYTES, headers: ["etag", "content-disposition", "content-range"] },
      304: NOT_MODIFIED,
    },
    problems: ["range"],
  },
  getOutput: {
    method: "GET",
    path: "/v1/runs/:run/outputs/:handle",
    scope: "runs:read",
    tag: "Runs",
    summary: "Read the full text of a truncated tool output",
    headers: { "if-none-match": IF_NONE_MATCH },
    answers: { 200: { description: "The output.", body: BYTES, headers: ["etag"] }, 304: NOT_MODIFIED },
  },
  forgetCached: {
    method: "DELETE",
    path: "/v1/flows/:flow/cache",
    scope: "runs:write",
    tag: "Runs",
    summary: "Forget the kept results of a flow's steps",
    description: "With `step`, those of one step. What asks the same from now on is asked anew; runs that took a result over keep it.",
    query: { step: words("The id of a step; left out: all steps of the flow.") },
    answers: { 204: { description: "Forgotten, or there were none." } },
  },
  listSessions: {
    method: "GET",
    path: "/v1/sessions",
    scope: "runs:read",
    tag: "Runs",
    summary: "List sticky sessions, last used first",
    query: PAGE,
    answers: { 200: { description: "All sessions.", body: "Session[]" } },
  },
  readSession: {
    method: "GET",
    path: "/v1/sessions/:agent/:session",
    scope: "runs:read",
    tag: "Runs",
    summary: "Read the conversation of a sticky session",
    description:
      "Oldest first. It contains the saved parts of ended runs; a run that still uses the session saves its part when its step ends.",
    query: PAGES,
    answers: { 200: { description: "The session, and a page of its messages.", body: "Conversation" } },
  },
  deleteSession: {
    method: "DELETE",
    path: "/v1/sessions/:agent/:session",
    scope: "runs:write",
    tag: "Runs",
    summary: "Forget a sticky session",
    description:
      "The session disappears immediately. Its conversation is deleted within a day; a run that was part of it has its own record, until it is deleted.",
    answers: { 204: { description: "Forgotten.", headers: ["sluice-erased-within"] } },
  },
} as const satisfies Routes
