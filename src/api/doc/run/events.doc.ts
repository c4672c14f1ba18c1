// Describes a run's journal in the API: every kind of event, field by field [E1, E3].

import { z } from "zod"
import { Pins } from "../../../core/run/event-parts.ts"
import { Envelope, Fact } from "../../../core/run/event.ts"
import { CALLBACK_FIELDS } from "../callbacks.doc.ts"
import {
  USAGE,
  LANE,
  CHILD_USAGE,
  RUN_STATUS,
  BUDGET,
  COMMON,
  CONTENT,
  KEPT_EFFECT,
  CHILD_DECISION,
  CHILD_QUESTION,
} from "./event-pieces.doc.ts"
import { START_FILE_FIELDS, START_TIMES_FIELDS, STARTER_FIELDS, TRIAL_FIELDS } from "./run-pieces.doc.ts"
import { SESSION_EVENTS } from "./session-events.doc.ts"
import { documented, JsonObject, pageOf, RUN_PRICE_FIELDS, type FieldTexts } from "../shape.doc.ts"

export const Event = z.intersection(Fact, Envelope)

/** `text/event-stream`: `id:` is the event's `seq`, `data:` its JSON. */
export const EventStream = z
  .string()
  .describe("Server-sent events: `id` is `seq`, `data` is the event's JSON. Frames without an id are not stored.")

/** `?format=pi-flows`, `?format=harness` [E3]. */
export const PiFrame = z.object({
  seq: z.number().describe("The `seq` of the event that the frame is made from."),
  event: z.string().describe("The frame's name in that format."),
  data: JsonObject.describe("The data of the frame in that format."),
})
/** The part of an event that a public token may read [H1]. */
export const PublicEvent = z.looseObject({
  seq: z.number().describe("The event's number in the journal; private events are left out."),
  at: z.number().describe("When it was recorded, in milliseconds since 1970."),
  v: z.number().describe("The version of the event format."),
  type: z.string().describe("The kind of event. It has the public fields of that kind."),
})
export const EventPage = pageOf(z.union([Event, PiFrame, PublicEvent]))

const TRIAL_TEXT: FieldTexts[string] = ["Of a run of an experiment.", TRIAL_FIELDS]

const OF: Readonly<Record<string, FieldTexts>> = {
  ...SESSION_EVENTS,
  "run.started": {
    tenant: "The tenant of the run.",
    flow: "The run's flow.",
    task: "The run's task.",
    inputs: "The run's inputs.",
    autonomous: "Whether the run never waits for a person.",
    budget: "The run's limits.",
    prices: ["Model → its price when the run started.", RUN_PRICE_FIELDS],
    rules: "The tenant's policy when the run started.",
    tainted: "True if the task or the inputs come from outside.",
    origins: "What came from outside with the message that started the run.",
    trusted: "The parts from outside that count as trusted.",
    asker: "The key whose message started the run.",
    private: "True if they contain private data of the tenant.",
    thread: "The thread that the start named.",
    conversation: ["The messages before the task, oldest first.", { role: "The author.", text: "The text of the message." }],
    session: "The session that goes on from run to run: the start named it, or it follows from the thread.",
    pinned: "The definitions that the run uses, by hash, and the models of its agents.",
    trigger: "What started the run.",
    payload: "The trigger's data: a webhook's headers, body and query.",
    files: ["The files that the run starts with.", START_FILE_FIELDS],
    parent: [
      "For a child run: its parent.",
      {
        run: "The parent run.",
        step: "The step of the parent that started this run.",
        pass: "The pass of that step.",
        index: "This run's index among the child runs of that step, from 0.",
        depth: "1 for a child of a run that has no parent.",
        root: "The root run.",
      },
    ],
    rehearsed: "Whether the built-in model plays all models.",
    staging: "The architect's session that the run works for.",
    unaccepted: "Present if an agent wrote the definitions and nobody has accepted them: no call sends a request.",
    start: ["When the start arrived and began, if it had a `start` block or a person waits for it.", START_TIMES_FIELDS],
    tenancy: "When the tenant was created, in milliseconds; absent unless another tenant had its name shortly before.",
    tags: "The run's tags.",
    callback: ["The receiver that the start named.", CALLBACK_FIELDS],
    callbacks: [
      "The receivers of the other starts of a batch, equal ones once.",
      { ...CALLBACK_FIELDS, address: "The address of its start request." },
    ],
    starters: ["Who else started the run, by starts that joined it: at most 1,000.", STARTER_FIELDS],
    address: "The address of the start request, with `callback` or behind a dispatcher.",
    trace: [
      "The caller's trace.",
      { id: "The trace's id.", parent: "The span that started the run.", sampled: "Present if the caller did not sample its trace." },
    ],
    effects: "How the run treats calls that change something outside; by default it carries them out.",
    kernel: "The version of the rules that decide the run to its end, whatever the server becomes meanwhile; absent: 1.",
    width: "The maximum number of model calls, tool calls and other effects in progress at once; absent: 6.",
    batch: [
      "Below a map with `batch_api`: the step that takes the run's model calls.",
      { run: "The run of the map.", step: "The map.", pass: "Its pass." },
    ],
    trial: TRIAL_TEXT,
  },
  "run.forked": {
    run: "This run. What comes before this event is the history of `source`.",
    source: [
      "Where this run was forked from.",
      {
        run: "The run.",
        seq: "The event of the source after which the fork begins.",
        head: "The hash of that event.",
        at: "When that event happened, in milliseconds.",
      },
    ],
    effects: "How the fork treats calls that change something outside.",
    unaccepted:
      "Present if an agent wrote the definitions and nobody has accepted them: no call sends a request, and reads get recorded results.",
    trial: TRIAL_TEXT,
    kept: "Present if the source was asking about kept calls: the fork also keeps those of the source's own agents.",
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
    budget: "The fork's budget; by default the source's remaining budget.",
    start: ["When the fork arrived and began, if it obeyed a key.", START_TIMES_FIELDS],
    autonomous: "Whether the run never waits for a person, if the fork says so.",
    rehearsed: "Whether the built-in model plays all models, if the fork says so.",
    task: "The task from here on, if it was changed.",
    inputs: "The inputs from here on, if they were changed.",
    payload: "The trigger's data, if it was changed.",
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
  "run.superseded": { by: "The run that took its place." },
  "run.ended": { status: RUN_STATUS, output: "The run's result." },
  "step.opened": {
    stepType: "The step's type.",
    agent: "The agent of the step.",
    model: "The model of the agent.",
    tools: "The tools that the agent is granted.",
    searched: "Additional tools, too many to list: the agent finds them with `tool_search`.",
    task: "The task of this pass, with its templates filled in.",
    inputs: "The inputs of this pass, with their templates filled in.",
    body: "The agent's prompt, with its templates filled in.",
    preamble: "The text before the prompt.",
    quoted: [
      "The parts of a fork's question that are text from outside: the model reads them between delimiters.",
      { name: "The reference whose value it is.", at: "Where it begins, in characters.", length: "How many characters it has." },
    ],
    apart: [
      "What the prompt names and the task does not have: it follows the task, and the prompt has `(NAME: in the message)` in its place.",
      { name: "The reference whose value it is.", text: "The value.", own: "Present if it is not from outside." },
    ],
    question: "For a fork: the question, with its templates filled in.",
    iteration: "For a loop decision: the number of times that it was entered.",
    values: "For a code step or a child run: the inputs with their JSON types. For a tool step: the arguments.",
    calls: "Present if the step calls tools itself, without an agent.",
    total: "The number of child runs.",
    until: "Until when a wait step waits, in milliseconds since 1970.",
    tainted: "True if the input of the pass contains text from outside.",
    origins: "The text from outside that came with a message or an answer.",
    private: "True if the input contains private data that another step read.",
    session: "The session that it continues.",
    attach: "Files of the workspace that come with the task, for the model to look at.",
  },
  "step.finished": {
    status: "How the pass ended.",
    summary: "The step's summary.",
    branch: "The chosen branch.",
    branches: "All branches of a multiple choice, in file order.",
    source: "The source of a failure.",
    hard: "True if the failure always ends the run.",
    text: "The last text of the model.",
    message: "Why the step failed, where the summary is that of its best round.",
  },
  "step.offered": {
    status: "`complete`: the pass has ended, and its step runs until a scorer finds the result good enough.",
    summary: "The summary of the pass.",
    text: "The last text of the model.",
  },
  "step.scored": {
    round: "The passes of this entry of the step, the scored one included.",
    scorer: "The scorer.",
    version: "The scorer's version.",
    score: "From 0 to 1, the best; null if the scorer does not apply, or with `error`.",
    level: "The judge's level.",
    reason: "Why.",
    error: "Why there is no score.",
    enough: "True: the step ends in the same decision.",
    judge: "The run of the judge.",
  },
  "step.reopened": {
    notBefore: "For a retry: the earliest time, in milliseconds since 1970.",
    by: "The decision that went back; absent for a retry.",
  },
  "action.begun": {
    kind: "What starts.",
    maxOutput: "For a model call under a budget: the limit of output tokens.",
    batch: "True if the model call is handed to the run of a map, which sends it in a batch.",
  },
  "action.lost": { kind: "The kind of action whose end was never recorded." },
  "branch.taken": {
    branch: "The branch's label.",
    by: "Who or what decided.",
    also: "True for an additional branch of a multiple choice.",
  },
  "lanes.moved": {
    segment: "The segment that the run is in, counted from 0.",
    here: ["The branches of a multiple choice that run in this segment.", LANE],
    gone: "The indexes of branches that leave the list of branches continuing in a later segment.",
    ahead: ["The branches that join that list.", LANE],
  },
  "interaction.asked": {
    id: "The interaction's id.",
    kind: "The kind of question.",
    payload: "The question, or the call to approve.",
    schema: "JSON Schema of the answer's body.",
    risk: "For an approval: the risk of the call.",
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
    told: "True if the agent reads the edited arguments, or the remark, with the call's result.",
    tainted: "True if it is a free text from the holder of a token.",
  },
  "interaction.expired": { id: "The interaction's id.", default: "The answer that is assumed." },
  "child.started": { run: "The child run's id." },
  "child.batched": {
    run: "The child run's id.",
    index: "The child's index.",
    from: "The child's `seq` at the time of the report.",
    waits: "True if nothing goes on in the child until a batch is answered: it gives up its place of `max_concurrent`.",
  },
  "batch.sent": {
    key: "The key of the action that sent it.",
    batch: "The provider's name of the batch.",
    provider: "The provider.",
    model: "The model.",
    calls: "The number of model calls in it.",
    expires: "When the provider gives up what it has not answered, in milliseconds since 1970.",
  },
  "batch.ended": {
    batch: "The provider's name of the batch.",
    answered: "Calls with a reply.",
    failed: "Calls that failed, or of which the provider said nothing.",
    expired: "Calls that the provider did not answer in time.",
    canceled: "Calls that were canceled.",
  },
  "child.asked": {
    run: "The child run's id.",
    index: "The child's index.",
    from: "The child's `seq` at the time of the report.",
    waits: "True if the child cannot continue until a person answers.",
    open: ["The current questions of the child and its own children; answers go to the run that asks.", CHILD_QUESTION],
    decided: ["The outcomes of earlier questions.", CHILD_DECISION],
  },
  "child.ended": {
    run: "The child run's id.",
    status: RUN_STATUS,
    summary: "The child's summary.",
    usage: ["The child's usage.", CHILD_USAGE],
    effects: ["The effects kept by the child and its own children.", KEPT_EFFECT],
    head: "SHA-256 of the child's last event.",
  },
  "budget.reserved": BUDGET,
  "budget.settled": BUDGET,
  "budget.exhausted": BUDGET,
  "budget.leased": {
    step: "The step that needs the lease; absent at the start of the run.",
    granted: "The slice of the tenant's daily budget for the run.",
    until: "When the day ends, in milliseconds since 1970.",
    retry: "Present if less was granted than requested: when more may be available, in milliseconds since 1970.",
  },
  "signal.received": {
    name: "The signal's name.",
    payload: "The payload.",
    step: "The step that waited for the signal; absent if none did yet.",
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
    state: "The outcome of the effect.",
    reason: "Why the effect was not carried out, or what went wrong.",
    content: ["The tool's result.", CONTENT],
    run: "The run that made the call, if it is a child of this run.",
    undoes: "The key of the effect that this one takes back.",
  },
  "commit.asked": { keys: "The kept effects to carry out." },
  "undo.asked": { keys: "The effects to take back, in this order." },
  "run.scored": {
    scorer: "The scorer.",
    version: "The scorer's version.",
    score: "From 0 to 1, the best; null if the scorer does not apply, or with `error`.",
    level: "The judge's level.",
    reason: "Why.",
    error: "Why there is no score.",
    judge: "The run of the judge.",
    usage: ["The judge's usage.", USAGE],
    cost: "What the judge cost in US dollars; null if no price is known.",
    by: "`sample`, `experiment`, or who asked.",
    experiment: "The experiment that asked.",
    ask: "The request that it answers.",
  },
  "feedback.given": {
    id: "The id of what was said.",
    by: "The name of the key, or `page`.",
    user: "The customer's opaque id.",
    page: "Whether it came with a public token.",
    thumb: "`none` takes back what the giver said before.",
    score: "From 0 to 1, the best.",
    comment: "In the giver's words.",
    correction: "What the answer should have been.",
    scorer: "The scorer whose question a grade answers.",
  },
  "file.put": { file: ["The file.", START_FILE_FIELDS] },
  "code.logged": { messages: "A log line of the handler." },
  warning: { code: "The code of the warning.", step: "The step that the warning concerns; absent for the run as a whole." },
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
        fallbacks: "The same → its fallback models, in order.",
        flows: "Flow of a child run → SHA-256 of its file.",
        rehearsals: "Flow of a child run → SHA-256 of its rehearsal.",
        code: "Path of a handler → SHA-256 of its compiled text.",
        budgets: "Flow of a child run → its limits.",
        tools: "Registered tool → SHA-256 of its definition.",
        draft: "The draft over the catalog that the start named.",
        scorers: [
          "Scorer of a step with `until` → what it is.",
          {
            version: "12 digits of what its scores follow from.",
            hash: "SHA-256 of its file; absent for one that is built in.",
            code: "SHA-256 of its handler.",
            judge: [
              "What its judge's run follows.",
              {
                flow: "SHA-256 of its flow.",
                agent: "The judge's agent.",
                hash: "SHA-256 of the agent, with the levels as its outputs.",
                model: "The judge's model.",
                fallbacks: "Its fallback models, in order.",
              },
            ],
          },
        ],
        batch: "`provider/model` → the factor of its price in a batch, if a map's calls go through the batch API.",
      },
    ],
  ],
})
