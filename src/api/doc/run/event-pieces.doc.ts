// Describes the pieces of events: members that many events have, and the objects inside them.

import { ERROR_FIELDS, FILE_FIELDS } from "./run-pieces.doc.ts"
import type { FieldTexts } from "../shape.doc.ts"

export const USAGE: FieldTexts = {
  input: "Input tokens.",
  output: "Output tokens.",
  cacheRead: "Input tokens read from the provider's cache.",
  cacheWrite: "Input tokens written to the provider's cache.",
  reasoning: "Output tokens used for thinking.",
  estimated: "True if the provider reported no usage, or impossible usage: the figures are the most that the call could use.",
}
export const LANE: FieldTexts = {
  at: "The step that a route named; absent if the branch falls through.",
  after: "The segment after which it falls through.",
  chose: ["The choices that close steps for it.", { step: "The decision.", branch: "The branch's label." }],
  opened: "The steps that its routes have opened.",
}
export const CHILD_USAGE: FieldTexts = {
  tokens: "Tokens of the child and its own children.",
  usd: "US dollars; null if a model has no price.",
  tool_calls: "Tool calls.",
  steps: "Steps, counted each time that one runs.",
}
export const RUN_STATUS = "How the run ended."
export const BUDGET: FieldTexts = {
  key: "The action that the amount is for.",
  amount: "The amount of this event.",
  spent: "The total spent, including this event.",
  reserved: "The total reserved, including this event.",
  limit: "The limits that apply.",
  scope: "The owner of the limits: the run, the step, or the tenant's day.",
}

/** Fields that mean the same in every event. */
export const COMMON: FieldTexts = {
  type: "The kind of event.",
  step: "The step that the event is about.",
  pass: "The pass of the step, from 1.",
  run: "The id of the run.",
  key: "The id of the action: the same for every attempt.",
  attempt: "The attempt, from 1.",
  turn: "The turn of the step's conversation, from 1.",
  callId: "The id of the tool call.",
  tool: "The tool's name.",
  tainted: "True if it contains text from outside.",
  private: "True if it contains private data of the tenant.",
  session: "The id of the session that goes on from run to run.",
  iteration: "The iteration of the loop, from 1.",
  max: "The maximum number of iterations of the loop.",
  target: "The step that the run goes to.",
  index: "The child run's index within its step, from 0.",
  usage: ["The tokens used.", USAGE],
  cost: "US dollars; null if the model has no price.",
  by: "The actor: the name of a key, or `link`.",
  files: ["The files that were read or changed.", FILE_FIELDS],
  artifacts: "The artifacts for later steps, as text.",
  outputs: "The declared outputs.",
  digest: "SHA-256 of the tool, its arguments and its answer.",
  reason: "Why.",
  message: "A summary of what happened.",
  error: ["Why the run failed.", ERROR_FIELDS],
}

export const CONTENT = {
  type: "The type of the part.",
  text: "The text.",
  data: "The image, in base64.",
  mimeType: "The image's media type.",
} as const

export const TRUNCATED = {
  handle: "The handle: read the full output at /v1/runs/{run}/outputs/{handle}.",
  totalBytes: "Bytes of the full output.",
  totalLines: "Lines of the full output.",
  outputBytes: "Bytes that the model was shown.",
  outputLines: "Lines that the model was shown.",
  kept: "The end that was kept.",
} as const

export const CHILD_QUESTION = {
  run: "The run that asks.",
  id: "The interaction's id in that run.",
  kind: "The kind of question.",
  step: "The step of that run that asks.",
  payload: "The question, or the call to approve.",
  schema: "JSON Schema of the answer's body.",
  expires: "When that run continues without an answer, in milliseconds since 1970.",
} as const
export const CHILD_DECISION = {
  run: "The run that asked.",
  id: "The interaction's id in that run.",
  status: "The outcome of the question.",
  answer: "The answer, if it is short.",
} as const

export const KEPT_EFFECT = {
  key: "The key of the call.",
  run: "The run that made it.",
  step: "Its step.",
  pass: "The pass of that step.",
  callId: "The id of the call.",
  tool: "The tool.",
  args: "Its arguments.",
} as const
