// Describes the events of an agent's session: model calls, tool calls, and what its conversation consists of.

import { USAGE, CHILD_USAGE, CONTENT, TRUNCATED, KEPT_EFFECT } from "./event-pieces.doc.ts"
import { ATTACHMENT_FIELDS } from "./run-pieces.doc.ts"
import type { FieldTexts } from "../shape.doc.ts"

const PERSON = { args: "The arguments that ran instead of the agent's.", feedback: "A remark for the agent." }

const CALL: FieldTexts = {
  id: "The call's id.",
  name: "The tool's name.",
  args: "The arguments.",
  raw: "The model's arguments if they are not a JSON object, or too large; cut if they are long.",
  cut: [
    "Present if the arguments were too large to store.",
    {
      why: "A description of what was too large.",
      size: "Their length in characters.",
      most: "The maximum number of characters.",
      digest: "Their SHA-256.",
    },
  ],
  result: [
    "Present if a rehearsal or the recording of a trial gives the call's result: the call is judged, and the tool does not run.",
    {
      isError: "Whether the tool fails.",
      content: ["The result for the model.", CONTENT],
      attached: ["Pictures and PDFs shown to the model with the result.", ATTACHMENT_FIELDS],
      details: "The answer as data.",
      truncated: ["The omitted part of a long result.", TRUNCATED],
      digest: "SHA-256 of the answer.",
      untrusted: "True if the answer contains text from outside.",
      private: "True if the answer is private.",
    },
  ],
}

export const SESSION_EVENTS: Readonly<Record<string, FieldTexts>> = {
  "model.replied": {
    text: "The model's text.",
    thinking: "True if the model thought before it replied.",
    toolCalls: ["The tools that the model called.", CALL],
    plans: ["The plans that calls execute, by call, if a rule checks them.", { plan: "The plan's kind.", body: "The plan's body." }],
    stopReason: "Why the model stopped.",
    system: "SHA-256 of the system prompt.",
    request: "SHA-256 of the whole request.",
    requestBytes: "The maximum size of the request.",
    state: [
      "Present if the provider wants data back with this reply, such as a signature. It is stored encrypted and never shown.",
      { model: "The only model that receives it.", bytes: "Its size." },
    ],
    cut: [
      "Present if the reply was too large: `text` is its start, and none of its calls ran.",
      { size: "The length of the reply in characters.", most: "The maximum length of a reply." },
    ],
    limit: "Present if the reply reached its output limit: its number of tokens.",
    model: "The model that answered, if there are fallbacks.",
    responseModel: "The model as the provider names it in its answer, if that differs from the requested name.",
    batch: "The batch that it came with.",
  },
  "model.paced": {
    key: "The key of the model call. It is asked again, and this wait is no try.",
    model: "The model that the call waits for.",
    until: "When it is asked again, in milliseconds since 1970.",
    ahead: "How many calls of the tenant go before it.",
    fallback: "The model that takes over from here on.",
  },
  "model.batched": {
    key: "The key of the model call.",
    model: "The model.",
    run: "The run of the map, which sends the call in a batch. Nothing goes on in the step until its reply.",
  },
  "model.failed": {
    status: "The HTTP status that the provider answered.",
    retryAt: "The time of the next try, in milliseconds since 1970.",
    overflow: "Present if the request was too long for the model.",
    paced: "Present if the provider refused the call (429) and said for how long: the call waits, and this was no try.",
    lost: "Present if the answer was lost after the request left: the provider may bill the call.",
    batch: "The batch that it came with.",
    called: "Present if the reply had begun to call a tool: no other model takes over in this turn.",
    blind: "Present if the provider refused the pictures and PDFs of the request: the conversation goes on without them.",
    fallback: "The model that takes over, for the rest of the session.",
  },
  "step.called": { toolCalls: ["The tools that the step calls itself, without an agent.", CALL] },
  "tool.called": { args: "The arguments.", hook: "Present if the policy marks calls of this tool." },
  "tool.returned": {
    isError: "Whether the tool failed.",
    content: ["The result for the model.", CONTENT],
    attached: ["Pictures and PDFs shown to the model with the result.", ATTACHMENT_FIELDS],
    details: "The answer as data.",
    staged: "True if nothing was sent: the call is kept, and the content replaces its result.",
    uncertain: "True if the request was sent and no response came.",
    person: ["The approver's remark for the model.", PERSON],
    truncated: ["The omitted part of a long result.", TRUNCATED],
    tools: "The agent's tools from this event on.",
    wrote: ["The files that the call changed.", { path: "The file's path in the workspace.", action: "What the call did with the file." }],
    child: [
      "The run that the call started and waited for.",
      {
        run: "The run's id.",
        usage: ["The run's usage.", CHILD_USAGE],
        effects: ["The effects that the run keeps.", KEPT_EFFECT],
        head: "SHA-256 of the run's last event.",
      },
    ],
  },
  "tool.uncertain": { person: ["The approver's remark for the model.", PERSON] },
  "tool.refused": {
    code: "Why the call was refused.",
    reason: "Why the call was refused, in words for the model.",
    size: "Bytes of arguments that were too large to store.",
  },
  "finish.rejected": {
    errors: ["The faults of the finish.", { path: "The field.", message: "The fault." }],
  },
  "reminder.sent": { count: "The number of reminders in this pass.", message: "The reminder." },
  "steer.queued": { id: "The message's id.", message: "The message." },
  "steer.delivered": { id: "The message's id." },
  "session.opened": {
    chunks: "Earlier conversations, oldest first, by the hash of their messages.",
    bytes: "Bytes of the conversation.",
    body: "The prompt that the session continues with, if it still applies.",
  },
  "context.read": {
    text: "The text in the agent's prompt.",
    outside: "The files from outside, between delimiters: they follow the task.",
    files: ["The files of the text.", { path: "The file's path in the workspace.", hash: "SHA-256 of its content.", size: "Its bytes." }],
    attached: ["Pictures and PDFs shown to the model with the task.", ATTACHMENT_FIELDS],
    unseen: [
      "Files that came with the task and are not shown.",
      { path: "The file's path in the workspace.", why: "Why the file is not shown." },
    ],
  },
  "step.cached": {
    digest: "SHA-256 of what the pass asks.",
    run: "The run whose result the step takes.",
    asked: "When that run asked, in milliseconds since 1970.",
    tainted: "True if the result contains text from outside.",
    origins: "Where that text came from.",
    private: "True if the result contains private data of the tenant.",
  },
  "cache.missed": { digest: "SHA-256 of what the pass asks. No result was kept for it." },
  "context.compacted": {
    kind: "How the conversation was shortened: by glimpses of values, by a summary, or by leaving out older pictures and PDFs.",
    upTo: "The `seq` up to which the conversation is replaced.",
    summary: "The summary that replaces it.",
    bytes: "Bytes of the conversation now.",
    usage: ["The tokens of the model that wrote the summary.", USAGE],
    lost: "True: that model was asked, and its answer was lost, so the call may be billed.",
  },
}
