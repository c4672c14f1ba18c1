// Describes what clients of A2A 1.0 send and get.

import { z } from "zod"
import { documented, JsonObject } from "./shape.doc.ts"

const A2aSending = z.looseObject({
  message: z
    .looseObject({
      messageId: z.string().describe("The same id on the same context is the same run."),
      role: z.literal("ROLE_USER").describe("Who says it."),
      parts: z.array(JsonObject).describe("Each has one of `text`, `raw`, `url`, `data`. Data are inputs, or an answer."),
      contextId: z.string().exactOptional().describe("The thread."),
      taskId: z.string().exactOptional().describe("The task that asks something."),
      metadata: JsonObject.exactOptional().describe("`sluice` holds members of a start's body."),
    })
    .describe("What the user says."),
  configuration: JsonObject.exactOptional().describe("`returnImmediately`, `historyLength`, `taskPushNotificationConfig`."),
})

const A2aRequest = z.looseObject({
  jsonrpc: z.literal("2.0").describe("JSON-RPC."),
  id: z.union([z.string(), z.number()]).describe("The answer has it too."),
  method: z.string().describe("Such as `SendMessage`."),
  params: JsonObject.describe("What the method takes."),
})

const A2aTask = z.looseObject({
  id: z.string().describe("The run."),
  contextId: z.string().describe("The run's thread."),
  status: JsonObject.describe("`state`, `timestamp`, and a `message` if the run asks or has failed."),
  artifacts: z.array(JsonObject).exactOptional().describe("`answer`, and `file:PATH` for each file."),
  history: z.array(JsonObject).exactOptional().describe("What was said, oldest first."),
  metadata: JsonObject.describe("`sluice`: run, flow, status, usage."),
})

const A2aTaskAnswer = z.object({ task: A2aTask.describe("The task.") })

const A2aTaskList = z.object({
  tasks: z.array(A2aTask).describe("The tasks."),
  nextPageToken: z.string().describe("Empty at the end."),
  pageSize: z.number().describe("The maximum of this page."),
  totalSize: z.number().describe("How many tasks there are."),
})

const A2aPush = z.looseObject({
  id: z.string().exactOptional().describe("Its id; without it, one is made."),
  taskId: z.string().exactOptional().describe("The task."),
  url: z.string().describe("Where updates are sent."),
  token: z.string().exactOptional().describe("Sent as `X-A2A-Notification-Token`; not shown again."),
  authentication: JsonObject.exactOptional().describe(
    "`scheme` and `credentials` of the header Authorization; credentials are not shown again.",
  ),
})

const A2aError = z.object({
  error: z
    .looseObject({
      code: z.number().describe("The status."),
      status: z.string().describe("The status by its name."),
      message: z.string().describe("What went wrong, and what to do next."),
      details: z.array(JsonObject).describe("An ErrorInfo with the `reason`, and the fields that are wrong."),
    })
    .describe("The refusal."),
})

const RUN = "run_4f8a1c2e9b7d3f6a5c0e8b2d1f"
const TASK = {
  id: RUN,
  contextId: "ticket-42",
  status: { state: "TASK_STATE_COMPLETED", timestamp: "2026-11-22T09:00:12.000Z" },
  artifacts: [{ artifactId: "answer", name: "answer", parts: [{ text: "It is a bug." }] }],
  metadata: { sluice: { run: RUN, flow: "triage", status: "succeeded" } },
} satisfies z.input<typeof A2aTask>
const MESSAGE = { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "The import drops the last row." }] } as const

export const a2aDoc = documented({
  parameters: {
    config: { description: "The push configuration's id.", example: "ops" },
    task: { description: "The task's id: the run's.", example: "run_0n3v5k8q2m7x1c9z4b6p0d2f8h" },
  },
  shapes: { A2aSending, A2aRequest, A2aTask, A2aTaskAnswer, A2aTaskList, A2aPush, A2aError },
  examples: {
    A2aSending: { message: { ...MESSAGE, parts: [...MESSAGE.parts] } },
    A2aRequest: { jsonrpc: "2.0", id: 1, method: "GetTask", params: { id: RUN } },
    A2aTask: TASK,
    A2aTaskAnswer: { task: TASK },
    A2aTaskList: { tasks: [], nextPageToken: "", pageSize: 50, totalSize: 0 },
    A2aPush: { id: "ops", taskId: RUN, url: "https://ops.example.com/a2a" },
    A2aError: {
      error: {
        code: 404,
        status: "NOT_FOUND",
        message: "There is no task of this id that this key can see at this agent.",
        details: [
          { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "TASK_NOT_FOUND", domain: "a2a-protocol.org", metadata: {} },
        ],
      },
    },
  },
})
