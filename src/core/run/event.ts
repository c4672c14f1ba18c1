// RunEvent: one closed, versioned union [E1]. The journal's entry, the SSE frame and the test fixture are this object.
//
// `seq` is dense from 1, `at` is milliseconds since 1970, `prev` is the SHA-256 (hex) of the JSON of the event before it,
// 64 zeros for the first [J7]. Fields may be added, never removed or re-typed.
//
// Over 300 lines: the union is closed, and a reader finds all of it in one place.

import { z } from "zod"
import { Amount, Price } from "../money/amount.ts"
import { Trace } from "../trace.ts"
import { StartCallback } from "./notice.ts"

export const EVENT_VERSION = 1

const id = z.string()
const json = z.json()
const record = z.record(z.string(), json)

export const StepStatus = z.enum(["pending", "running", "waiting", "complete", "error", "blocked", "skipped", "canceled"])
export type StepStatus = z.infer<typeof StepStatus>

export const RunStatus = z.enum(["queued", "running", "waiting", "paused", "succeeded", "failed", "canceled"])
export type RunStatus = z.infer<typeof RunStatus>

/** [F30] Where a failure came from: a closed set. */
export const FailureSource = z.enum([
  "agent_finish_error",
  "agent_no_finish",
  "no_branch",
  "step_timeout",
  "run_timeout",
  "max_turns",
  "agent_stuck",
  "api_error",
  "config",
  "code_error",
  "code_contract",
  "code_timeout",
  "flow_hard_error",
  "child_failed",
  "budget",
  "engine",
])
export type FailureSource = z.infer<typeof FailureSource>

/** Why a tool call was refused [E1]. */
export const RefusalCode = z.enum([
  "undeclared",
  "policy",
  "role",
  "after_finish",
  "autonomous",
  "invalid_args",
  "access",
  "stuck",
  "tainted",
  "approval_rejected",
  "denylist",
  "scope",
  "steered",
])
export type RefusalCode = z.infer<typeof RefusalCode>

export const Usage = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number().optional(),
  cacheWrite: z.number().optional(),
})
export type Usage = z.infer<typeof Usage>

export const FileRef = z.object({ path: z.string(), action: z.enum(["created", "modified", "read"]) })
export type FileRef = z.infer<typeof FileRef>

/** `args` is the parsed arguments; when the model sent no JSON object, `raw` keeps the text (cut) and `args` is {}. */
export const ToolCall = z.object({ id, name: z.string(), args: record, raw: z.string().optional() })
export type ToolCall = z.infer<typeof ToolCall>

export const ContentPart = z.union([
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("image"), data: z.string(), mimeType: z.string() }),
])
export type ContentPart = z.infer<typeof ContentPart>

/** [T5] What was cut from a tool's output, and the handle under which the whole is kept. */
export const Truncated = z.object({
  handle: z.string(),
  totalBytes: z.number(),
  totalLines: z.number(),
  outputBytes: z.number(),
  outputLines: z.number(),
  kept: z.enum(["head", "tail"]),
})
export type Truncated = z.infer<typeof Truncated>

/** Hashes (SHA-256 hex) of every definition a run was started with [F72], and the models its agents resolved to. */
export const Pins = z.object({
  revision: z.number(),
  flow: z.object({ id, hash: z.string() }),
  agents: z.record(z.string(), z.string()),
  /** skill name → file path in the skill → hash; `SKILL.md` among them. */
  skills: z.record(z.string(), z.record(z.string(), z.string())),
  /** Hash of `flows/NAME.rehearsal.yaml`, when the run is rehearsed and the flow has one. */
  rehearsal: z.string().optional(),
  /** agent name (or `agent@step` when the step has a `model:` of its own) → `provider/model[:thinking]` [F52]. */
  models: z.record(z.string(), z.string()),
  /** Flows that this one runs as children, directly or not: id → hash. Their agents and skills are among those above [F23, F72]. */
  flows: z.record(z.string(), z.string()).optional(),
  /** Rehearsal files of those flows: id → hash. */
  rehearsals: z.record(z.string(), z.string()).optional(),
  /** Handlers of code steps, types stripped: path (`code/FLOW/STEP.js`) → hash [F24]. */
  code: z.record(z.string(), z.string()).optional(),
  /** What those child flows may spend at most by their own word: id → budget [B5]. */
  budgets: z.record(z.string(), Amount).optional(),
  /** Registered tools that its agents may call: name → hash of the ToolDef [T26, T27]. */
  tools: z.record(z.string(), z.string()).optional(),
})
export type Pins = z.infer<typeof Pins>

export const Trigger = z.object({
  kind: z.enum(["api", "webhook", "schedule", "mcp", "child"]),
  hook: z.string().optional(),
  delivery: z.string().optional(),
  /** [W7] Callbacks of runs that led to this delivery, one after the other; absent: none. */
  depth: z.number().int().optional(),
  schedule: z.string().optional(),
  key: z.string().optional(),
})
export type Trigger = z.infer<typeof Trigger>

export const RunError = z.object({ step: z.string().optional(), source: FailureSource, message: z.string() })
export type RunError = z.infer<typeof RunError>

export const InteractionKind = z.enum(["ask_user", "fork", "approval.tool", "approval.plan", "budget"])
export type InteractionKind = z.infer<typeof InteractionKind>

const step = { step: id }

const ChildUsage = z.object({ tokens: z.number(), usd: z.number().nullable(), tool_calls: z.number(), steps: z.number() })

/** [B1] Amounts hold at this instant, this event's among them; `scope`: whose limit: the run's, the step's, the tenant's day. */
const budgetFields = {
  ...step,
  key: id.optional(),
  amount: Amount,
  spent: Amount,
  reserved: Amount,
  limit: Amount,
  scope: z.enum(["run", "step", "tenant"]).optional(),
}

/** Every event without its envelope: what `admit` and `decide` speak of. */
export const Fact = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("run.started"),
    /** Whose run it is. */ tenant: id.optional(),
    run: id,
    flow: id,
    task: z.string(),
    inputs: record,
    autonomous: z.boolean(),
    budget: Amount.optional(),
    /** `provider/model` → price of those models of this run that have one, as they were at the start [B3]. */
    prices: z.record(z.string(), Price).optional(),
    /** The tenant's rules at the start [T30, T32]. */ rules: record.optional(),
    /** Task or inputs came from outside: a webhook's payload, a tainted parent [G11]. */ tainted: z.boolean().optional(),
    /** They hold what a step of its parent had read that is private. */ private: z.boolean().optional(),
    /** [J25] */ session: z.string().optional(),
    pinned: Pins,
    trigger: Trigger,
    /** What the trigger brought: a webhook's headers, body and query, for `${{trigger.…}}` [W1]. */ payload: record.optional(),
    /** `depth` 1 is a child of a run that has no parent [F23]; `root`: that run, whose plans are theirs too [T41]. */ parent: z
      .object({ run: id, step: id, pass: z.number(), index: z.number(), depth: z.number(), root: id.optional() })
      .optional(),
    rehearsed: z.boolean(),
    /** The architect's session that this run works for. */ staging: id.optional(),
    tags: z.array(z.string()).optional(),
    /** Where its notices go besides the tenant's own receivers [W6]. */ callback: StartCallback.optional(),
    /** What its caller said that it is part of [H8]; of a child: its parent's step. */ trace: Trace.optional(),
  }),
  /** The tenant's settings have changed since the run last looked: from here on these hold [T30]. */
  z.object({ type: z.literal("rules.changed"), rules: record }),
  z.object({ type: z.literal("run.waiting"), reason: z.string() }),
  z.object({ type: z.literal("run.paused"), reason: z.string() }),
  z.object({ type: z.literal("run.resumed"), reason: z.string() }),
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
    /** What this pass was asked, templates expanded: nothing it reads can change under it [J6]. */
    task: z.string().optional(),
    inputs: z.record(z.string(), z.string()).optional(),
    body: z.string().optional(),
    preamble: z.string().optional(),
    /** A fork's question, expanded. */ question: z.string().optional(),
    /** [F17] Which entering of a loop decision this is. */ iteration: z.number().optional(),
    /** Inputs of a code step or a child run, JSON types kept [F24]. */ values: record.optional(),
    /** How many child runs this step wants: 1 for a flow-ref, one per item for a map. */ total: z.number().optional(),
    /** Until when a wait step waits (ms). */ until: z.number().optional(),
    /** What it is asked holds text from outside, or what another step read that is private [G11]. */ tainted: z.boolean().optional(),
    private: z.boolean().optional(),
    /** The sticky session it goes on with [J25]. */ session: z.string().optional(),
  }),
  z.object({
    type: z.literal("step.finished"),
    ...step,
    pass: z.number(),
    status: z.enum(["complete", "error", "blocked"]),
    summary: z.string(),
    files: z.array(FileRef),
    artifacts: z.string().optional(),
    outputs: record,
    branch: z.string().optional(),
    /** All labels of a multi-select, `branch` the first of them in file order [F21]. */ branches: z.array(z.string()).optional(),
    source: FailureSource.optional(),
    hard: z.boolean().optional(),
    /** The last assistant text [F42]. */ text: z.string().optional(),
  }),
  z.object({ type: z.literal("step.skipped"), ...step, pass: z.number() }),
  z.object({
    type: z.literal("step.reopened"),
    ...step,
    pass: z.number(),
    /** Reopened by [F35] `retry`, not before this time (ms). */ notBefore: z.number().optional(),
    /** The decider that went back; absent for a retry. Counters of other decisions inside are reset [F19]. */ by: z.string().optional(),
  }),
  z.object({
    type: z.literal("action.begun"),
    key: id,
    kind: z.enum(["model", "tool", "child", "code", "collect", "lease", "session", "compact"]),
    ...step,
    attempt: z.number(),
    /** Of a model call under a budget: how much it may write, lowered to what is left [B2]. */ maxOutput: z.number().optional(),
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
    /** What the request could hold at most [J23]: reckoned from tools, which another build may have others of, so it stands here [J6]. */
    requestBytes: z.number().optional(),
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
  }),
  z.object({ type: z.literal("tool.called"), ...step, callId: id, tool: z.string(), args: record, hook: z.literal("log").optional() }),
  z.object({
    type: z.literal("tool.returned"),
    ...step,
    callId: id,
    tool: z.string(),
    isError: z.boolean(),
    content: z.array(ContentPart),
    details: json.optional(),
    truncated: Truncated.optional(),
    /** SHA-256 of tool, arguments and content, for [G9]. */ digest: z.string().optional(),
    /** [T5] The session's first cut result: what it has from here on, the way to read the rest among it where the build has one [J6]. */
    tools: z.array(z.string()).optional(),
    /** It shows text from outside [G11], or what is private to the tenant. */ tainted: z.boolean().optional(),
    private: z.boolean().optional(),
    /** The run that the call started and waited for, and what it used [T42]. */
    child: z.object({ run: id, usage: ChildUsage.optional() }).optional(),
  }),
  z.object({
    type: z.literal("tool.refused"),
    ...step,
    callId: id,
    tool: z.string(),
    code: RefusalCode,
    reason: z.string(),
    /** [G6] instead of arguments too large to keep. */ size: z.number().optional(),
    digest: z.string().optional(),
  }),
  z.object({ type: z.literal("tool.uncertain"), ...step, callId: id, tool: z.string(), key: id }),
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
    by: z.enum(["agent", "person", "code", "check", "cap", "error", "complete"]),
    /** One more branch of a multi-select: entered besides the one that was taken. */ also: z.boolean().optional(),
  }),
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
    /** With `decision: edit`: the arguments that run in place of those shown, coerced. */ args: record.optional(),
    feedback: z.string().optional(),
    by: z.string(),
  }),
  z.object({ type: z.literal("interaction.expired"), id, default: json.optional() }),
  z.object({ type: z.literal("steer.queued"), ...step, id, message: z.string(), by: z.string() }),
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
    /** What it used, its own children's among it [B5]. */ usage: ChildUsage.optional(),
    tainted: z.boolean().optional(),
  }),
  z.object({ type: z.literal("budget.reserved"), ...budgetFields }),
  z.object({ type: z.literal("budget.settled"), ...budgetFields }),
  z.object({ type: z.literal("budget.exhausted"), ...budgetFields }),
  /** [B4] A slice of the tenant's day, which ends at `until` (ms): the units that the tenant limits, none when it limits nothing any
   *  more. `retry`: not all that was asked for was granted, and no more is to be had before that time. */
  z.object({ type: z.literal("budget.leased"), step: id.optional(), granted: Amount, until: z.number(), retry: z.number().optional() }),
  /** [J25] The sticky session is ours: earlier conversations, oldest first, each a blob of messages. */
  z.object({
    type: z.literal("session.opened"),
    ...step,
    session: z.string(),
    chunks: z.array(z.string()),
    bytes: z.number(),
    tainted: z.boolean().optional(),
    private: z.boolean().optional(),
    /** The prompt it went on with before, when that still holds: same agent, same inputs. */ body: z.string().optional(),
  }),
  /** [J23] What stands before `upTo` in this step's conversation is told by `summary` (or by glimpses alone) from here on. */
  z.object({
    type: z.literal("context.compacted"),
    ...step,
    kind: z.enum(["glimpse", "summary"]),
    upTo: z.number(),
    summary: z.string().optional(),
    /** Of the conversation as it is now. */ bytes: z.number(),
    /** Of the model that wrote the summary. */ usage: Usage.optional(),
    cost: z.number().nullable().optional(),
  }),
  /** `step` is absent when nobody waited for it yet: then it is kept. */
  z.object({ type: z.literal("signal.received"), name: z.string(), payload: json, by: z.string(), step: id.optional(), id: id.optional() }),
  z.object({ type: z.literal("signal.taken"), ...step, name: z.string() }),
  /** What a code step's handler logged [F24]. */
  z.object({ type: z.literal("code.logged"), ...step, messages: z.array(z.string()) }),
  z.object({ type: z.literal("warning"), code: z.string(), message: z.string(), step: id.optional() }),
])
export type Fact = z.infer<typeof Fact>

export const Envelope = z.object({ seq: z.number(), at: z.number(), v: z.number(), prev: z.string() })
export type Envelope = z.infer<typeof Envelope>

export type RunEvent = Fact & Envelope
export type FactOf<T extends Fact["type"]> = Extract<Fact, { type: T }>
export type EventOf<T extends Fact["type"]> = FactOf<T> & Envelope
