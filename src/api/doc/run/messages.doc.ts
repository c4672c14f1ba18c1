// Describes the API's answers about conversations: the messages of one step [J21], and sticky sessions [J25].

import { z } from "zod"
import { Attachment, ContentPart } from "../../../core/run/event-parts.ts"
import { RUN } from "./run-pieces.doc.ts"
import { documented, JsonObject, Time } from "../shape.doc.ts"

export type Session = z.output<typeof Session>
export const Session = z.object({
  agent: z.string().describe("The agent whose conversation it is."),
  id: z.string().describe("The session's id, as starts of runs name it."),
  created: Time.describe("When the session was first used."),
  used: Time.describe("When the session was last used."),
  expires: Time.describe("When the session expires."),
  runs: z.number().describe("The number of runs that have used the session."),
  bytes: z.number().describe("Bytes of the conversation."),
  tainted: z.boolean().describe("Whether it contains text from outside."),
  busy: z.boolean().describe("Whether a run is using the session."),
})

const inSession = {
  part: z.number().describe("The number of the run's part of the conversation, from 1."),
  at: z.number().describe("When that part was saved, in milliseconds since 1970."),
  run: z.string().exactOptional().describe("The run of that part."),
}
const TOOL_CALLS = z
  .array(
    z.object({
      id: z.string().describe("The call's id."),
      name: z.string().describe("The tool's name."),
      args: JsonObject.describe("The arguments."),
    }),
  )
  .describe("The tools that the model called.")

/** [J25] A message of a sticky session's conversation. */
export const SessionMessage = z.discriminatedUnion("role", [
  z.object({ ...inSession, role: z.literal("user").describe("A message to the agent."), text: z.string().describe("The text.") }),
  z.object({
    ...inSession,
    role: z.literal("assistant").describe("The model's reply."),
    text: z.string().describe("The text."),
    toolCalls: TOOL_CALLS,
  }),
  z.object({
    ...inSession,
    role: z.literal("tool").describe("A tool's result."),
    callId: z.string().describe("The id of the call."),
    tool: z.string().describe("The tool's name."),
    content: z.array(ContentPart).describe("The answer."),
    isError: z.boolean().describe("Whether the tool failed."),
  }),
])
export type SessionMessage = z.output<typeof SessionMessage>

export const Conversation = Session.extend({
  unreadable: z.array(z.number()).exactOptional().describe("Parts of this page whose text is lost."),
  data: z.array(SessionMessage).describe("The messages of the page, oldest first."),
  next_cursor: z.string().nullable().describe("The cursor of the next page; null on the last page."),
})
export type Conversation = z.output<typeof Conversation>

const said = {
  seq: z.number().describe("The `seq` of the event that recorded it."),
  at: z.number().describe("The time in milliseconds since 1970."),
}
/** [J21] A message of a step's conversation. */
export const Message = z.discriminatedUnion("role", [
  z.object({
    ...said,
    role: z.literal("system").describe("The system prompt."),
    sha256: z.string().describe("SHA-256 of the prompt, in hexadecimal."),
  }),
  z.object({
    ...said,
    role: z.literal("user").describe("A message to the agent."),
    text: z.string().describe("The text."),
    kind: z
      .enum(["task", "files", "reminder", "steer", "summary"])
      .describe("Why the message was sent. `files`: pictures and PDFs that came with the task; `text` says which are not shown."),
    by: z.string().exactOptional().describe("For `steer`: who sent it."),
    attached: z.array(Attachment).exactOptional().describe("For `files`: the files shown to the model."),
  }),
  z.object({
    ...said,
    role: z.literal("assistant").describe("The model's reply."),
    turn: z.number().describe("The turn, from 1."),
    text: z.string().describe("The text."),
    toolCalls: TOOL_CALLS,
  }),
  z.object({
    ...said,
    role: z.literal("tool").describe("A tool's result."),
    callId: z.string().describe("The id of the call."),
    tool: z.string().describe("The tool's name."),
    content: z.array(ContentPart).describe("The answer."),
    attached: z.array(Attachment).exactOptional().describe("Pictures and PDFs shown to the model with the result."),
    isError: z.boolean().describe("Whether the tool failed."),
    refused: z.string().exactOptional().describe("Why the call was refused."),
    truncated: JsonObject.exactOptional().describe("The omitted part, and the handle of the full output."),
  }),
])

const SESSION = {
  agent: "assistant",
  id: "customer-42",
  created: "2026-11-20T09:00:00.000Z",
  used: "2026-11-22T09:00:00.000Z",
  expires: "2026-12-22T09:00:00.000Z",
  runs: 3,
  bytes: 18_204,
  tainted: false,
  busy: false,
} satisfies z.input<typeof Session>

const SAID = { part: 1, at: 1_795_338_003_000, run: RUN, role: "user", text: "Where is my parcel?" } as const

export const messagesDoc = documented({
  shapes: { Conversation, Message, Session },
  examples: {
    Conversation: { ...SESSION, data: [SAID], next_cursor: null },
    Message: { seq: 4, at: 1_795_338_003_000, role: "user", text: "Sort this ticket.", kind: "task" },
    Session: SESSION,
  },
  fields: [],
})
