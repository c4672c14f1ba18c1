// Describes what the AI SDK's chat transport sends, and chat tokens.

import { z } from "zod"
import { ChatTokenBody } from "../ui.ts"
import { documented, JsonObject, Time } from "./shape.doc.ts"

const UiMessage = z.looseObject({
  id: z.string().exactOptional().describe("The same id is the same message: it starts one run."),
  role: z.enum(["system", "user", "assistant"]).describe("Who says it."),
  parts: z.array(JsonObject).describe("Texts, files as data URLs, and calls with what people answered."),
})

const UiChatRequest = z.looseObject({
  id: z.string().exactOptional().describe("The chat: the run's thread."),
  messages: z.array(UiMessage).exactOptional().describe("The conversation; the last message of the user is what the run is about."),
  message: UiMessage.exactOptional().describe("The last message alone, in place of `messages`."),
  trigger: z.string().exactOptional().describe("`regenerate-message` starts a new run with the same message."),
  sluice: JsonObject.exactOptional().describe(
    "Members of a start's body, such as `inputs`, `budget`. A chat token sets `inputs` and `budget` only.",
  ),
})

const ChatToken = z.object({
  token: z.string().describe("Send it as `Authorization: Bearer`."),
  flow: z.string().describe("The flow that it opens."),
  thread: z.string().describe("The chat that it opens."),
  expires: Time.describe("When it stops working."),
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
        thread: "The chat that the token opens; a new one if left out.",
        ttl: "Seconds that the token works: 60 to 3600; 900 by default.",
        answer: "The token answers the runs' questions too. The key needs `interactions:answer`.",
        trusted: "What of the page is not taken for text from outside; all of it is, if left out.",
        budget: [
          "The most that each run may spend.",
          { usd: "US dollars.", tokens: "Tokens.", tool_calls: "Calls of tools.", steps: "Steps." },
        ],
      },
    ],
  ],
})
