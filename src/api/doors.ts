// Doors: the same flows for clients that speak another protocol. Bodies are in that protocol's form and have their own readers, which ignore
// what they do not know.

import { LARGE_BODY, words, type Routes } from "./route.ts"

export const doors = {
  createChatCompletion: {
    method: "POST",
    path: "/v1/chat/completions",
    scope: "runs:write",
    tag: "Doors",
    errors: "openai",
    summary: "Send a message to a flow, as OpenAI Chat Completions",
    description:
      "`model` is a flow. The last user message starts a run, or answers the question that the newest run of its thread asks. The answer is the run's; with `stream`, chunks as they come. Errors have OpenAI's form.",
    bodyLimit: LARGE_BODY,
    headers: {
      "sluice-thread": words("The conversation that the message belongs to.", 256),
      "x-openwebui-chat-id": words("The same, as Open WebUI calls it.", 256),
      "idempotency-key": words("The same key on the same thread is the same run, answered again from its beginning.", 255),
    },
    ownRepeats: true,
    media: { "application/json": "ChatCompletionRequest" },
    answers: {
      200: { description: "The answer, or the stream.", body: { "application/json": "ChatCompletion", "text/event-stream": "text" } },
    },
    problems: ["thread_busy", "run_failed", "no_price", "no_model", "quota", "storage_full"],
  },
  listModels: {
    method: "GET",
    path: "/v1/models",
    scope: "runs:read",
    tag: "Doors",
    errors: "openai",
    summary: "List the flows as models",
    answers: { 200: { description: "Every flow that loads, by its id.", body: "ModelList" } },
  },
  getModel: {
    method: "GET",
    path: "/v1/models/:flow",
    scope: "runs:read",
    tag: "Doors",
    errors: "openai",
    summary: "Read a flow as a model",
    answers: { 200: { description: "The flow.", body: "Model" } },
  },
} as const satisfies Routes
