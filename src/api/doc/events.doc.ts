// A run's journal as the API shows it: every kind of event, field by field [E1, E3].

import { z } from "zod"
import { Pins } from "../../core/run/event-parts.ts"
import { Envelope, Fact } from "../../core/run/event.ts"
import { CALLBACK_FIELDS } from "./callbacks.doc.ts"
import { ATTACHMENT_FIELDS, ERROR_FIELDS, FILE_FIELDS, START_FILE_FIELDS } from "./runs.doc.ts"
import { documented, JsonObject, pageOf, RUN_PRICE_FIELDS, type FieldTexts } from "./shape.doc.ts"

export const Event = z.intersection(Fact, Envelope)

/** `text/event-stream`: `id:` is the event's `seq`, `data:` its JSON. */
export const EventStream = z
  .string()
  .describe("Server-sent events: `id` is `seq`, `data` is the event's JSON. Frames without an id are not stored.")

/** `?format=pi-flows`, `?format=harness` [E3]. */
export const PiFrame = z.object({
  seq: z.number().describe("The `seq` of the event that the frame is made from."),
  event: z.string().describe("The frame's name in that format."),
  data: JsonObject.describe("What that format says about it."),
})
/** What a public token reads of an event [H1]. */
export const PublicEvent = z.looseObject({
  seq: z.number().describe("The event's place in the journal; other events are left out."),
  at: z.number().describe("When it was recorded, in milliseconds since 1970."),
  v: z.number().describe("The version of the event format."),
  type: z.string().describe("The kind of event. It has the public fields of that kind."),
})
export const EventPage = pageOf(z.union([Event, PiFrame, PublicEvent]))

const USAGE: FieldTexts = {
  input: "Input tokens.",
  output: "Output tokens.",
  cacheRead: "Input tokens read from the provider's cache.",
  cacheWrite: "Input tokens written to the provider's cache.",
  estimated: "True if the provider reported no usage, or impossible usage: the figures are the most that the call could use.",
}
const LANE: FieldTexts = {
  at: "The step that a route named; absent if the branch falls through.",
  after: "The segment behind which it falls through.",
  chose: ["The choices that close steps for it.", { step: "The decision.", branch: "The branch's label." }],
  opened: "The steps that its routes have opened.",
}
const CHILD_USAGE: FieldTexts = {
  tokens: "Tokens of the child and its own children.",
  usd: "US dollars; null if a model has no price.",
  tool_calls: "Tool calls.",
  steps: "Passes of steps.",
}
const RUN_STATUS = "How the run ended."
const BUDGET: FieldTexts = {
  key: "The action that the amount is for.",
  amount: "The amount of this event.",
  spent: "What is spent in all, including this event.",
  reserved: "What is reserved in all, including this event.",
  limit: "The limits that apply.",
  scope: "Whose limits they are: the run's, the step's, or the tenant's day.",
}

/** Fields that mean the same in every event. */
const COMMON: FieldTexts = {
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
  private: "True if it contains what is private to the tenant.",
  session: "The sticky session's id.",
  iteration: "The iteration of the loop, from 1.",
  max: "How many iterations the loop may have.",
  target: "The step that the run goes to.",
  index: "The child run's place among those of its step, from 0.",
  usage: ["The tokens used.", USAGE],
  cost: "US dollars; null if the model has no price.",
  by: "Who did it: the name of a key, or `link`.",
  files: ["The files that were worked on.", FILE_FIELDS],
  artifacts: "What is left for others, in words.",
  outputs: "The declared outputs.",
  digest: "SHA-256 of the tool, its arguments and its answer.",
  reason: "Why.",
  message: "What happened, in words.",
  error: ["Why the run failed.", ERROR_FIELDS],
}

const CONTENT = {
  type: "What the part is.",
  text: "The text.",
  data: "The image, in base64.",
  mimeType: "The image's media type.",
} as const

const TRUNCATED = {
  handle: "Read the whole at /v1/runs/{run}/outputs/{handle}.",
  totalBytes: "Bytes of the whole.",
  totalLines: "Lines of the whole.",
  outputBytes: "Bytes that the model was shown.",
  outputLines: "Lines that the model was shown.",
  kept: "Which end was kept.",
} as const

const KEPT_EFFECT = {
  key: "The key of the call.",
  run: "The run that made it.",
  step: "Its step.",
  pass: "The pass of that step.",
  callId: "The id of the call.",
  tool: "The tool.",
  args: "Its arguments.",
} as const

const OF: Readonly<Record<string, FieldTexts>> = {
  "run.started": {
    tenant: "The tenant whose run it is.",
    flow: "The run's flow.",
    task: "What the run was asked to do.",
    inputs: "The inputs that it was given.",
    autonomous: "Whether the run never waits for a person.",
    budget: "The run's limits.",
    prices: ["Model → its price when the run started.", RUN_PRICE_FIELDS],
    rules: "The tenant's policy when the run started.",
    tainted: "True if the task or the inputs come from outside.",
    private: "True if they contain what is private to the tenant.",
    thread: "The thread that the start named.",
    conversation: ["What was said before the task, oldest first.", { role: "Who said it.", text: "What was said." }],
    session: "The sticky session that the start named, or that follows from its thread.",
    pinned: "The definitions that the run uses, by hash, and the models of its agents.",
    trigger: "What started the run.",
    payload: "What the trigger brought: a webhook's headers, body and query.",
    files: ["The files that the run starts with.", START_FILE_FIELDS],
    parent: [
      "For a child run: where it belongs.",
      {
        run: "The parent run.",
        step: "The step of the parent that started this run.",
        pass: "The pass of that step.",
        index: "This run's place among the child runs of that step, from 0.",
        depth: "1 for a child of a run that has no parent.",
        root: "The first of its ancestors.",
      },
    ],
    rehearsed: "Whether the built-in model plays all models.",
    staging: "The architect's session that the run works for.",
    tags: "The run's tags.",
    callback: ["The receiver that the start named.", CALLBACK_FIELDS],
    address: "The address under which the start was asked, with `callback` or below a dispatcher.",
    trace: [
      "The caller's trace.",
      { id: "The trace's id.", parent: "The span that started the run.", sampled: "Present if the caller did not sample its trace." },
    ],
    effects: "What the run does with calls that change something outside; absent: it carries them out.",
  },
  "run.forked": {
    run: "This run. What comes before this event is the history of `source`.",
    source: [
      "Where this run was forked from.",
      {
        run: "The run.",
        seq: "Its event after which it was forked.",
        head: "The hash of that event.",
        at: "When that event happened, in milliseconds.",
      },
    ],
    effects: "What becomes of calls that change something outside.",
    patch: [
      "What was changed.",
      {
        revision: "The catalog's revision whose definitions are used.",
        definitions: "Path → the hash of its new text, or null if it was removed.",
        models: "Agent → its new model.",
      },
    ],
    pinned: "The definitions from here on, by hash; absent: as before.",
    prices: ["Model → its price at the fork.", RUN_PRICE_FIELDS],
    budget: "The budget that the fork was given; absent: what the source had left.",
    autonomous: "Whether the run never waits for a person, if the fork says so.",
    rehearsed: "Whether the built-in model plays all models, if the fork says so.",
    task: "The task from here on, if it was changed.",
    inputs: "The inputs from here on, if they were changed.",
    payload: "What the trigger brought, if it was changed.",
    tags: "The fork's tags.",
    trace: [
      "The caller's trace.",
      { id: "The trace's id.", parent: "The span that forked the run.", sampled: "Present if the caller did not sample its trace." },
    ],
  },
  "rules.changed": { rules: "The tenant's policy from here on." },
  "run.waiting": { reason: "What the run waits for." },
  "run.paused": { reason: "Who or what paused it." },
  "run.resumed": { reason: "Who or what resumed it." },
  "run.ended": { status: RUN_STATUS, output: "The run's result." },
  "step.opened": {
    stepType: "The step's type.",
    agent: "The agent of the step.",
    model: "The model of the agent.",
    tools: "The tools that the agent is granted.",
    searched: "Further tools that it may call, too many to be listed: it finds them with `tool_search`.",
    task: "What this pass is asked to do, with its templates filled in.",
    inputs: "The inputs of this pass, with their templates filled in.",
    body: "The agent's prompt, with its templates filled in.",
    preamble: "What precedes the prompt.",
    question: "For a fork: the question, with its templates filled in.",
    iteration: "For a loop decision: how often it was entered.",
    values: "For a code step or a child run: the inputs with their JSON types.",
    total: "How many child runs the step starts.",
    until: "Until when a wait step waits, in milliseconds since 1970.",
    tainted: "True if the pass is given text from outside.",
    private: "True if it is given what another step read that is private.",
    session: "The sticky session that it continues.",
    attach: "Files of the workspace that come with the task, for the model to look at.",
  },
  "step.finished": {
    status: "How the pass ended.",
    summary: "What the step says about its result.",
    branch: "The branch that it chose.",
    branches: "All branches of a multiple choice, in file order.",
    source: "Where a failure came from.",
    hard: "True if the failure ends the run whatever the flow says.",
    text: "The last text of the model.",
  },
  "step.reopened": {
    notBefore: "For a retry: not before this time, in milliseconds since 1970.",
    by: "The decision that went back; absent for a retry.",
  },
  "action.begun": {
    kind: "What starts.",
    maxOutput: "For a model call under a budget: how many tokens it may write.",
  },
  "action.lost": { kind: "What was lost: its end was never recorded." },
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
  "tool.refused": {
    code: "Why the call was refused.",
    reason: "Why the call was refused, in words for the model.",
    size: "Bytes of arguments that were too large to store.",
  },
  "finish.rejected": {
    errors: ["What is wrong with the finish.", { path: "The field.", message: "What is wrong with it." }],
  },
  "reminder.sent": { count: "How many reminders this pass has had.", message: "The reminder." },
  "branch.taken": {
    branch: "The branch's label.",
    by: "Who or what decided.",
    also: "True for a further branch of a multiple choice.",
  },
  "lanes.moved": {
    segment: "The segment that the run is in, counted from 0.",
    here: ["The branches of a multiple choice that run in this segment.", LANE],
    gone: "The places, in the list of branches that go on in a later segment, of those that leave the list.",
    ahead: ["The branches that join that list.", LANE],
  },
  "interaction.asked": {
    id: "The interaction's id.",
    kind: "What is asked.",
    payload: "The question, or the call to approve.",
    schema: "JSON Schema of the answer's body.",
    risk: "For an approval: how risky the call is.",
    expires: "When the run continues without an answer, in milliseconds since 1970.",
    default: "The answer that is assumed then.",
  },
  "interaction.answered": {
    id: "The interaction's id.",
    answer: "The answer.",
    notes: "A remark for the agent.",
    decision: "For an approval: the decision.",
    custom: "A free text in place of one of the options.",
    auto: "True if the agent decides.",
    cancelled: "True if no answer is given.",
    args: "For `edit`: the arguments that run in place of those shown.",
    feedback: "A remark about the decision.",
  },
  "interaction.expired": { id: "The interaction's id.", default: "The answer that is assumed." },
  "steer.queued": { id: "The message's id.", message: "The message." },
  "steer.delivered": { id: "The message's id." },
  "child.started": { run: "The child run's id." },
  "child.ended": {
    run: "The child run's id.",
    status: RUN_STATUS,
    summary: "What the child says about its result.",
    usage: ["What the child used.", CHILD_USAGE],
    effects: ["The effects that it and its own children keep.", KEPT_EFFECT],
    head: "SHA-256 of the child's last event.",
  },
  "budget.reserved": BUDGET,
  "budget.settled": BUDGET,
  "budget.exhausted": BUDGET,
  "budget.leased": {
    step: "The step that needs it; absent at the start of the run.",
    granted: "The part of the tenant's day that the run may spend.",
    until: "When the day ends, in milliseconds since 1970.",
    retry: "Present if less was granted than asked for: when more may be had, in milliseconds since 1970.",
  },
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
  "signal.received": {
    name: "The signal's name.",
    payload: "What it carries.",
    step: "The step that waited for it; absent if none did yet.",
    id: "The id of the request that sent it.",
  },
  "signal.taken": { name: "The signal's name." },
  "file.changed": {
    path: "The file's path.",
    hash: "SHA-256 of its body; null if it was deleted.",
    size: "Bytes; 0 if it was deleted.",
  },
  "effect.settled": {
    key: "The key of the call; of an undo, its own.",
    step: "The step of the call.",
    state: "What became of it.",
    reason: "Why it was not carried out, or what went wrong.",
    content: ["What the tool answered.", CONTENT],
    run: "The run that made the call, if it is a child of this run.",
    undoes: "The key of the effect that this one takes back.",
  },
  "commit.asked": { keys: "The kept effects to carry out." },
  "undo.asked": { keys: "The effects to take back, in this order." },
  "file.put": { file: ["The file.", START_FILE_FIELDS] },
  "code.logged": { messages: "What the handler logged." },
  warning: { code: "What the warning is about.", step: "The step that it is about; absent for the run as a whole." },
}

const EXAMPLE = {
  type: "run.waiting",
  reason: "interaction",
  seq: 9,
  at: 1_795_338_003_000,
  v: 1,
  prev: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
} as const

export const eventsDoc = documented({
  shapes: { Envelope, Event, EventPage, EventStream, Fact, Pins, PiFrame, PublicEvent },
  examples: {
    Event: EXAMPLE,
    EventPage: { data: [EXAMPLE], next_cursor: null },
    EventStream: `id: 9\ndata: ${JSON.stringify(EXAMPLE)}\n\n`,
  },
  fields: [
    ...Fact.options.map((one): readonly [z.ZodType, FieldTexts] => [one, { ...COMMON, ...OF[one.shape.type.value] }]),
    [
      Envelope,
      {
        seq: "The event's place in the journal, from 1 without gaps.",
        at: "When it was recorded, in milliseconds since 1970.",
        v: "The version of the event format.",
        prev: "SHA-256 of the event before it, in hexadecimal; 64 zeros for the first.",
      },
    ],
    [
      Pins,
      {
        revision: "The catalog's revision.",
        flow: ["The run's flow.", { id: "The flow's id.", hash: "SHA-256 of its file." }],
        agents: "Agent → SHA-256 of its file.",
        skills: "Skill → file → SHA-256.",
        rehearsal: "SHA-256 of the flow's rehearsal.",
        models: "Agent, or `agent@step`, → its model.",
        fallbacks: "The same → the models that answer in its place when it fails, in order.",
        flows: "Flow of a child run → SHA-256 of its file.",
        rehearsals: "Flow of a child run → SHA-256 of its rehearsal.",
        code: "Path of a handler → SHA-256 of its compiled text.",
        budgets: "Flow of a child run → its own limits.",
        tools: "Registered tool → SHA-256 of its definition.",
      },
    ],
  ],
})
