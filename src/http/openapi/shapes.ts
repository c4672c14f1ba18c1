// What the API answers about runs, as schemas: the document shows them, and a test holds them against the types of core. Objects are
// open: fields may be added, never removed or re-typed.

import { z } from "zod"
import { Amount } from "../../core/money/amount.ts"
import {
  ContentPart,
  Envelope,
  Fact,
  FailureSource,
  FileRef,
  InteractionKind,
  Pins,
  RunError,
  RunStatus,
  StepStatus,
  Trigger,
} from "../../core/run/event.ts"

export const Time = z.string().meta({ format: "date-time" })
export const JsonObject = z.record(z.string(), z.json())

/** A page of a list [H5]. */
export const listOf = <T extends z.ZodType>(row: T) => z.object({ data: z.array(row), next_cursor: z.string().nullable() })

export const Fault = z.object({
  pointer: z.string().describe("JSON Pointer into the body, or ?name for a query parameter"),
  line: z.number().exactOptional(),
  column: z.number().exactOptional(),
  message: z.string(),
  suggestion: z.string().exactOptional(),
})

export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number(),
  detail: z.string(),
  instance: z.string(),
  code: z.string(),
  errors: z.array(Fault).exactOptional(),
})

export const Diagnostic = z.object({
  code: z.string(),
  line: z.number(),
  column: z.number().exactOptional(),
  severity: z.enum(["error", "warning"]),
  message: z.string(),
  suggestion: z.string().exactOptional(),
})

export const StepView = z.object({
  status: StepStatus,
  type: z.string(),
  agent: z.string().exactOptional(),
  summary: z.string().exactOptional(),
  files: z.array(FileRef).exactOptional(),
  artifacts: z.string().exactOptional(),
  outputs: JsonObject.exactOptional(),
  branch: z.string().exactOptional(),
  source: FailureSource.exactOptional(),
  usage: z.object({ input: z.number(), output: z.number() }),
  started: Time.exactOptional(),
  ended: Time.exactOptional(),
  attempts: z.number().describe("model calls begun in this pass"),
  pass: z.number(),
})

const RunUsage = z.object({ tokens: z.number(), usd: z.number().nullable(), tool_calls: z.number() })

export const RunView = z.object({
  id: z.string(),
  flow: z.string(),
  status: RunStatus,
  created: Time,
  ended: Time.exactOptional(),
  task: z.string(),
  inputs: JsonObject,
  autonomous: z.boolean(),
  output: z.json().exactOptional(),
  error: RunError.exactOptional(),
  steps: z.record(z.string(), StepView),
  usage: RunUsage,
  budget: z.object({ limit: Amount, spent: Amount, reserved: Amount }).exactOptional(),
  waiting: z.object({ reason: z.string() }).exactOptional(),
  pending: z.number().describe("open interactions: a run can need a person while other steps still run"),
  pinned: JsonObject,
  rehearsed: z.boolean(),
  trigger: Trigger,
  tags: z.array(z.string()),
  seq: z.number(),
  parent: z.object({ run: z.string(), step: z.string(), index: z.number(), depth: z.number() }).exactOptional(),
  children: z.array(z.string()),
})

export const RunRow = z.object({
  id: z.string(),
  flow: z.string(),
  status: RunStatus,
  created: Time,
  ended: Time.nullable(),
  trigger: Trigger,
  tags: z.array(z.string()),
  usage: RunUsage,
  pending: z.number(),
  error: RunError.exactOptional(),
  rehearsed: z.boolean(),
})

export const Started = z.object({
  id: z.string(),
  flow: z.string(),
  status: RunStatus,
  rehearsed: z.boolean().exactOptional(),
  urls: z.object({ self: z.string(), events: z.string(), cancel: z.string() }),
})

export const Event = z.intersection(Fact, Envelope)
/** `text/event-stream`: `id:` is the event's `seq`, `data:` its JSON. */
export const EventStream = z.string().describe("Server-sent events: id is seq, data the event's JSON; frames without an id are not kept.")

/** `?format=pi-flows`, `?format=harness` [E3]. */
export const PiFrame = z.object({ seq: z.number(), event: z.string(), data: JsonObject })
export const EventPage = listOf(z.union([Event, PiFrame]))

export const Interaction = z.object({
  id: z.string(),
  run: z.string(),
  kind: InteractionKind,
  status: z.enum(["pending", "answered", "expired", "withdrawn"]),
  step: z.string(),
  payload: JsonObject,
  schema: JsonObject.describe("JSON Schema of the answer"),
  risk: z.string().exactOptional(),
  created: Time,
  expires: Time.exactOptional(),
  default: z.json().exactOptional(),
  answer: JsonObject.exactOptional(),
  by: z.string().exactOptional(),
})

/** Asked outside any run. */
export const Question = z.object({
  id: z.string(),
  run: z.null(),
  kind: z.literal("ask_user"),
  status: z.enum(["pending", "answered", "withdrawn"]),
  payload: JsonObject,
  schema: JsonObject,
  created: Time,
  answer: JsonObject.exactOptional(),
  by: z.string().exactOptional(),
})

export const Asked = z.union([Interaction.extend({ flow: z.string() }), Question])

export const FileRow = z.object({ path: z.string(), size: z.number(), hash: z.string(), modified: Time })

const said = { seq: z.number(), at: z.number() }
/** [J21] */
export const Message = z.discriminatedUnion("role", [
  z.object({ ...said, role: z.literal("system"), sha256: z.string() }),
  z.object({
    ...said,
    role: z.literal("user"),
    text: z.string(),
    kind: z.enum(["task", "reminder", "steer", "summary"]),
    by: z.string().exactOptional(),
  }),
  z.object({
    ...said,
    role: z.literal("assistant"),
    turn: z.number(),
    text: z.string(),
    toolCalls: z.array(z.object({ id: z.string(), name: z.string(), args: JsonObject })),
  }),
  z.object({
    ...said,
    role: z.literal("tool"),
    callId: z.string(),
    tool: z.string(),
    content: z.array(ContentPart),
    isError: z.boolean(),
    refused: z.string().exactOptional(),
    truncated: JsonObject.exactOptional(),
  }),
])

export const RunToken = z.object({
  token: z.string().exactOptional().describe("shown here and never again; a replayed answer is without it"),
  run: z.string(),
  expires: Time,
})

export const StepTool = z.object({ name: z.string(), granted: z.boolean(), rule: z.string() })

export const Session = z.object({
  agent: z.string(),
  id: z.string(),
  created: Time,
  used: Time,
  expires: Time,
  runs: z.number(),
  bytes: z.number(),
  tainted: z.boolean(),
  busy: z.boolean(),
})

/** Those that have a name of their own in the document. */
export const NAMED: Readonly<Record<string, z.ZodType>> = {
  Amount,
  Asked,
  Diagnostic,
  Envelope,
  Event,
  Fact,
  Fault,
  FileRef,
  FileRow,
  Interaction,
  JsonObject,
  Message,
  PiFrame,
  Pins,
  Problem,
  Question,
  RunError,
  RunRow,
  RunStatus,
  RunView,
  Session,
  Started,
  StepStatus,
  StepTool,
  StepView,
  Trigger,
}
