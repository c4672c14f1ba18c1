// Doors: the same flows for clients that speak another protocol. Bodies are in that protocol's form and have their own readers, which ignore
// what they do not know.

import { LARGE_BODY, NoBody, type Routes, UNAFFORDABLE, UNSTARTABLE, words } from "./route.ts"

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
    problems: ["idempotency_mismatch", "thread_busy", "run_failed", ...UNAFFORDABLE],
  },
  listModels: {
    method: "GET",
    path: "/v1/models",
    scope: "runs:read",
    tag: "Doors",
    session: true,
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
    description: "The name may be `FLOW` or `FLOW@REVISION`, as the `model` of a request.",
    answers: { 200: { description: "The flow.", body: "Model" } },
  },
  createResponse: {
    method: "POST",
    path: "/v1/responses",
    scope: "runs:write",
    tag: "Doors",
    errors: "openai",
    summary: "Send a message or answers to a flow, as OpenAI Responses",
    description:
      "`model` is a flow. A message starts a run on the thread of `previous_response_id` or `conversation`, or answers the question that its newest run asks. `mcp_approval_response` and `function_call_output` items answer what the previous response asks, and the answer is the run going on. A response ends when the run ends or waits for a person.",
    bodyLimit: LARGE_BODY,
    headers: {
      "idempotency-key": words("The same key on the same thread is the same run, answered again from its beginning.", 255),
    },
    ownRepeats: true,
    media: { "application/json": "ResponseRequest" },
    answers: {
      200: { description: "The response, or the stream.", body: { "application/json": "ResponseObject", "text/event-stream": "text" } },
    },
    problems: ["idempotency_mismatch", "thread_busy", "run_failed", "definitions_lost", ...UNAFFORDABLE],
  },
  getResponse: {
    method: "GET",
    path: "/v1/responses/:id",
    scope: "runs:read",
    tag: "Doors",
    errors: "openai",
    summary: "Read a response, or follow its stream",
    query: {
      stream: { description: "`true`: the response as a stream.", schema: { type: "string", enum: ["true", "false"] } },
      starting_after: {
        description: "For a stream: only events after this `sequence_number`.",
        schema: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      },
    },
    anyQuery: true,
    answers: {
      200: { description: "The response as it is now.", body: { "application/json": "ResponseObject", "text/event-stream": "text" } },
    },
  },
  cancelResponse: {
    method: "POST",
    path: "/v1/responses/:id/cancel",
    scope: "runs:write",
    tag: "Doors",
    errors: "openai",
    summary: "Cancel the run of a response",
    description: "A run that has ended does not change.",
    body: NoBody,
    optional: true,
    answers: { 200: { description: "The response that the cancellation ends.", body: "ResponseObject" } },
  },
  deleteResponse: {
    method: "DELETE",
    path: "/v1/responses/:id",
    scope: "runs:write",
    tag: "Doors",
    errors: "openai",
    summary: "Delete the run of a response",
    answers: { 200: { description: "The run is deleted, with all its responses.", body: "ResponseDeleted" } },
  },
  runAgui: {
    method: "POST",
    path: "/v1/flows/:flow/agui",
    scope: "runs:write",
    tag: "Doors",
    summary: "Send a message to a flow, as AG-UI",
    description:
      "The last user message starts a run; `resume` answers every interrupt of the thread's newest run. The stream ends when the run ended or waits for a person. The same `runId` on the same thread is the same run, answered again. What is wrong with the message is a RUN_ERROR in the stream.",
    bodyLimit: LARGE_BODY,
    ownRepeats: true,
    media: { "application/json": "RunAgentInput" },
    answers: { 200: { description: "The run's events.", body: { "text/event-stream": "text" } } },
    problems: ["task_required", ...UNSTARTABLE],
  },
} as const satisfies Routes
