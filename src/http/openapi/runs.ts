// Runs and what they ask: how each route of theirs is described.

import { z } from "zod"
import { RunStatus } from "../../core/run/event.ts"
import { FORMATS } from "../../ports/event-format.ts"
import { LinkBody } from "../runs/answer-link.ts"
import { AnswerBody } from "../runs/interactions.ts"
import { RunTokenBody } from "../runs/run-token.ts"
import { NoBody, SteerBody } from "../runs/runs.ts"
import { StartBody } from "../runs/start-run.ts"
import { CURSOR, PAGE, PREFER, TEXT, limitTo } from "./parameters.ts"
import {
  Asked,
  EventPage,
  EventStream,
  FileRow,
  Interaction,
  listOf,
  Message,
  Question,
  RunRow,
  RunToken,
  RunView,
  Session,
  Started,
  StepTool,
  Time,
} from "./shapes.ts"
import type { Table } from "./told.ts"

const run = { says: "The run.", body: RunView }
const answered = { says: "The interaction, decided.", body: Interaction }
const bytes = { "text/plain": TEXT, "application/octet-stream": "bytes" } as const

export const RUNS: Table = {
  "POST /v1/flows/{flow}/runs": {
    id: "startRun",
    tag: "Runs",
    does: "Start a run of a flow",
    more: "`flow` is an id or `id@revision`. The run is durable when the answer comes. With `Accept: text/event-stream` the answer is the run's stream.",
    headers: { prefer: PREFER },
    query: { snapshot: { schema: z.enum(["0", "1"]), says: "Of a stream: 1 begins it with the run as it is." } },
    body: StartBody,
    optional: true,
    answers: {
      200: {
        says: "It ended, or waits for a person, within `Prefer: wait`; or its stream.",
        body: { "application/json": RunView, "text/event-stream": EventStream },
        headers: ["location", "preference-applied", "ratelimit", "ratelimit-policy"],
      },
      202: {
        says: "It goes on.",
        body: Started,
        headers: ["location", "preference-applied", "ratelimit", "ratelimit-policy"],
      },
    },
    refuses: ["task_required", "invalid_flow", "unknown_agent", "no_price", "no_model", "unsupported", "quota", "storage_full"],
  },
  "GET /v1/runs": {
    id: "listRuns",
    tag: "Runs",
    does: "List runs, newest first",
    query: {
      limit: limitTo(200, 50),
      cursor: CURSOR,
      flow: { schema: z.string(), says: "Of this flow only, or of several, joined by commas." },
      status: { schema: z.string(), says: `One or several of ${RunStatus.options.join(", ")}, joined by commas.` },
      tag: { schema: z.string(), says: "With this tag." },
      trigger: { schema: z.string(), says: "Started so: one or several of api, webhook, schedule, mcp and child, joined by commas." },
      created_after: { schema: Time, says: "At this time or later." },
      created_before: { schema: Time, says: "Before this time." },
    },
    answers: { 200: { says: "A page of runs.", body: listOf(RunRow) } },
  },
  "GET /v1/runs/{run}": {
    id: "getRun",
    tag: "Runs",
    does: "Look at a run",
    token: true,
    answers: { 200: run },
  },
  "DELETE /v1/runs/{run}": {
    id: "deleteRun",
    tag: "Runs",
    does: "Delete a run",
    more: "A live run is cancelled first, without callbacks. It is gone from every store.",
    answers: { 204: { says: "Gone." } },
  },
  "POST /v1/runs/{run}/pause": {
    id: "pauseRun",
    tag: "Runs",
    does: "Pause a run",
    more: "No action begins; what is under way ends and is recorded.",
    body: NoBody,
    optional: true,
    answers: { 200: run },
  },
  "POST /v1/runs/{run}/resume": {
    id: "resumeRun",
    tag: "Runs",
    does: "Go on with a paused run",
    body: NoBody,
    optional: true,
    answers: { 200: run },
  },
  "POST /v1/runs/{run}/token": {
    id: "makeRunToken",
    tag: "Runs",
    does: "Make a short-lived token for a browser's stream of this run",
    body: RunTokenBody,
    optional: true,
    answers: { 201: { says: "The token, good for GET of this run and its events as `?token=`.", body: RunToken } },
  },
  "GET /v1/runs/{run}/steps/{step}/messages": {
    id: "listStepMessages",
    tag: "Runs",
    does: "What was said in a step's latest pass",
    query: { cursor: CURSOR },
    answers: { 200: { says: "A page of messages, oldest first.", body: listOf(Message) } },
  },
  "POST /v1/runs/{run}/cancel": {
    id: "cancelRun",
    tag: "Runs",
    does: "Cancel a run",
    more: "An ended run is returned unchanged.",
    body: NoBody,
    optional: true,
    answers: { 200: run },
  },
  "GET /v1/runs/{run}/events": {
    id: "readEvents",
    tag: "Runs",
    does: "Read or follow a run's journal",
    more: "JSON pages by default; a live stream with `Accept: text/event-stream`, which goes on after `Last-Event-ID` and ends with the run; a WebSocket on upgrade, one text message for each event.",
    token: true,
    query: {
      after: { schema: z.int().min(0), says: "Events after this seq." },
      cursor: { schema: z.int().min(0), says: "The same, as lists call it." },
      limit: limitTo(1000, 500),
      format: { schema: z.enum(FORMATS), says: "Frames as pi-flows names them, or as the harness does; absent: events as they are." },
      snapshot: { schema: z.enum(["0", "1"]), says: "Of a stream: 1 begins it with the run as it is." },
    },
    headers: { "last-event-id": { schema: z.string(), says: "Where a stream goes on; it wins over `after`." } },
    answers: {
      101: { says: "A WebSocket of the same events." },
      200: { says: "A page, or the stream.", body: { "application/json": EventPage, "text/event-stream": EventStream } },
      204: { says: "Of a stream: nothing comes after this any more." },
    },
  },
  "GET /v1/runs/{run}/interactions": {
    id: "listRunInteractions",
    tag: "Interactions",
    does: "List what a run asks and has asked, oldest first",
    query: { ...PAGE, status: { schema: z.string(), says: "Of pending, answered, expired, withdrawn, joined by commas." } },
    answers: { 200: { says: "All of them.", body: listOf(Interaction) } },
  },
  "GET /v1/runs/{run}/interactions/{interaction}": {
    id: "getInteraction",
    tag: "Interactions",
    does: "Look at one interaction",
    answers: { 200: { says: "The interaction.", body: Interaction } },
  },
  "POST /v1/runs/{run}/interactions/{interaction}": {
    id: "answerInteraction",
    tag: "Interactions",
    does: "Answer an interaction",
    more: "Exactly one of `answer`, `custom`, `auto`, `cancelled`, `decision`. The first decision stands.",
    body: AnswerBody,
    answers: { 200: answered },
    refuses: ["already_answered", "definitions_lost"],
  },
  "POST /v1/runs/{run}/interactions/{interaction}/link": {
    id: "makeAnswerLink",
    tag: "Interactions",
    does: "Make a link for a person without a key",
    body: LinkBody,
    optional: true,
    answers: {
      201: { says: "The link, valid until it expires or the question is decided.", body: z.object({ url: z.string(), expires: Time }) },
    },
  },
  "GET /i/{token}": {
    id: "openAnswerLink",
    tag: "Interactions",
    does: "Look at the interaction of a link",
    answers: { 200: { says: "The interaction, as JSON or as a page.", body: { "application/json": Interaction, "text/html": TEXT } } },
    refuses: ["link_refused"],
  },
  "POST /i/{token}": {
    id: "answerByLink",
    tag: "Interactions",
    does: "Answer the interaction of a link",
    noKey: true,
    body: { "application/json": AnswerBody, "application/x-www-form-urlencoded": z.record(z.string(), z.string()) },
    answers: {
      200: { says: "The interaction, decided.", body: { "application/json": Interaction, "text/html": TEXT } },
    },
    refuses: ["link_refused", "already_answered", "definitions_lost"],
  },
  "GET /v1/interactions": {
    id: "listInbox",
    tag: "Interactions",
    does: "The tenant's inbox: every open interaction, oldest first",
    query: { limit: limitTo(200, 50), cursor: CURSOR },
    answers: { 200: { says: "A page of open interactions; `limit` counts runs.", body: listOf(Asked) } },
  },
  "GET /v1/interactions/{question}": {
    id: "getQuestion",
    tag: "Interactions",
    does: "Look at a question that was asked outside a run",
    answers: { 200: { says: "The question.", body: Question } },
  },
  "POST /v1/interactions/{question}": {
    id: "answerQuestion",
    tag: "Interactions",
    does: "Answer a question that was asked outside a run",
    body: AnswerBody,
    answers: { 200: { says: "The question, decided.", body: Question } },
    refuses: ["already_answered"],
  },
  "POST /v1/runs/{run}/signals/{signal}": {
    id: "signalRun",
    tag: "Runs",
    does: "Send a signal to the step that waits for it",
    more: "Any JSON is its payload. A signal that nobody waits for yet is kept.",
    body: z.json(),
    optional: true,
    answers: {
      202: { says: "Taken.", body: z.object({ run: z.string(), signal: z.string(), status: z.literal("accepted") }) },
    },
    refuses: ["run_over", "definitions_lost", "too_many_signals"],
  },
  "POST /v1/runs/{run}/steps/{step}/steer": {
    id: "steerStep",
    tag: "Runs",
    does: "Say something to a running step's agent",
    body: SteerBody,
    answers: {
      202: {
        says: "Queued: it is delivered before the next turn.",
        body: z.object({ id: z.string(), step: z.string(), status: z.literal("queued") }),
      },
    },
    refuses: ["not_running", "definitions_lost", "too_many_steers"],
  },
  "GET /v1/runs/{run}/steps/{step}/tools": {
    id: "listStepTools",
    tag: "Runs",
    does: "Each tool of a step, whether it is granted and by which rule",
    query: PAGE,
    answers: { 200: { says: "All tools.", body: listOf(StepTool) } },
  },
  "GET /v1/runs/{run}/files": {
    id: "listFiles",
    tag: "Runs",
    does: "List the files of a run's workspace",
    query: PAGE,
    answers: { 200: { says: "All files.", body: listOf(FileRow) } },
  },
  "GET /v1/runs/{run}/files/{path}": {
    id: "getFile",
    tag: "Runs",
    does: "Read a file of a run's workspace",
    headers: { "if-none-match": { schema: z.string(), says: "ETags that are known already." } },
    answers: {
      200: { says: "The file.", body: bytes, headers: ["etag"] },
      304: { says: "It is what is known already.", headers: ["etag"] },
    },
  },
  "GET /v1/runs/{run}/outputs/{handle}": {
    id: "getOutput",
    tag: "Runs",
    does: "Read the whole of a tool output that was cut",
    headers: { "if-none-match": { schema: z.string(), says: "ETags that are known already." } },
    answers: {
      200: { says: "The output.", body: bytes, headers: ["etag"] },
      304: { says: "It is what is known already.", headers: ["etag"] },
    },
  },
  "GET /v1/sessions": {
    id: "listSessions",
    tag: "Runs",
    does: "List sticky sessions, last used first",
    query: PAGE,
    answers: { 200: { says: "All of them.", body: listOf(Session) } },
  },
  "DELETE /v1/sessions/{agent}/{session}": {
    id: "deleteSession",
    tag: "Runs",
    does: "Forget a sticky session",
    answers: { 204: { says: "Forgotten." } },
  },
}
