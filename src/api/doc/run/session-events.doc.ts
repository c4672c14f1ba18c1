// Describes the events of an agent's session: model calls, tool calls, and what its conversation consists of.

import { USAGE, CHILD_USAGE, CONTENT, TRUNCATED, KEPT_EFFECT } from "./event-pieces.doc.ts"
import { ATTACHMENT_FIELDS } from "./run-pieces.doc.ts"
import type { FieldTexts } from "../shape.doc.ts"

const PERSON = { args: "The arguments that ran in place of the agent's.", feedback: "Words for the agent." }

export const SESSION_EVENTS: Readonly<Record<string, FieldTexts>> = {
  "model.replied": {
    text: "What the model wrote.",
    thinking: "True if the model thought before it replied.",
    toolCalls: [
      "The tools that the model called.",
      {
        id: "The call's id.",
        name: "The tool's name.",
        args: "The arguments.",
        raw: "What the model sent, if it is not a JSON object, or too much; cut if it is long.",
        cut: [
          "Present if the arguments were too large to store.",
          {
            why: "What was too large, in words.",
            size: "Their length in characters.",
            most: "The characters that there was room for.",
            digest: "Their SHA-256.",
          },
        ],
        result: [
          "Present if a rehearsal gives the call's result: the call is judged, and the tool does not run.",
          {
            isError: "Whether the tool fails.",
            content: ["The answer as the model reads it.", CONTENT],
            truncated: ["What is left out of a long answer.", TRUNCATED],
            digest: "SHA-256 of the answer.",
            untrusted: "True if the answer contains text from outside.",
            private: "True if the answer is private.",
          },
        ],
      },
    ],
    plans: ["The plans that calls execute, where a rule looks into them, by call.", { plan: "The plan's kind.", body: "What it says." }],
    stopReason: "Why the model stopped.",
    system: "SHA-256 of the system prompt.",
    request: "SHA-256 of the whole request.",
    requestBytes: "The largest size that the request could have.",
    state: [
      "Present if the provider wants something back with this reply, such as a signature. It is stored encrypted and never shown.",
      { model: "The only model that gets it back.", bytes: "Its size." },
    ],
    cut: [
      "Present if the reply was too large: `text` is its start, and none of its calls ran.",
      { size: "The characters that it had.", most: "The characters that a reply may have." },
    ],
    limit: "Present if the reply was cut at its limit of output: the tokens that it had.",
    model: "The model that answered, where several may.",
    responseModel: "The model as the provider names it in its answer, where that is not the name that was asked.",
  },
  "model.failed": {
    status: "The HTTP status that the provider answered.",
    retryAt: "When it is tried again, in milliseconds since 1970.",
    overflow: "Present if the request was too long for the model.",
    called: "Present if the reply had begun to call a tool: no other model takes over in this turn.",
    blind: "Present if the provider refused the pictures and PDFs of the request: the conversation goes on without them.",
    fallback: "The model that takes over, for the rest of the session.",
  },
  "tool.called": { args: "The arguments.", hook: "Present if the policy marks calls of this tool." },
  "tool.returned": {
    isError: "Whether the tool failed.",
    content: ["The answer as the model reads it.", CONTENT],
    attached: ["Pictures and PDFs that the model is shown with the answer.", ATTACHMENT_FIELDS],
    details: "The answer as data.",
    staged: "True if nothing was sent: the call is kept, and the content stands in for its answer.",
    uncertain: "True if the request left and no answer came.",
    person: ["What a person said who let the call go, as the model reads it.", PERSON],
    truncated: ["What was left out of a long answer.", TRUNCATED],
    tools: "The tools that the agent has from here on.",
    wrote: ["The files that the call changed.", { path: "The file's path in the workspace.", action: "What the call did with it." }],
    child: [
      "The run that the call started and waited for.",
      {
        run: "The run's id.",
        usage: ["What it used.", CHILD_USAGE],
        effects: ["The effects that it keeps.", KEPT_EFFECT],
        head: "SHA-256 of its last event.",
      },
    ],
  },
  "tool.uncertain": { person: ["What a person said who let the call go, as the model reads it.", PERSON] },
  "tool.refused": {
    code: "Why the call was refused.",
    reason: "Why the call was refused, in words for the model.",
    size: "Bytes of arguments that were too large to store.",
  },
  "finish.rejected": {
    errors: ["What is wrong with the finish.", { path: "The field.", message: "What is wrong with it." }],
  },
  "reminder.sent": { count: "How many reminders this pass has had.", message: "The reminder." },
  "steer.queued": { id: "The message's id.", message: "The message." },
  "steer.delivered": { id: "The message's id." },
  "session.opened": {
    chunks: "Earlier conversations, oldest first, by the hash of their messages.",
    bytes: "Bytes of the conversation.",
    body: "The prompt that the session continues with, if it still applies.",
  },
  "context.read": {
    text: "The text that stands in the agent's prompt.",
    files: [
      "The files that it comes from.",
      { path: "The file's path in the workspace.", hash: "SHA-256 of its content.", size: "Its bytes." },
    ],
    attached: ["Pictures and PDFs that the model is shown with the task.", ATTACHMENT_FIELDS],
    unseen: [
      "Files that came with the task and are not shown.",
      { path: "The file's path in the workspace.", why: "Why it is not shown." },
    ],
  },
  "context.compacted": {
    kind: "How the conversation was shortened: by glimpses of values, by a summary, or by leaving out older pictures and PDFs.",
    upTo: "The `seq` up to which the conversation is replaced.",
    summary: "The summary that replaces it.",
    bytes: "Bytes of the conversation now.",
    usage: ["The tokens of the model that wrote the summary.", USAGE],
  },
}
