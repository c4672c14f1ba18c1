// RunEvent: one closed, versioned union [E1]. Journal entries, SSE frames and test fixtures are this object.
//
// `seq` counts from 1 without gaps, `at` is in milliseconds since 1970, `prev` is the SHA-256 (hex) of the JSON of the previous event,
// 64 zeros for the first event [J7]. Fields may be added; a field is never removed or given another type.
//
// Code that only writes or folds events imports the types alone: the schemas are built for the API's document, not when the Worker starts.
//
// Over 300 lines: the union is closed, and all of it is in one place; the pieces that events are made of are in event-parts.ts.

import { z } from "zod"
import { Amount, RunPrice } from "../money/amount.ts"
import { url } from "../schema/bounded.ts"
import { MAX_KEPT } from "./effects/kept-bounds.ts"
import { MAX_CHILD_QUESTIONS } from "./steps/child-question-bounds.ts"
import { Trace } from "../trace.ts"
import {
  Starter,
  StartTimes,
  Attachment,
  ContentPart,
  EffectEnd,
  EffectsMode,
  FailureSource,
  FileRef,
  FileWrite,
  InteractionKind,
  KeptEffect,
  Lane,
  Pins,
  RefusalCode,
  RunError,
  Said,
  StartFile,
  ToolCall,
  Trial,
  Trigger,
  Truncated,
} from "./event-parts.ts"
import { Usage } from "../money/usage.ts"
import { StartCallback } from "./notice.ts"
import { Origin } from "../flow/origin.ts"

const id = z.string()
const json = z.json()
const record = z.record(z.string(), json)

const step = { step: id }

/** [Q3] What a person said who let the call go: the arguments that ran in place of the agent's, and words for the agent. */
const person = z.object({ args: record.optional(), feedback: z.string().optional() }).optional()

const ChildUsage = z.object({ tokens: z.number(), usd: z.number().nullable(), tool_calls: z.number(), steps: z.number() })

/** What a pass ends with. */
const offerFields = {
  ...step,
  pass: z.number(),
  status: z.enum(["complete", "error", "blocked"]),
  summary: z.string(),
  files: z.array(FileRef),
  artifacts: z.string().optional(),
  outputs: record,
  /** The last assistant text [F42]. */ text: z.string().optional(),
  /** [K12] Who ended the step in its agent's place. */ by: z.string().exactOptional(),
}

/** [B1] Amounts include this event. `scope`: the limit that they belong to: the run, the step or the tenant's day. */
const budgetFields = {
  ...step,
  key: id.optional(),
  amount: Amount,
  spent: Amount,
  reserved: Amount,
  limit: Amount,
  scope: z.enum(["run", "step", "tenant"]).optional(),
}

/** [R32] A pass of a map whose calls go through the batch API. */
export const BatchPlace = z.object({ run: id, step: id, pass: z.number() })
export type BatchPlace = z.infer<typeof BatchPlace>

/** [P5] A question below a run: it is answered at the run that asks it. */
const ChildQuestion = z.object({
  /** The run that asks. */ run: id,
  id,
  kind: InteractionKind,
  /** A step of the run that asks. */ step: id,
  payload: record,
  schema: record,
  expires: z.number().optional(),
})
export type ChildQuestion = z.infer<typeof ChildQuestion>
const ChildDecision = z.object({
  run: id,
  id,
  status: z.enum(["answered", "expired", "withdrawn"]),
  /** The answer, in the form of the API's. */ answer: record.optional(),
})
export type ChildDecision = z.infer<typeof ChildDecision>

/** Every event without its envelope, as `admit` and `decide` return it. */
export const Fact = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("run.started"),
    /** The owner of the run. */ tenant: id.optional(),
    run: id,
    flow: id,
    task: z.string(),
    inputs: record,
    autonomous: z.boolean(),
    budget: Amount.optional(),
    /** `provider/model` → price at the start, for the models of this run that have a price [B3]. */
    prices: z.record(z.string(), RunPrice).optional(),
    /** The tenant's rules at the start [T30, T32]. */ rules: record.optional(),
    /** The task or inputs came from outside: from a webhook's payload or a tainted parent [G11]. */ tainted: z.boolean().optional(),
    /** The task or inputs contain something private that a step of the parent had read. */ private: z.boolean().optional(),
    /** What of it came from outside with a message, not declared to be trusted; `attachments` alone marks the task and not the run. */
    origins: z.array(Origin).optional(),
    /** What is trusted although it comes from outside: said by the start, the flow, or the token at its making. */
    trusted: z.array(Origin).optional(),
    /** [P2] The key that sent the message, whose client knows the answer afterwards. */ asker: z.string().optional(),
    /** [P1] Only if the start names one. */ thread: z.string().optional(),
    /** [J25] */ session: z.string().optional(),
    /** [P2] What was said before the task, oldest first. */ conversation: z.array(Said).optional(),
    pinned: Pins,
    trigger: Trigger,
    /** The trigger's data: a webhook's headers, body and query, for `${{trigger.…}}` [W1]. */ payload: record.optional(),
    /** [F55] The workspace's first files. */ files: z.array(StartFile).optional(),
    /** `depth` 1 is a child of a run without a parent [F23]; `root` is that run, and descendants share its plans [T41]. */ parent: z
      .object({ run: id, step: id, pass: z.number(), index: z.number(), depth: z.number(), root: id.optional() })
      .optional(),
    rehearsed: z.boolean(),
    /** The architect session that this run belongs to. */ staging: id.optional(),
    tags: z.array(z.string()).optional(),
    /** Receives the run's notices in addition to the tenant's receivers [W6]. */ callback: StartCallback.optional(),
    /** The address under which the start was asked, with `callback` or below a dispatcher: links begin with it [N2]. */
    address: url.optional(),
    /** The caller's trace [H8]; for a child run, the parent's step. */ trace: Trace.optional(),
    /** [K30] Absent: live. */ effects: z.enum(["staged", "dry"]).optional(),
    /** [J16] Effects that may be under way at once; absent: 6. */ width: z.number().int().min(1).max(1_000).optional(),
    /** [K18] Which kernel decides (event-version.ts); absent: 1. */ kernel: z.number().int().optional(),
    /** [F77] What it runs was written by an agent, and nobody has accepted it: nothing leaves. */ unaccepted: z.literal(true).optional(),
    /** [N3] When its tenant was created; absent: no other tenant had its name shortly before. */ tenancy: z.number().optional(),
    /** [R9] Who else started it, by starts that joined. */ starters: z.array(Starter).optional(),
    /** [R10] The receivers of the other starts of a batch. */
    callbacks: z.array(StartCallback.and(z.object({ address: z.string().exactOptional() }))).optional(),
    /** [R19] */ start: StartTimes.optional(),
    /** [R32] The step above this run to which it hands its model calls. */ batch: BatchPlace.optional(),
    /** [V34] */ trial: Trial.exactOptional(),
  }),
  /** [K9] From here on the journal is this run's own: what comes before is the history of `source`, up to and including `seq`. */
  z.object({
    type: z.literal("run.forked"),
    run: id,
    /** `head`: the hash of event `seq`, and `prev` of this one. `at`: when that event happened (ms). */
    source: z.object({ run: id, seq: z.number(), head: z.string(), at: z.number() }),
    by: z.string(),
    effects: EffectsMode,
    /** [K13] What was changed: a catalog's revision, texts by their hash (null: removed), models by their agent. */
    patch: z
      .object({
        revision: z.number().exactOptional(),
        definitions: z.record(z.string(), z.string().nullable()).exactOptional(),
        models: z.record(z.string(), z.string()).exactOptional(),
      })
      .exactOptional(),
    /** The definitions from here on; absent: those of the source. */ pinned: Pins.exactOptional(),
    prices: z.record(z.string(), RunPrice).exactOptional(),
    /** The budget that was given; absent: what the source had left [K11]. */ budget: Amount.exactOptional(),
    autonomous: z.boolean().exactOptional(),
    rehearsed: z.boolean().exactOptional(),
    task: z.string().exactOptional(),
    inputs: record.exactOptional(),
    payload: record.exactOptional(),
    tags: z.array(z.string()).exactOptional(),
    trace: Trace.exactOptional(),
    /** [R15] When it arrived and began, if it obeyed a key. */ start: StartTimes.exactOptional(),
    /** [K10] At the cut it is asked what becomes of the calls that were kept: those of its own agents are the fork's too. */
    kept: z.literal(true).exactOptional(),
    /** [F77] Its definitions were written by an agent, and nobody has accepted them: nothing leaves. */
    unaccepted: z.literal(true).exactOptional(),
    /** [V34] */ trial: Trial.exactOptional(),
  }),
  /** The tenant's settings have changed since the run last read them: these rules apply from here on [T30]. */
  z.object({ type: z.literal("rules.changed"), rules: record }),
  z.object({ type: z.literal("run.waiting"), reason: z.string() }),
  z.object({ type: z.literal("run.paused"), reason: z.string() }),
  z.object({ type: z.literal("run.resumed"), reason: z.string() }),
  /** [R8] A newer start of its key takes its place: the run ends in the same decision. */
  z.object({ type: z.literal("run.superseded"), by: id }),
  z.object({
    type: z.literal("run.ended"),
    status: z.enum(["succeeded", "failed", "canceled"]),
    output: json.optional(),
    error: RunError.optional(),
  }),
  z.object({
    type: z.literal("step.opened"),
    ...step,
    stepType: z.string(),
    agent: z.string().optional(),
    pass: z.number(),
    model: z.string().optional(),
    tools: z.array(z.string()),
    /** [T8] Tools that it may call too, and finds with `tool_search`. */ searched: z.array(z.string()).optional(),
    /** The task of this pass with templates expanded, so that later changes cannot affect it [J6]. */
    task: z.string().optional(),
    inputs: z.record(z.string(), z.string()).optional(),
    body: z.string().optional(),
    preamble: z.string().optional(),
    /** [G11] The parts of the task that are text from outside. */
    quoted: z.array(z.object({ name: z.string(), at: z.number(), length: z.number() })).optional(),
    /** What the prompt names and the task does not have: it follows the task. `own`: not from outside, but of this message alone. */
    apart: z.array(z.object({ name: z.string(), text: z.string(), own: z.literal(true).exactOptional() })).optional(),
    /** The question of a fork, with templates expanded. */ question: z.string().optional(),
    /** [F17] The number of this entry of a loop decision. */ iteration: z.number().optional(),
    /** Inputs of a code step or a child run, or arguments of a tool step, with their JSON types [F24, F26]. */ values: record.optional(),
    /** The number of child runs: 1 for a flow-ref, one per item for a map. */ total: z.number().optional(),
    /** When a wait step ends (ms). */ until: z.number().optional(),
    /** The task contains text from outside, or something private that another step read [G11]. */ tainted: z.boolean().optional(),
    /** Which of it came with a message. */ origins: z.array(Origin).optional(),
    private: z.boolean().optional(),
    /** The sticky session that this pass continues [J25]. */ session: z.string().optional(),
    /** [F26] It calls tools itself, without an agent. */ calls: z.literal(true).exactOptional(),
    /** [F56] Files of the workspace that come with the task. */ attach: z.array(z.string()).optional(),
  }),
  z.object({
    type: z.literal("step.finished"),
    ...offerFields,
    branch: z.string().optional(),
    /** All chosen labels of a multi-select; `branch` is the first in file order [F21]. */ branches: z.array(z.string()).optional(),
    source: FailureSource.optional(),
    hard: z.boolean().optional(),
    /** [V25] Why it failed, where `summary` is that of the best round. */ message: z.string().exactOptional(),
  }),
  /** [V23] The pass ended complete, and its step runs until a scorer has found the result good enough. */
  z.object({ type: z.literal("step.offered"), ...offerFields }),
  /** [V23] `enough`: the step ends in the same decision. `judge`: the run of its judge. */
  z.object({
    type: z.literal("step.scored"),
    ...step,
    pass: z.number(),
    /** Passes of this entry, the scored one included. */ round: z.number(),
    scorer: id,
    version: id,
    score: z.number().nullable(),
    level: z.string().exactOptional(),
    reason: z.string().exactOptional(),
    error: z.string().exactOptional(),
    enough: z.boolean(),
    judge: id.exactOptional(),
  }),
  /** [R40] The pass takes the result of an equal pass of `run`, which asked at `asked` (ms); its `step.finished` follows. The marks are
   *  those that the result had there [G11]. */
  z.object({
    type: z.literal("step.cached"),
    ...step,
    pass: z.number(),
    digest: z.string(),
    run: id,
    asked: z.number(),
    tainted: z.literal(true).exactOptional(),
    origins: z.array(Origin).exactOptional(),
    private: z.literal(true).exactOptional(),
  }),
  /** [R40] No result was kept for this pass, or no answer came in time: it is asked. */
  z.object({ type: z.literal("cache.missed"), ...step, pass: z.number(), digest: z.string() }),
  z.object({ type: z.literal("step.skipped"), ...step, pass: z.number() }),
  z.object({
    type: z.literal("step.reopened"),
    ...step,
    pass: z.number(),
    /** [F35] Reopened by `retry`: the earliest time to enter the step (ms). */ notBefore: z.number().optional(),
    /** The decider that routed back; absent for a retry. Counters of other decisions in between are reset [F19]. */ by: z
      .string()
      .optional(),
  }),
  z.object({
    type: z.literal("action.begun"),
    key: id,
    kind: z.enum([
      "model",
      "tool",
      "child",
      "code",
      "collect",
      "lease",
      "session",
      "compact",
      "context",
      "cache",
      "score",
      "effect",
      "calls",
      "batch",
    ]),
    ...step,
    attempt: z.number(),
    /** [B2] The output limit of a model call under a budget. */ maxOutput: z.number().optional(),
    /** [R32] A model call that is handed to the run above. */ batch: z.literal(true).exactOptional(),
  }),
  z.object({ type: z.literal("action.lost"), key: id, kind: z.string(), ...step, attempt: z.number() }),
  z.object({
    type: z.literal("model.replied"),
    ...step,
    pass: z.number(),
    turn: z.number(),
    key: id,
    text: z.string(),
    thinking: z.boolean().optional(),
    toolCalls: z.array(ToolCall),
    usage: Usage,
    cost: z.number().nullable(),
    stopReason: z.string(),
    /** SHA-256 of the system prompt and of the whole request [J20, J21]. */ system: z.string().optional(),
    request: z.string().optional(),
    /** [J23] Upper bound of the request's bytes; recorded because it depends on this build's tools [J6]. */
    requestBytes: z.number().optional(),
    /** [J20] What the provider wants back with this reply is stored sealed, under `key`. Only this model (`provider/model`) gets it;
     *  `bytes` is what it adds to a request. */
    state: z.object({ model: z.string(), bytes: z.number() }).optional(),
    /** [G6] The reply was too large: how many characters it had, of how many at most. `text` is its start, and none of its calls ran. */
    cut: z.object({ size: z.number(), most: z.number() }).optional(),
    /** The reply was cut at its limit of output: so many tokens. */ limit: z.number().exactOptional(),
    /** [F33] The model that answered, where several may. */ model: z.string().optional(),
    /** The model as the provider names it, where that is not the name that was asked. */ responseModel: z.string().optional(),
    /** [T41] callId → the plan that the call executes, where the guard's verdict depends on what the plan says [K18]. */
    plans: z.record(z.string(), z.object({ plan: z.string(), body: record })).optional(),
    /** [K12] Who said it in the model's place. */ by: z.string().exactOptional(),
    /** [R34] The batch that it came with. */ batch: id.exactOptional(),
  }),
  z.object({
    type: z.literal("model.failed"),
    ...step,
    turn: z.number(),
    key: id,
    attempt: z.number(),
    status: z.number().optional(),
    message: z.string(),
    retryAt: z.number().optional(),
    /** The request was too long for the model [J23]. */ overflow: z.literal(true).optional(),
    /** [F33] The reply had begun to call a tool: no other model takes over in this turn. */ called: z.literal(true).optional(),
    /** [F56] The provider refused the files of the request: from here on the conversation shows none. */ blind: z.literal(true).optional(),
    /** [F33] The model that takes over from here on. */ fallback: z.string().optional(),
    /** [R31] The provider refused the call and said for how long: it waits, and this was no try. */ paced: z.literal(true).optional(),
    /** [B3] The answer was lost, and the call may be billed. */ lost: z.literal(true).optional(),
    /** [R34] The batch that it came with. */ batch: id.exactOptional(),
  }),
  /** [R29] The call waits for its turn at the model: nothing was sent, or it was refused just before [R31]. */
  z.object({
    type: z.literal("model.paced"),
    ...step,
    key: id,
    turn: z.number(),
    model: id,
    /** When it is asked again (ms), and how many calls go before it. */ until: z.number(),
    ahead: z.number(),
    /** The model that takes over from here on. */ fallback: z.string().optional(),
  }),
  /** [R33] The call was handed to the run of the map above, which sends it with others. */
  z.object({ type: z.literal("model.batched"), ...step, key: id, turn: z.number(), model: id, run: id }),
  /** [R34] */
  z.object({
    type: z.literal("batch.sent"),
    ...step,
    pass: z.number(),
    key: id,
    batch: id,
    provider: id,
    model: id,
    calls: z.number(),
    /** When the provider gives up what it has not answered (ms). */ expires: z.number(),
  }),
  z.object({
    type: z.literal("batch.ended"),
    ...step,
    pass: z.number(),
    batch: id,
    answered: z.number(),
    failed: z.number(),
    expired: z.number(),
    canceled: z.number(),
  }),
  /** [R33] A run below a map: whether nothing goes on in it without a reply from a batch. `from`: its `seq`. */
  z.object({
    type: z.literal("child.batched"),
    ...step,
    run: id,
    index: z.number(),
    pass: z.number(),
    from: z.number(),
    waits: z.boolean(),
  }),
  /** [F26] A step without an agent makes these calls itself. The guard judges them like those of a reply. */
  z.object({ type: z.literal("step.called"), ...step, pass: z.number(), turn: z.number(), key: id, toolCalls: z.array(ToolCall) }),
  z.object({ type: z.literal("tool.called"), ...step, callId: id, tool: z.string(), args: record, hook: z.literal("log").optional() }),
  z.object({
    type: z.literal("tool.returned"),
    ...step,
    callId: id,
    tool: z.string(),
    isError: z.boolean(),
    content: z.array(ContentPart),
    /** [F56] Files that the result shows. */ attached: z.array(Attachment).optional(),
    details: json.optional(),
    truncated: Truncated.optional(),
    /** [G9] SHA-256 of tool, arguments and content. */ digest: z.string().optional(),
    /** [T5] On the session's first cut result: its tools from here on, with `read_output` when this build has it [J6]. */
    tools: z.array(z.string()).optional(),
    /** The result contains text from outside [G11], or something private to the tenant. */ tainted: z.boolean().optional(),
    private: z.boolean().optional(),
    /** [F51b] Files that the call changed. */
    wrote: z.array(FileWrite).optional(),
    /** [T42] The run that the call started and waited for, its usage, and the effects that it keeps [K32]. */
    child: z
      .object({ run: id, usage: ChildUsage.optional(), effects: z.array(KeptEffect).max(MAX_KEPT).optional(), head: id.optional() })
      .optional(),
    /** [K32] Nothing was sent: the call is kept, and `content` stands in for its result. */ staged: z.literal(true).optional(),
    /** [K31] The request left, and no answer came: what it did is not known. */ uncertain: z.literal(true).optional(),
    person,
  }),
  z.object({
    type: z.literal("tool.refused"),
    ...step,
    callId: id,
    tool: z.string(),
    code: RefusalCode,
    reason: z.string(),
    /** [G6] Replaces arguments that are too large to keep. */ size: z.number().optional(),
    digest: z.string().optional(),
  }),
  z.object({ type: z.literal("tool.uncertain"), ...step, callId: id, tool: z.string(), key: id, person }),
  z.object({
    type: z.literal("finish.rejected"),
    ...step,
    callId: id,
    errors: z.array(z.object({ path: z.string(), message: z.string() })),
  }),
  z.object({ type: z.literal("reminder.sent"), ...step, count: z.number(), message: z.string() }),
  z.object({
    type: z.literal("branch.taken"),
    ...step,
    branch: z.string(),
    target: id,
    by: z.enum(["agent", "person", "code", "check", "cap", "error", "complete", "score"]),
    /** A further branch of a multi-select, entered in addition to the first. */ also: z.boolean().optional(),
  }),
  /** [F21] After a multiple choice: the branches that run in this segment. Branches further ahead are kept: `gone` are the places in that
   *  list of those that leave it, `ahead` joins it. */
  z.object({ type: z.literal("lanes.moved"), segment: z.number(), here: z.array(Lane), gone: z.array(z.number()), ahead: z.array(Lane) }),
  z.object({ type: z.literal("loop.iteration"), ...step, iteration: z.number(), max: z.number(), target: id }),
  z.object({ type: z.literal("loop.exhausted"), ...step, iteration: z.number(), max: z.number(), target: id }),
  z.object({
    type: z.literal("interaction.asked"),
    id,
    kind: InteractionKind,
    ...step,
    callId: id.optional(),
    payload: record,
    schema: record,
    risk: z.enum(["low", "medium", "high"]).optional(),
    expires: z.number().optional(),
    default: json.optional(),
  }),
  z.object({
    type: z.literal("interaction.answered"),
    id,
    answer: json.optional(),
    notes: z.string().optional(),
    decision: z.string().optional(),
    custom: z.string().optional(),
    auto: z.boolean().optional(),
    cancelled: z.boolean().optional(),
    /** With `decision: edit`: the coerced arguments that replace those shown. */ args: record.optional(),
    feedback: z.string().optional(),
    /** [Q3] The agent reads these arguments, or these words, with the result. */
    told: z.literal(true).optional(),
    by: z.string(),
    /** The holder of a token answered in words of their own: text from outside [G11]. */ tainted: z.literal(true).optional(),
    /** Text from outside may have made the step ask, so what the person said is private [G11]. */ private: z.boolean().optional(),
  }),
  z.object({ type: z.literal("interaction.expired"), id, default: json.optional() }),
  /** `private`: the session had read text from outside, which may have asked for the message [G11]. */
  z.object({ type: z.literal("steer.queued"), ...step, id, message: z.string(), by: z.string(), private: z.boolean().optional() }),
  z.object({ type: z.literal("steer.delivered"), ...step, id, turn: z.number() }),
  z.object({ type: z.literal("child.started"), ...step, run: id, index: z.number(), pass: z.number() }),
  z.object({
    type: z.literal("child.ended"),
    private: z.boolean().optional(),
    ...step,
    run: id,
    index: z.number(),
    pass: z.number(),
    status: z.enum(["succeeded", "failed", "canceled"]),
    summary: z.string(),
    outputs: record,
    files: z.array(FileRef),
    artifacts: z.string().optional(),
    /** [B5] Its usage, including that of its own children. */ usage: ChildUsage.optional(),
    /** [K40] The hash of its journal's last event. */ head: id.optional(),
    tainted: z.boolean().optional(),
    /** [K32] Effects that it and its own children keep. */ effects: z.array(KeptEffect).max(MAX_KEPT).optional(),
  }),
  /** [P5] What a child run asks people, its own children's questions included; it replaces what that child asked before. `from`: the child's
   *  `seq`, so that a message that was overtaken changes nothing. `waits`: nothing goes on in the child until a person answers. */
  z.object({
    type: z.literal("child.asked"),
    ...step,
    run: id,
    index: z.number(),
    pass: z.number(),
    from: z.number(),
    waits: z.boolean(),
    open: z.array(ChildQuestion).max(MAX_CHILD_QUESTIONS),
    /** What became of questions that it asked before. */ decided: z.array(ChildDecision).max(MAX_CHILD_QUESTIONS).optional(),
  }),
  z.object({ type: z.literal("budget.reserved"), ...budgetFields }),
  z.object({ type: z.literal("budget.settled"), ...budgetFields }),
  z.object({ type: z.literal("budget.exhausted"), ...budgetFields }),
  /** [B4] A slice of the tenant's day, which ends at `until` (ms): the units that the tenant limits, empty when it no longer limits
   *  anything. `retry`: less was granted than requested, and nothing more is available before that time. */
  z.object({ type: z.literal("budget.leased"), step: id.optional(), granted: Amount, until: z.number(), retry: z.number().optional() }),
  /** [J25] The step owns the sticky session. `chunks`: earlier conversations, oldest first, each a blob of messages. */
  z.object({
    type: z.literal("session.opened"),
    ...step,
    session: z.string(),
    chunks: z.array(z.string()),
    bytes: z.number(),
    tainted: z.boolean().optional(),
    private: z.boolean().optional(),
    /** The session's earlier prompt, when it still applies: same agent, same inputs. */ body: z.string().optional(),
  }),
  /** [F50] The agent's context files are read: from here on, `text` stands in the session's prompt. */
  z.object({
    type: z.literal("context.read"),
    ...step,
    text: z.string(),
    /** [G11] Files from outside: they follow the task. */ outside: z.string().optional(),
    files: z.array(z.object({ path: z.string(), hash: z.string(), size: z.number() })),
    /** [F56] Files that came with the task: those that are shown with it, and why the others are not. */
    attached: z.array(Attachment).optional(),
    unseen: z.array(z.object({ path: z.string(), why: z.string() })).optional(),
    tainted: z.boolean().optional(),
    private: z.boolean().optional(),
  }),
  /** [J23] From here on, `summary` (or only glimpses) replaces what this step's conversation holds up to `upTo`. */
  z.object({
    type: z.literal("context.compacted"),
    ...step,
    /** `pictures`: only the files that were shown are left out [F56]. */
    kind: z.enum(["glimpse", "summary", "pictures"]),
    upTo: z.number(),
    summary: z.string().optional(),
    /** Size of the shortened conversation. */ bytes: z.number(),
    /** Usage of the model that wrote the summary. */ usage: Usage.optional(),
    cost: z.number().nullable().optional(),
    /** [B3] That model was asked, and its answer was lost: the call may be billed. */ lost: z.literal(true).optional(),
  }),
  /** `step` is absent when no step was waiting: then the run keeps the signal. `private`: part of the run had read text from outside,
   *  which may have asked for the payload [G11]. */
  z.object({
    type: z.literal("signal.received"),
    name: z.string(),
    payload: json,
    by: z.string(),
    step: id.optional(),
    id: id.optional(),
    private: z.boolean().optional(),
  }),
  z.object({ type: z.literal("signal.taken"), ...step, name: z.string() }),
  /** [K6] A file of the workspace has changed; null: it is deleted, and `size` is 0. Comes in one decision with the result that brought it,
   *  and before it. Without a step: a file that was put. */
  z.object({
    type: z.literal("file.changed"),
    step: id.optional(),
    callId: id.optional(),
    path: z.string(),
    hash: z.string().nullable(),
    size: z.number(),
    tainted: z.literal(true).exactOptional(),
    private: z.literal(true).exactOptional(),
  }),
  /** [F55] A person or a system put a file into the workspace. */
  z.object({ type: z.literal("file.put"), file: StartFile, by: z.string() }),
  /** [K31–K35] What became of an effect that was kept, taken back, or unclear. `step` and `tool` are those of the call. */
  z.object({
    type: z.literal("effect.settled"),
    /** The key of the call; of an undo, its own key. */ key: id,
    ...step,
    callId: id,
    tool: z.string(),
    state: EffectEnd,
    reason: z.string().optional(),
    content: z.array(ContentPart).optional(),
    /** The run that made the call, when it is a child of this one. */ run: id.optional(),
    /** [K35] The key of the effect that this one takes back. */ undoes: id.optional(),
    /** Who decided it. */ by: z.string().optional(),
  }),
  /** [K32] A parent's person decided that these kept effects are carried out. */
  z.object({ type: z.literal("commit.asked"), keys: z.array(id).max(MAX_KEPT), by: z.string() }),
  /** [K35] These confirmed effects are taken back, in this order. `error`: the run fails with it afterwards. */
  z.object({ type: z.literal("undo.asked"), keys: z.array(id), by: z.string(), error: RunError.optional() }),
  /** [V11] A scorer has scored the ended run. `judge`: the run of its judge. `ask`: the request that it answers. */
  z.object({
    type: z.literal("run.scored"),
    scorer: id,
    version: id,
    score: z.number().nullable(),
    level: z.string().optional(),
    reason: z.string().optional(),
    error: z.string().optional(),
    judge: id.optional(),
    usage: Usage.optional(),
    cost: z.number().nullable().optional(),
    by: z.string(),
    experiment: id.optional(),
    ask: id.optional(),
  }),
  /** [V19] What someone says about the run; with `scorer` it is a grade [V21]. `page`: it came with a public token. */
  z.object({
    type: z.literal("feedback.given"),
    id,
    by: z.string(),
    user: z.string().optional(),
    page: z.literal(true).exactOptional(),
    thumb: z.enum(["up", "down", "none"]).optional(),
    score: z.number().optional(),
    comment: z.string().optional(),
    correction: json.optional(),
    scorer: id.optional(),
  }),
  /** [F24] Output that the handler of a code step logged. */
  z.object({ type: z.literal("code.logged"), ...step, messages: z.array(z.string()) }),
  z.object({ type: z.literal("warning"), code: z.string(), message: z.string(), step: id.optional() }),
])
export type Fact = z.infer<typeof Fact>

export const Envelope = z.object({ seq: z.number(), at: z.number(), v: z.number(), prev: z.string() })
export type Envelope = z.infer<typeof Envelope>

export type RunEvent = Fact & Envelope
export type FactOf<T extends Fact["type"]> = Extract<Fact, { type: T }>
export type EventOf<T extends Fact["type"]> = FactOf<T> & Envelope
