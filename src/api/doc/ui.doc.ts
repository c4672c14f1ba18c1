// Describes what the AI SDK's chat transport sends, and chat tokens.

import { z } from "zod"
import { ChatTokenBody } from "../ui.ts"
import { documented, JsonObject, Time } from "./shape.doc.ts"

const UiMessage = z.looseObject({
  id: z.string().exactOptional().describe("The message's id. A repeated id starts no second run."),
  role: z.enum(["system", "user", "assistant"]).describe("The author of the message."),
  parts: z.array(JsonObject).describe("Texts, files as data URLs, and calls with people's answers."),
})

const UiChatRequest = z.looseObject({
  id: z.string().exactOptional().describe("The chat: the run's thread."),
  messages: z.array(UiMessage).exactOptional().describe("The conversation; the last user message is the run's task."),
  message: UiMessage.exactOptional().describe("Only the last message, instead of `messages`."),
  trigger: z.string().exactOptional().describe("`regenerate-message` starts a new run with the same message."),
  sluice: JsonObject.exactOptional().describe(
    "Members of a start's body, such as `inputs`, `budget`. A chat token sets `inputs` and `budget` only.",
  ),
})

const ChatToken = z.object({
  token: z.string().describe("Send it as `Authorization: Bearer`."),
  flow: z.string().describe("The flow to which the token gives access."),
  thread: z.string().describe("The chat to which the token gives access."),
  expires: Time.describe("When the token expires."),
})

export const uiDoc = documented({
  parameters: { chat: { description: "The chat: the run's thread.", example: "chat-7" } },
  shapes: { UiChatRequest, ChatToken, ChatTokenBody },
  examples: {
    UiChatRequest: {
      id: "chat-7",
      messages: [{ id: "m-1", role: "user", parts: [{ type: "text", text: "The import drops the last row." }] }],
    },
    ChatToken: { token: "eyJ0aHJlYWQiOiJjaGF0LTcifQ.c2ln", flow: "triage", thread: "chat-7", expires: "2026-11-22T09:15:00.000Z" },
    ChatTokenBody: { ttl: 900 },
  },
  fields: [
    [
      ChatTokenBody,
      {
        thread: "The chat to which the token gives access; by default a new one.",
        ttl: "The token's lifetime in seconds: 60 to 3600; 900 by default.",
        feedback: "Whether the token may say how good the thread's runs are.",
        answer: "Whether the token may answer the runs' questions. The key needs `interactions:answer`.",
        trusted: "The parts of the page's input that count as trusted; by default none.",
        budget: ["The budget of each run.", { usd: "US dollars.", tokens: "Tokens.", tool_calls: "Tool calls.", steps: "Steps." }],
      },
    ],
  ],
})
