// What clients of other protocols send and get.

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

const MODEL = { id: "triage", object: "model", created: 1_764_547_200, owned_by: "sluice" } as const

export const doorsDoc = documented({
  shapes: { OpenAiError, ChatCompletionRequest, ChatCompletion, Model, ModelList },
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
    Model: MODEL,
    ModelList: { object: "list", data: [MODEL] },
  },
})
