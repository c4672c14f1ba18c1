// Describes what clients of other protocols send and get.

import { z } from "zod"
import { documented, JsonObject } from "./shape.doc.ts"

const ChatMessage = z.looseObject({
  role: z.enum(["system", "developer", "user", "assistant", "tool"]).describe("Who says it."),
  content: z.json().exactOptional().describe("A text, or a list of parts: text, images and files as data URLs."),
  tool_call_id: z.string().exactOptional().describe("For a tool's message: the call that it answers."),
})

const ChatCompletionRequest = z.looseObject({
  model: z.string().describe("The flow, or `name@revision`."),
  messages: z.array(ChatMessage).describe("The conversation; the last message of the user is what the run is about."),
  stream: z.boolean().exactOptional().describe("Send chunks as they come."),
  stream_options: z
    .looseObject({ include_usage: z.boolean().exactOptional().describe("End with a chunk of the tokens.") })
    .exactOptional()
    .describe("How to stream."),
  response_format: z
    .looseObject({ type: z.string().describe("`text`, or `json_object` for the run's output.") })
    .exactOptional()
    .describe("The form of the answer."),
  sluice: JsonObject.exactOptional().describe("Members of a start's body, such as `thread`, `inputs`, `budget`."),
})

const ChatCompletion = z.looseObject({
  id: z.string().describe("`chatcmpl-` and the run."),
  object: z.literal("chat.completion").describe("What this is."),
  created: z.number().describe("When the run started, in seconds since 1970."),
  model: z.string().describe("The flow."),
  choices: z
    .array(
      z.looseObject({
        index: z.number().describe("Always 0."),
        message: z
          .looseObject({
            role: z.literal("assistant").describe("Who says it."),
            content: z.string().nullable().describe("The answer, or what the run asks."),
            reasoning_content: z.string().exactOptional().describe("What agents said on the way."),
          })
          .describe("The answer."),
        finish_reason: z.string().describe("`stop`; `tool_calls` if the client asks its user; `length` after 15 minutes."),
      }),
    )
    .describe("One choice."),
  usage: z
    .object({
      prompt_tokens: z.number().describe("Tokens that models read."),
      completion_tokens: z.number().describe("Tokens that models wrote."),
      total_tokens: z.number().describe("Both: the run's tokens so far."),
    })
    .describe("What the run has used."),
  sluice: z
    .object({
      run: z.string().describe("The run."),
      thread: z.string().describe("Its thread."),
      status: z.string().describe("Its status: `waiting` if it asks."),
    })
    .describe("The run behind the answer."),
})

const Model = z.object({
  id: z.string().describe("The flow."),
  object: z.literal("model").describe("What this is."),
  created: z.number().describe("The same for every flow."),
  owned_by: z.string().describe("`sluice`."),
})

const ModelList = z.object({ object: z.literal("list").describe("What this is."), data: z.array(Model).describe("The flows.") })

const OpenAiError = z.object({
  error: z
    .looseObject({
      message: z.string().describe("What went wrong, and what to do next."),
      type: z.string().describe("The kind of error."),
      param: z.string().nullable().describe("The member of the body that is wrong."),
      code: z.string().describe("Stable code to branch on; of a failed run, why it failed."),
    })
    .describe("The refusal."),
})

const ResponseRequest = z.looseObject({
  model: z.string().describe("The flow, or `name@revision`."),
  input: z
    .union([z.string(), z.array(JsonObject)])
    .describe("A text, or items: messages, `mcp_approval_response`, `function_call_output`. Files come as data URLs."),
  instructions: z.string().nullable().exactOptional().describe("System text of the conversation."),
  previous_response_id: z.string().nullable().exactOptional().describe("The response whose thread goes on."),
  conversation: z.json().exactOptional().describe("The thread by name, or an object with its `id`."),
  stream: z.boolean().nullable().exactOptional().describe("Send events as they come."),
  background: z.boolean().nullable().exactOptional().describe("Answer at once; read the response later."),
  sluice: JsonObject.exactOptional().describe("Members of a start's body, such as `inputs`, `budget`."),
})

const ResponseObject = z.looseObject({
  id: z.string().describe("`resp_` and the run; later responses of the run end in `_2`, `_3` and so on."),
  object: z.literal("response").describe("What this is."),
  created_at: z.number().describe("When it began, in seconds since 1970."),
  status: z
    .enum(["queued", "in_progress", "completed", "failed", "cancelled"])
    .describe("`completed` also when the run waits for a person."),
  model: z.string().describe("The flow."),
  output: z
    .array(JsonObject)
    .describe("Items: `reasoning`, `mcp_call`, `message`; what waits for a person is `mcp_approval_request` or `function_call`."),
  previous_response_id: z.string().nullable().describe("The response before it."),
  error: JsonObject.nullable().describe("Why the run failed."),
  usage: JsonObject.nullable().describe("Tokens that this response used; null until it ends."),
  sluice: JsonObject.describe("The run behind it: `run`, `thread`, `status`, `seq`."),
})

const ResponseDeleted = z.object({
  id: z.string().describe("The response."),
  object: z.literal("response").describe("What it was."),
  deleted: z.literal(true).describe("It is gone."),
})

const MODEL = { id: "triage", object: "model", created: 1_764_547_200, owned_by: "sluice" } as const

const RunAgentInput = z.looseObject({
  threadId: z.string().describe("The conversation: 1 to 256 printable ASCII characters."),
  runId: z.string().describe("The client's id of this AG-UI run; the same one is the same run."),
  messages: z.array(JsonObject).describe("The conversation; the last message of the user is what the run is about."),
  context: z
    .array(z.looseObject({ description: z.string().describe("What it is."), value: z.string().describe("The text.") }))
    .exactOptional()
    .describe("What the page knows: system text of the conversation."),
  forwardedProps: z
    .looseObject({ sluice: JsonObject.exactOptional().describe("Members of a start's body, such as `inputs`, `budget`.") })
    .exactOptional()
    .describe("What the client passes on."),
  resume: z
    .array(
      z.looseObject({
        interruptId: z.string().describe("The interrupt that it answers."),
        status: z.enum(["resolved", "cancelled"]).describe("Whether it was answered."),
        payload: z.json().exactOptional().describe("The answer, as the interrupt's `responseSchema` has it."),
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
