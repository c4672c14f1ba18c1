// A2A 1.0: every flow as an agent. Bodies follow the protocol and have their own readers, which ignore unknown members.

import { IF_NONE_MATCH, LARGE_BODY, NOT_MODIFIED, type Parameters, type Routes, UNAFFORDABLE, words } from "./route/route.ts"

const SHARED = { scope: "any", tag: "Doors", errors: "a2a", anyQuery: true, noKey: true } as const
const VERSION = words("`1.0`.", 16)
const HEADERS = { "a2a-version": VERSION } as const satisfies Parameters
const QUERY = { "A2A-Version": words("The same as the header.", 16) } as const satisfies Parameters
const FLOW = "/a2a/:flow"
const TASK = `${FLOW}/tasks/:task` as const
const PUSHES = `${TASK}/pushNotificationConfigs` as const
const SENDING = {
  ...SHARED,
  method: "POST",
  headers: HEADERS,
  query: QUERY,
  bodyLimit: LARGE_BODY,
  media: { "application/json": "A2aSending" },
  problems: UNAFFORDABLE,
} as const
const STREAM = { description: "The task, then its updates.", body: { "text/event-stream": "text" } } as const
const SUBSCRIBING = {
  ...SHARED,
  path: `${FLOW}/tasks/:task{[^/]+:subscribe}`,
  headers: HEADERS,
  query: QUERY,
  summary: "Follow a task that has not ended",
  answers: { 200: STREAM },
} as const

export const a2a = {
  readAgentCard: {
    ...SHARED,
    method: "GET",
    path: `${FLOW}/.well-known/agent-card.json`,
    session: true,
    summary: "Read a flow's agent card",
    headers: { "if-none-match": IF_NONE_MATCH },
    answers: { 200: { description: "The card.", body: "object", headers: ["etag"] }, 304: NOT_MODIFIED },
  },
  callA2a: {
    ...SENDING,
    path: FLOW,
    summary: "Call a flow's agent over JSON-RPC",
    description: "The eleven methods of A2A 1.0. Errors with a code in the protocol are returned with status 200.",
    media: { "application/json": "A2aRequest" },
    answers: {
      200: {
        description: "The result, the error, or a stream of results.",
        body: { "application/json": "object", "text/event-stream": "text" },
      },
    },
  },
  sendA2aMessage: {
    ...SENDING,
    path: `${FLOW}/:call{message:send}`,
    summary: "Send a message and wait for the task",
    description:
      "Without `taskId` the message starts a run; with it, the message answers the task's question. A repeated `messageId` starts no second run.",
    answers: { 200: { description: "The task once it has ended or asks a question.", body: { "application/a2a+json": "A2aTaskAnswer" } } },
  },
  streamA2aMessage: {
    ...SENDING,
    path: `${FLOW}/:call{message:stream}`,
    summary: "Send a message and follow the task",
    answers: { 200: STREAM },
  },
  readExtendedAgentCard: {
    ...SHARED,
    method: "GET",
    path: `${FLOW}/extendedAgentCard`,
    headers: HEADERS,
    query: QUERY,
    summary: "Read the extended agent card, which no flow has",
    description: "The public agent card is complete, so every call here returns 400.",
    answers: { 200: { description: "Never returned: no flow has an extended card.", body: "object" } },
  },
  listA2aTasks: {
    ...SHARED,
    method: "GET",
    path: `${FLOW}/tasks`,
    headers: HEADERS,
    query: {
      ...QUERY,
      contextId: words("Only tasks of this context.", 256),
      status: words("Only tasks in this state, such as `TASK_STATE_COMPLETED`.", 64),
      pageSize: { description: "The maximum number of tasks.", schema: { type: "integer", minimum: 1, maximum: 100, default: 50 } },
      pageToken: words("The `nextPageToken` of the previous page.", 8_192),
      historyLength: words("The number of messages of each history; none by default.", 16),
      statusTimestampAfter: words("Only tasks whose state changed at this time or later.", 64),
      includeArtifacts: words("`true` includes the artifacts.", 8),
    },
    summary: "List a flow's tasks, latest state first",
    answers: { 200: { description: "A page of tasks.", body: { "application/a2a+json": "A2aTaskList" } } },
  },
  cancelA2aTask: {
    ...SHARED,
    method: "POST",
    path: `${FLOW}/tasks/:task{[^/]+:cancel}`,
    headers: HEADERS,
    query: QUERY,
    media: { "application/json": "object" },
    optional: true,
    summary: "Cancel a task",
    answers: { 200: { description: "The task.", body: { "application/a2a+json": "A2aTask" } } },
  },
  followA2aTask: { ...SUBSCRIBING, method: "GET" },
  subscribeA2aTask: { ...SUBSCRIBING, method: "POST", media: { "application/json": "object" }, optional: true },
  getA2aTask: {
    ...SHARED,
    method: "GET",
    path: TASK,
    headers: HEADERS,
    query: { ...QUERY, historyLength: words("The number of messages of its history; 0 leaves it out.", 16) },
    summary: "Read a task",
    answers: { 200: { description: "The task.", body: { "application/a2a+json": "A2aTask" } } },
  },
  createA2aPush: {
    ...SHARED,
    method: "POST",
    path: PUSHES,
    headers: HEADERS,
    query: QUERY,
    media: { "application/json": "A2aPush" },
    summary: "Send a task's questions and end to an address",
    answers: { 201: { description: "The configuration, without its secrets.", body: { "application/a2a+json": "A2aPush" } } },
  },
  listA2aPushes: {
    ...SHARED,
    method: "GET",
    path: PUSHES,
    headers: HEADERS,
    query: QUERY,
    summary: "List a task's push configurations",
    answers: { 200: { description: "All of them.", body: { "application/a2a+json": "object" } } },
  },
  getA2aPush: {
    ...SHARED,
    method: "GET",
    path: `${PUSHES}/:config`,
    headers: HEADERS,
    query: QUERY,
    summary: "Read a push configuration",
    answers: { 200: { description: "The configuration, without its secrets.", body: { "application/a2a+json": "A2aPush" } } },
  },
  deleteA2aPush: {
    ...SHARED,
    method: "DELETE",
    path: `${PUSHES}/:config`,
    headers: HEADERS,
    query: QUERY,
    summary: "Delete a push configuration",
    answers: { 204: { description: "The configuration is deleted, or never existed." } },
  },
} as const satisfies Routes
