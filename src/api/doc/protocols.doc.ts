// Describes what clients of other protocols send and get.

import { z } from "zod"
import { documented, JsonObject } from "./shape.doc.ts"

const ChatMessage = z.looseObject({
  role: z.enum(["system", "developer", "user", "assistant", "tool"]).describe("The author of the message."),
  content: z.json().exactOptional().describe("A text, or a list of parts: text, images and files as data URLs."),
  tool_call_id: z.string().exactOptional().describe("For a tool's message: the call that it answers."),
})

const ChatCompletionRequest = z.looseObject({
  model: z.string().describe("The flow, or `name@revision`."),
  messages: z.array(ChatMessage).describe("The conversation; the last user message is the run's task."),
  stream: z.boolean().exactOptional().describe("Stream the answer in chunks."),
  stream_options: z
    .looseObject({ include_usage: z.boolean().exactOptional().describe("End with a chunk for the token usage.") })
    .exactOptional()
    .describe("Options for streaming."),
  response_format: z
    .looseObject({ type: z.string().describe("`text`, or `json_object` for the run's output.") })
    .exactOptional()
    .describe("The form of the answer."),
  sluice: JsonObject.exactOptional().describe("Members of a start's body, such as `thread`, `inputs`, `budget`."),
})

const ChatCompletion = z.looseObject({
  id: z.string().describe("The id: `chatcmpl-` and the run."),
  object: z.literal("chat.completion").describe("The type of the object."),
  created: z.number().describe("When the run started, in seconds since 1970."),
  model: z.string().describe("The flow."),
  choices: z
    .array(
      z.looseObject({
        index: z.number().describe("Always 0."),
        message: z
          .looseObject({
            role: z.literal("assistant").describe("The author of the message."),
            content: z.string().nullable().describe("The answer, or the run's question."),
            reasoning_content: z.string().exactOptional().describe("The agents' texts before the answer."),
          })
          .describe("The answer."),
        finish_reason: z.string().describe("`stop`; `tool_calls` if the client must ask its user; `length` after 15 minutes."),
      }),
    )
    .describe("One choice."),
  usage: z
    .object({
      prompt_tokens: z.number().describe("Input tokens of the run."),
      completion_tokens: z.number().describe("Output tokens of the run."),
      total_tokens: z.number().describe("The run's total tokens so far."),
    })
    .describe("The run's usage."),
  sluice: z
    .object({
      run: z.string().describe("The run."),
      thread: z.string().describe("Its thread."),
      status: z.string().describe("The run's status; `waiting` if it asks."),
    })
    .describe("The run that gave the answer."),
})

const Model = z.object({
  id: z.string().describe("The flow."),
  object: z.literal("model").describe("The type of the object."),
  created: z.number().describe("The owner, the same for every flow."),
  owned_by: z.string().describe("`sluice`."),
})

const ModelList = z.object({ object: z.literal("list").describe("The type of the object."), data: z.array(Model).describe("The flows.") })

const OpenAiError = z.object({
  error: z
    .looseObject({
      message: z.string().describe("What went wrong, and what to do next."),
      type: z.string().describe("The kind of error."),
      param: z.string().nullable().describe("The invalid member of the body."),
      code: z.string().describe("A stable code; for a failed run, the cause of the failure."),
    })
    .describe("The refusal."),
})

const ResponseRequest = z.looseObject({
  model: z.string().describe("The flow, or `name@revision`."),
  input: z
    .union([z.string(), z.array(JsonObject)])
    .describe("A text, or items: messages, `mcp_approval_response`, `function_call_output`. Files come as data URLs."),
  instructions: z.string().nullable().exactOptional().describe("The system prompt of the conversation."),
  previous_response_id: z.string().nullable().exactOptional().describe("The response whose thread continues."),
  conversation: z.json().exactOptional().describe("The thread by name, or an object with its `id`."),
  stream: z.boolean().nullable().exactOptional().describe("Stream the events."),
  background: z.boolean().nullable().exactOptional().describe("Return immediately; read the response later."),
  sluice: JsonObject.exactOptional().describe("Members of a start's body, such as `inputs`, `budget`."),
})

const ResponseObject = z.looseObject({
  id: z.string().describe("The id: `resp_` and the run; later responses of the run end in `_2`, `_3` and so on."),
  object: z.literal("response").describe("The type of the object."),
  created_at: z.number().describe("When the response began, in seconds since 1970."),
  status: z
    .enum(["queued", "in_progress", "completed", "failed", "cancelled"])
    .describe("The status; also `completed` when the run waits for a person."),
  model: z.string().describe("The flow."),
  output: z
    .array(JsonObject)
    .describe("Items: `reasoning`, `mcp_call`, `message`; questions to a person are `mcp_approval_request` or `function_call`."),
  previous_response_id: z.string().nullable().describe("The previous response."),
  error: JsonObject.nullable().describe("Why the run failed."),
  usage: JsonObject.nullable().describe("Tokens that this response used; null until it ends."),
  sluice: JsonObject.describe("The run of the response: `run`, `thread`, `status`, `seq`."),
})

const ResponseDeleted = z.object({
  id: z.string().describe("The response."),
  object: z.literal("response").describe("The type of the deleted object."),
  deleted: z.literal(true).describe("It is gone."),
})

const MODEL = { id: "triage", object: "model", created: 1_764_547_200, owned_by: "sluice" } as const

const RunAgentInput = z.looseObject({
  threadId: z.string().describe("The conversation: 1 to 256 printable ASCII characters."),
  runId: z.string().describe("The client's id of this AG-UI run; a repeated id starts no second run."),
  messages: z.array(JsonObject).describe("The conversation; the last user message is the run's task."),
  context: z
    .array(z.looseObject({ description: z.string().describe("A description of the text."), value: z.string().describe("The text.") }))
    .exactOptional()
    .describe("Context of the page, which becomes system text of the conversation."),
  forwardedProps: z
    .looseObject({ sluice: JsonObject.exactOptional().describe("Members of a start's body, such as `inputs`, `budget`.") })
    .exactOptional()
    .describe("Properties that the client forwards."),
  resume: z
    .array(
      z.looseObject({
        interruptId: z.string().describe("The interrupt that is answered."),
        status: z.enum(["resolved", "cancelled"]).describe("Whether the interrupt was answered."),
        payload: z.json().exactOptional().describe("The answer in the form of the interrupt's `responseSchema`."),
      }),
    )
    .exactOptional()
    .describe("Answers to every open interrupt."),
})

export const protocolsDoc = documented({
  shapes: {
    OpenAiError,
    ChatCompletionRequest,
    ChatCompletion,
    Model,
    ModelList,
    ResponseRequest,
    ResponseObject,
    ResponseDeleted,
    RunAgentInput,
  },
  examples: {
    OpenAiError: {
      error: { message: "There is no flow of this name.", type: "invalid_request_error", param: "model", code: "model_not_found" },
    },
    ChatCompletionRequest: { model: "triage", messages: [{ role: "user", content: "The import drops the last row." }] },
    ChatCompletion: {
      id: "chatcmpl-run_4f8a1c2e9b7d3f6a5c0e8b2d1f",
      object: "chat.completion",
      created: 1_795_000_000,
      model: "triage",
      choices: [{ index: 0, message: { role: "assistant", content: "It is a bug." }, finish_reason: "stop" }],
      usage: { prompt_tokens: 70, completion_tokens: 8, total_tokens: 78 },
      sluice: { run: "run_4f8a1c2e9b7d3f6a5c0e8b2d1f", thread: "chat-7", status: "succeeded" },
    },
    ResponseRequest: { model: "triage", input: "The import drops the last row." },
    ResponseObject: {
      id: "resp_run_4f8a1c2e9b7d3f6a5c0e8b2d1f",
      object: "response",
      created_at: 1_795_000_000,
      status: "completed",
      model: "triage",
      output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "It is a bug." }] }],
      previous_response_id: null,
      error: null,
      usage: { input_tokens: 70, output_tokens: 8, total_tokens: 78 },
      sluice: { run: "run_4f8a1c2e9b7d3f6a5c0e8b2d1f", thread: "chat-7", status: "succeeded", seq: 12 },
    },
    ResponseDeleted: { id: "resp_run_4f8a1c2e9b7d3f6a5c0e8b2d1f", object: "response", deleted: true },
    Model: MODEL,
    ModelList: { object: "list", data: [MODEL] },
    RunAgentInput: { threadId: "chat-7", runId: "r-1", messages: [{ id: "m-1", role: "user", content: "The import drops the last row." }] },
  },
})
