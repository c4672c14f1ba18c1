// Declares the routes for the AI SDK's `useChat`, and the tokens with which pages use them.

import { z } from "zod"
import { Amount } from "../core/money/amount.ts"
import { Thread } from "../core/run/thread.ts"
import { Trusted } from "./run/runs.ts"
import { LARGE_BODY, type Routes, UNSTARTABLE } from "./route/route.ts"

/** Limit: seconds of a chat token, at least → 422 at `/ttl`. */
export const MIN_CHAT_TTL = 60
export const MAX_CHAT_TTL = 3_600 // limit: seconds of a chat token → 422 at `/ttl`
const TTL = `must be from ${MIN_CHAT_TTL} to ${MAX_CHAT_TTL} seconds`

export const ChatTokenBody = z.strictObject({
  thread: Thread.exactOptional(),
  ttl: z.number().int().min(MIN_CHAT_TTL, TTL).max(MAX_CHAT_TTL, TTL).exactOptional(),
  answer: z.boolean().exactOptional(),
  feedback: z.boolean().exactOptional(),
  budget: Amount.exactOptional(),
  trusted: Trusted.exactOptional(),
})

const STREAM = { "text/event-stream": "text" } as const

export const ui = {
  chat: {
    method: "POST",
    path: "/v1/flows/:flow/chat",
    anyQuery: true,
    scope: "runs:write",
    tag: "Doors",
    session: true,
    summary: "Send a message to a flow, as the AI SDK's chat transport does",
    description:
      "The last user message starts a run, or answers the question that the newest run of the chat asks. Parts of the last assistant message answer too, and that message continues. The answer is a UI message stream. A chat token gives access to this route.",
    bodyLimit: LARGE_BODY,
    ownRepeats: true,
    media: { "application/json": "UiChatRequest" },
    answers: { 200: { description: "The stream of one assistant message.", body: STREAM } },
    problems: ["invalid", "thread_busy", "task_required", ...UNSTARTABLE, "definitions_lost"],
  },
  resumeChat: {
    method: "GET",
    path: "/v1/flows/:flow/chat/:chat/stream",
    scope: "runs:read",
    tag: "Doors",
    session: true,
    summary: "Follow the current message of a chat from its start",
    description: "A chat token gives access to this route.",
    answers: {
      200: { description: "The stream of the current message, while the chat's run is live or waits.", body: STREAM },
      204: { description: "No run of the chat is live." },
    },
  },
  stopChat: {
    method: "DELETE",
    path: "/v1/flows/:flow/chat/:chat/stream",
    scope: "runs:write",
    tag: "Doors",
    session: true,
    summary: "Stop the current message of a chat",
    description:
      "Cancels the chat's live run; its completed work remains. Readers of the message see it end with `abort`. The chat continues with the next message. A chat token gives access to this route.",
    answers: { 204: { description: "The chat no longer has a live run." } },
  },
  makeChatToken: {
    method: "POST",
    path: "/v1/flows/:flow/chat-token",
    scope: "runs:write",
    tag: "Doors",
    summary: "Create a short-lived token for a page's chat with this flow",
    description: "The token is a Bearer for a single thread of this flow. It is valid only while its key is.",
    body: ChatTokenBody,
    optional: true,
    answers: { 201: { description: "The token.", body: "ChatToken" } },
  },
} as const satisfies Routes
