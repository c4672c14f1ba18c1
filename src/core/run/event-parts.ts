// Defines the parts of events: closed sets of words, and small objects that several events contain [E1].

import { FINAL_MEMBERS } from "../start/start-block.ts"
import { z } from "zod"
import { MEDIA_TYPES } from "../media/media.ts"
import { Amount } from "../money/amount.ts"
import { later } from "../schema/later.ts"
import { EFFECTS_MODES } from "../tool/policy/effects-modes.ts"

const id = z.string()
const json = z.json()
const record = z.record(z.string(), json)

export const StepStatus = z.enum(["pending", "running", "waiting", "complete", "error", "blocked", "skipped", "canceled"])
export type StepStatus = z.infer<typeof StepStatus>

export const RunStatus = z.enum(["queued", "running", "waiting", "paused", "succeeded", "failed", "canceled"])
export type RunStatus = z.infer<typeof RunStatus>

/** [F30] The source of a failure: a closed set. */
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
  "code_diverged",
  "flow_hard_error",
  "child_failed",
  "start_expired",
  "tool_failed",
  "tool_refused",
  "tool_uncertain",
  "budget",
  "engine",
  "score",
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
  "too_many",
])
export type RefusalCode = z.infer<typeof RefusalCode>

/** [F21] One branch of a multiple choice: the step it was routed to, or the segment behind which it falls through; the choices that close
 *  steps for it, and the steps that its routes have opened. */
export const Lane = later(() =>
  z.object({
    at: id.exactOptional(),
    after: z.number(),
    chose: z.array(z.object({ step: id, branch: z.string() })),
    opened: z.array(id),
  }),
)
export type Lane = z.infer<typeof Lane>

/** `claimed` is false for a file that the finish does not name [F51b]. */
export const FileRef = z.object({
  path: z.string(),
  action: z.enum(["created", "modified", "read"]),
  claimed: z.literal(false).exactOptional(),
})
export type FileRef = z.infer<typeof FileRef>

/** What one call did to a file of the workspace. */
export const FileWrite = later(() => z.object({ path: z.string(), action: z.enum(["created", "modified", "removed"]) }))
export type FileWrite = z.infer<typeof FileWrite>

/** [P2] A message of the conversation before a run's task. */
export const Said = later(() => z.object({ role: z.enum(["user", "assistant", "system"]), text: z.string() }))
export type Said = z.infer<typeof Said>

/** [F55] A file that the run was given. `tainted`: it contains text from outside [G11]. */
export const StartFile = later(() =>
  z.object({
    path: z.string(),
    hash: z.string(),
    size: z.number(),
    /** The media type, when the caller or the file's name says it. */
    type: z.string().optional(),
    tainted: z.literal(true).optional(),
  }),
)
export type StartFile = z.infer<typeof StartFile>

export const ContentPart = z.union([
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("image"), data: z.string(), mimeType: z.string() }),
])
export type ContentPart = z.infer<typeof ContentPart>

/** [F56] A picture or PDF that was sent to a model, by its hash, without its bytes. */
export const Attachment = later(() =>
  z.object({
    path: z.string(),
    hash: z.string(),
    /** By its bytes. */
    type: z.enum(MEDIA_TYPES),
    size: z.number(),
    /** The most that it adds to a request. */
    tokens: z.number(),
    width: z.number().optional(),
    height: z.number().optional(),
    pages: z.number().optional(),
    tainted: z.literal(true).optional(),
  }),
)
export type Attachment = z.infer<typeof Attachment>

/** [T5] How a tool's output was truncated, and the handle of the full output. */
export const Truncated = later(() =>
  z.object({
    handle: z.string(),
    totalBytes: z.number(),
    totalLines: z.number(),
    outputBytes: z.number(),
    outputLines: z.number(),
    kept: z.enum(["head", "tail"]),
  }),
)
export type Truncated = z.infer<typeof Truncated>

/** [M3, V35] The answer that a scripted reply or a trial's recording has for a call: the call is judged as always, and its tool does not run. */
export const GivenResult = later(() =>
  z.object({
    isError: z.boolean(),
    content: z.array(ContentPart),
    attached: z.array(Attachment).exactOptional(),
    details: json.exactOptional(),
    truncated: Truncated.exactOptional(),
    /** [G9] */ digest: z.string().exactOptional(),
    /** [G11] */ untrusted: z.boolean().exactOptional(),
    private: z.boolean().exactOptional(),
  }),
)
export type GivenResult = z.infer<typeof GivenResult>

/** `args` holds the parsed arguments; when the model did not send a JSON object, or too much, `raw` holds the start of the text and `args`
 *  is {}. */
export const ToolCall = later(() =>
  z.object({
    id,
    name: z.string(),
    args: record,
    raw: z.string().optional(),
    /** [G6] Arguments that were too large or too deep: why they were not kept, their length and their SHA-256. */
    cut: z.object({ why: z.string(), size: z.number(), most: z.number().optional(), digest: z.string().optional() }).optional(),
    result: GivenResult.optional(),
  }),
)
export type ToolCall = z.infer<typeof ToolCall>

/** Hashes (SHA-256 hex) of every definition that a run was started with [F72], and the models that its agents resolved to. */
/** [V27] A scorer of `until`. `hash`: of its file; absent, it is built in. */
export const PinnedScorer = later(() =>
  z.object({
    version: z.string(),
    hash: z.string().optional(),
    /** Of its handler, without types. */ code: z.string().optional(),
    /** What its judge's run follows. */
    judge: z
      .object({ flow: z.string(), agent: z.string(), hash: z.string(), model: z.string(), fallbacks: z.array(z.string()).optional() })
      .optional(),
  }),
)
export type PinnedScorer = z.infer<typeof PinnedScorer>

export const Pins = later(() =>
  z.object({
    revision: z.number(),
    /** The draft over the revision that the start named [F80]. */
    draft: z.string().optional(),
    flow: z.object({ id, hash: z.string() }),
    agents: z.record(z.string(), z.string()),
    /** skill name → file path in the skill → hash; includes `SKILL.md`. */
    skills: z.record(z.string(), z.record(z.string(), z.string())),
    /** Hash of `flows/NAME.rehearsal.yaml`, when the run is rehearsed and the file exists. */
    rehearsal: z.string().optional(),
    /** agent name (or `agent@step` when the step has its own `model:`) → `provider/model[:thinking]` [F52]. */
    models: z.record(z.string(), z.string()),
    /** The same keys → the models that answer in its place when it fails, in order [F33]. */
    fallbacks: z.record(z.string(), z.array(z.string())).optional(),
    /** Flows that this flow runs as children, directly or not: id → hash. Their agents and skills are in the maps above [F23, F72]. */
    flows: z.record(z.string(), z.string()).optional(),
    /** Rehearsal files of those flows: id → hash. */
    rehearsals: z.record(z.string(), z.string()).optional(),
    /** Handlers of code steps, without types: path (`code/FLOW/STEP.js`) → hash [F24]. */
    code: z.record(z.string(), z.string()).optional(),
    /** Budgets that those child flows declare: id → budget [B5]. */
    budgets: z.record(z.string(), Amount).optional(),
    /** [V27] The scorers of steps with `until`, also of the flows below, by name. */
    scorers: z.record(z.string(), PinnedScorer).optional(),
    /** Registered tools that the agents may call: name → hash of the ToolDef [T26, T27]. */
    tools: z.record(z.string(), z.string()).optional(),
    /** [R32, R35] `provider/model` → the factor of its price in a batch, where no price says another. Only of a run with a map whose
     *  calls go through the batch API. */
    batch: z.record(z.string(), z.number()).optional(),
  }),
)
export type Pins = z.infer<typeof Pins>

export const Trigger = z.object({
  kind: z.enum(["api", "webhook", "schedule", "mcp", "child", "test", "fork", "score", "experiment"]),
  /** [K21] Of a child: a test began the run above all. */
  test: z.literal(true).optional(),
  /** [V15] Of a judge: the run that it judges, and the scorer. */
  score: z.object({ run: id, scorer: id, /** [V10] Of a probe: its scoring. */ probe: id.optional() }).optional(),
  hook: z.string().optional(),
  delivery: z.string().optional(),
  /** [W7] The number of run callbacks in the chain that led to this delivery; absent: 0. */
  depth: z.number().int().optional(),
  /** [F40] References of the hook's mapping that had no value in the delivery. */
  missing: z.array(z.string()).optional(),
  schedule: z.string().optional(),
  /** [R3] Members of the hook's or schedule's block that the flow sets by now: the flow's count. */
  overruled: z.array(z.enum(FINAL_MEMBERS)).optional(),
  key: z.string().optional(),
})
export type Trigger = z.infer<typeof Trigger>

/** [V34] Of a run of an experiment. */
export const Trial = later(() =>
  z.object({
    experiment: id,
    row: id,
    variant: z.string(),
    repeat: z.number().int(),
    /** [V35] The run whose recording answers. */ recording: id.exactOptional(),
  }),
)
export type Trial = z.infer<typeof Trial>

/** [R9] What of a trigger says who started a run. */
export const Starter = later(() =>
  Trigger.pick({ kind: true, key: true, hook: true, schedule: true }).extend({ asker: z.string().optional() }),
)
export type Starter = z.infer<typeof Starter>

const HeldKey = z.object({ pool: z.string(), key: z.string(), limit: z.number() })

/** [R19] Of a start with a block: when it arrived, came into line and began, by the clock of the tenant's object (ms). */
export const StartTimes = later(() =>
  z.object({
    arrived: z.number(),
    /** Absent: it never came into line. */ ready: z.number().optional(),
    /** Absent: it never began. */ began: z.number().optional(),
    /** What held it last. */ held: z.enum(["throttle", "concurrency", "room"]).optional(),
    /** Of how many starts it is made, if of more than one. */ merged: z.number().optional(),
    priority: z.enum(["high", "low"]).optional(),
    concurrency: HeldKey.optional(),
    /** `period`: milliseconds; absent in journals that were written without it. */
    throttle: HeldKey.extend({ period: z.number().optional() }).optional(),
    /** [R27] A person waits for it. */ attended: z.literal(true).optional(),
  }),
)
export type StartTimes = z.infer<typeof StartTimes>

export const RunError = later(() => z.object({ step: z.string().optional(), source: FailureSource, message: z.string() }))
export type RunError = z.infer<typeof RunError>

/** [K30] What a run does with calls that change something outside: carries them out, keeps them for a person's decision at the end, or
 *  only pretends. */
export const EffectsMode = z.enum(EFFECTS_MODES)

/** [K32] A call that a staged run keeps. `run` is the run whose agent made it: this run, or a child of it. */
export const KeptEffect = later(() =>
  z.object({
    key: id,
    run: id,
    step: id,
    pass: z.number(),
    callId: id,
    tool: z.string(),
    args: record,
  }),
)
export type KeptEffect = z.infer<typeof KeptEffect>

/** [K31] The outcome of an effect that was begun, kept or unclear. */
export const EffectEnd = z.enum(["confirmed", "failed", "uncertain", "refused", "discarded"])
export type EffectEnd = z.infer<typeof EffectEnd>

export const InteractionKind = z.enum(["ask_user", "fork", "approval.tool", "approval.plan", "budget", "effects", "elicitation"])
export type InteractionKind = z.infer<typeof InteractionKind>
