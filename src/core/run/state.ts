// Defines the state of a run: the fold of its journal. Everything except `plan` and `touched` is JSON.
//
// `apply` is the only writer and changes the run in place: the caller of `apply` owns the run, and no older copy is read
// again. That keeps the cost of a step the same at step 10 and at step 1,000 [J8].
//
// Over 300 lines: the whole state of a run in one place, as event.ts holds all that can happen to it.

import type { SaidOfRun } from "./said/said-of-run.ts"
import type { Apart, FirstMessage } from "./session/told.ts"
import type { Lost } from "./usage/figures.ts"
import type { Histogram } from "./usage/histogram.ts"
import type { Json, JsonObject } from "../json.ts"
import type {
  StartTimes,
  Attachment,
  FailureSource,
  FileRef,
  InteractionKind,
  Lane,
  Pins,
  RunError,
  RunStatus,
  Said,
  StartFile,
  StepStatus,
  ToolCall,
  Trial,
  Trigger,
  Starter,
} from "./event-parts.ts"
import type { BatchPlace, ChildDecision, ChildQuestion, FactOf } from "./event.ts"
import type { RunPrice } from "../money/amount.ts"
import type { Notice, StartCallback } from "./notice.ts"
import type { Origin } from "../flow/origin.ts"
import { DEFAULT_RULES, type Rules } from "../tool/policy/policy.ts"
import { newBudget, type Budget } from "./budget/budget-state.ts"
import { newOutside, type Outside } from "./effects/outside.ts"
import type { Trace } from "../trace.ts"
import type { Plan } from "./plan.ts"
import type { Tally } from "./usage/figures.ts"

export interface Run {
  readonly plan: Plan
  /** Steps changed since the last snapshot. */
  readonly touched: Set<string>
  id: string
  seq: number
  /** Hash of the last event, and `prev` of the next one. Set by the code that seals events. */
  head: string
  /** When the last event happened (ms). */
  at: number
  status: RunStatus
  /** When it got this status (ms); absent: with its start. */
  since?: number
  /** Why the run waits, or who paused it. */
  reason?: string
  /** When the current pause began, and how long earlier pauses lasted (ms): timeouts do not count pauses. */
  pausedAt?: number
  pausedFor?: number
  /** Since when people are asked, and for which steps since when; how long they were asked before. In ms, without pauses. */
  asking?: { readonly since: number; readonly steps: Readonly<Record<string, number>> }
  askedFor?: number
  flow: string
  task: string
  inputs: JsonObject
  autonomous: boolean
  rehearsed: boolean
  pins?: Pins
  trigger: Trigger
  /** [V34] */
  trial?: Trial
  /** [K9] Of a fork: what started the first run of its history, for `${{trigger.…}}`. */
  cause?: Trigger
  /** [K15] Of a fork: the run and the event that it was forked from, and what that history had cost [K11]. */
  fork?: { run: string; seq: number }
  /** [R40] Of a fork: its first event that ended a step. What opened before it is asked anew. */
  moved?: number
  inherited?: { tokens: number; usd: number | null; tool_calls: number; steps: number }
  /** [W1] The trigger's data: a webhook's headers, body and query. */
  payload?: JsonObject
  /** [F55] Files that came with the start, and the files that were put since. */
  given?: readonly StartFile[]
  put?: StartFile[]
  tags: string[]
  /** [P1] Absent: the run's id. */
  thread?: string
  /** [J25] The session named at the start, for steps with `session: ${{session}}`. */
  session?: string
  /** [P2] */
  conversation?: readonly Said[]
  parent?: { run: string; step: string; pass: number; index: number; depth: number; root?: string | undefined }
  started: number
  ended?: number
  /** The current segment; -1 before the first step. */
  segment: number
  steps: Record<string, StepState>
  /** Effects that began and have no answer yet, by action key [J1]. */
  underway: Record<string, Underway>
  /** How often each key without an answer has begun. */
  begun: Record<string, number>
  interactions: Record<string, Interaction>
  /** How many interactions were ever asked, and the ids of the open ones. */
  asked: number
  pending: string[]
  /** Routes that steps of the current segment want to take; the first in file order wins [F14]. */
  routes: PendingRoute[]
  /** [T5] Handles of tool outputs that are stored whole because their results were cut. */
  handles: string[]
  /** [G11] Handles of outputs that contain text from outside. */
  taintedHandles: string[]
  /** Handles of outputs that contain something private. */
  privateHandles?: string[]
  /** Signals that came before any step waited for them. */
  signals: { name: string; payload: Json; private?: true }[]
  /** [R27] When a person last answered or steered (ms). */
  personAt?: number
  /** [H4] Ids of the latest messages and signals, so that a repeat is ignored. */
  heard: string[]
  /** [P5] What child runs ask of people: child → what it said last. Absent: nothing was ever asked. */
  asks?: Record<string, ChildAsking>
  /** A child has said something since the run began to wait. */
  askedAnew?: true
  /** The question that was open and the oldest when the run began to wait for a person; absent: not known, as of older snapshots. */
  announced?: string
  /** The latest child runs, oldest first; a map may have more than this list holds. */
  children: string[]
  /** Sticky sessions that steps no longer need: the shell saves and releases them in this order. */
  transcripts: Transcript[]
  /** Child runs that no step waits for any more, by id, or by key when only their start is known: the shell cancels them. */
  orphans: string[]
  /** [W6] Notices for receivers, oldest first, and the receiver that the start named. */
  notices: Notice[]
  callback?: StartCallback
  /** [R10] Of other starts that it is made of. */
  callbacks?: readonly (StartCallback & { readonly address?: string })[]
  /** [R9] Who else started it. */
  starters?: readonly Starter[]
  address?: string
  /** [H8] */
  trace?: Trace
  /** [K30] Absent: live. */
  effects?: "staged" | "dry"
  /** [F77] What it runs was written by an agent, and nobody has accepted it. */
  unaccepted?: true
  /** [N3] When its tenant was created, if another one had its name shortly before. */
  tenancy?: number
  /** [R19] */
  start?: StartTimes
  /** [R15] The keys that it obeyed, or if it is a fork without any, its source. */
  obeyed?: Pick<StartTimes, "concurrency" | "throttle">
  /** [V11, V19] What was said of the run: scores, feedback, grades. Absent: nothing. */
  said?: SaidOfRun
  /** [R8] The run that took its place. */
  superseded?: string
  /** [J16] Effects that may be under way at once. Absent: the run began when there was one width for all. */
  width?: number
  /** [K18] Which kernel decides. Absent: 1. */
  kernel?: number
  /** [K31] */
  outside: Outside
  /** The architect's tools of this run write drafts. */
  drafts?: true
  /** [R32] Where it hands its model calls. */
  batch?: BatchPlace
  /** [R33] Its calls that wait for a batch, by their keys. Absent: none. */
  batched?: Record<string, Underway>
  /** `seq` of `run.ended`: what follows is the postscript [K34]. */
  endSeq?: number
  /** [F15] decider → steps that its last choice excludes. */
  exclusions: Record<string, string[]>
  /** [F21] The branches of a multiple choice that are under way; absent when the run goes one way. */
  lanes?: Lanes
  forks: Record<string, ForkChoice>
  /** `children`: tokens of child runs; their other figures are included in these. `estimated`: tokens of this run's own calls whose
   *  provider reported nothing that can be true [B3]. `lost`: this run's own calls whose answers were lost; absent: none. */
  usage: {
    input: number
    output: number
    children: number
    usd: number | null
    tool_calls: number
    steps: number
    estimated?: number
    lost?: Lost
  }
  /** The same of this run alone, by model, agent and tool. Absent: nothing yet. */
  tally?: Tally
  /** [B1] */
  budget: Budget
  /** [B3] Prices of this run's models, as they were at its start. */
  prices: Readonly<Record<string, RunPrice>>
  /** [T30, T32] The tenant's rules as last journaled in this run. */
  rules: Rules
  /** [G11] The run's task or inputs came from outside. */
  tainted: boolean
  /** What came from outside with a message; `attachments` alone marks what uses the task. Absent: nothing. */
  origins?: readonly Origin[]
  /** What counts as the tenant's own though it comes from outside. Absent: nothing. */
  trusted?: readonly Origin[]
  /** [P2] The key whose message started the run. */
  asker?: string
  /** Something in the run was marked, at any time: what it says later is no answer that was given untainted [P2]. */
  marked?: true
  /** The run's task or inputs contain something private. */
  private?: true
  failure?: RunError
  error?: RunError
  output?: Json
}

/** What an open step may be doing. */
interface Works {
  /** A conversation with its agent. */
  readonly session: Session
  /** A person is asked: the session that the fork's decider would have. */
  readonly decider: Session
  /** The child runs of a flow-ref or a map. */
  readonly children: Children
  /** A handler runs: its input. */
  readonly values: JsonObject
  /** A wait for a time (ms). */
  readonly until: number
}

/** One kind of work, or none: the step has not begun, has ended, or waits for something that belongs to no step. */
export type Work = { [Does in keyof Works]: Pick<Works, Does> & NoWork<Exclude<keyof Works, Does>> }[keyof Works] | NoWork<keyof Works>
type NoWork<Does extends keyof Works> = { readonly [Other in Does]?: never }

/** `work` is a union of read-only members, so no code can give a step two kinds of work: `become` replaces the whole value. */
export type StepState = StepFacts & Work

interface StepFacts {
  status: StepStatus
  /** Counts from 1; goes up each time the step is reopened. */
  pass: number
  opened?: number
  /** `seq` of the event that opened this pass: its conversation follows that event. */
  openedSeq?: number
  ended?: number
  /** [K11] In a fork: when the timeout of a step that was open at the cut began anew (ms). */
  timed?: number
  /** How long the run had been paused in total when this pass was opened (ms). */
  pausedBefore?: number
  /** How long people were asked on behalf of this pass (ms), before the questions that are open. */
  askedFor?: number
  /** [F17] How often a loop decision was entered since it was last reopened from outside. */
  entered: number
  /** [F18] Backward branches taken since the step was last reopened from outside, by label. */
  taken: Record<string, number>
  /** [F35] Soft failures retried in this entry. */
  retries: number
  /** A wanted retry: the step is about to be reopened. */
  retry?: { notBefore: number }
  notBefore?: number
  /** Model calls begun in this pass. */
  attempts: number
  /** [R30] How long calls of this pass waited for their turn (ms). */
  pacedMs?: number
  /** [F19] The last finish; a reopened step keeps the result of its previous pass until it finishes again. */
  result?: StepResult
  /** [F21] A fork's decision as text for this step's prompt, used once. `apart`: what of it is from outside. */
  preamble?: string
  apart?: readonly Apart[]
  /** A route named this step: it is entered even if only an `on_error` leads to it. */
  routed?: true
  question?: string
  /** The interaction that asked a person this fork's question in this pass. */
  asked?: string
  usage: { input: number; output: number }
  /** What its model calls cost in this run, and how long each pass took that ended, without pauses. Absent: nothing. */
  usd?: number
  took?: Histogram
  tools: string[]
  /** [R38] Of this pass of a step with `cache`: the event that read its files; once it has looked, the digest of what it asks; and of a result
   *  that it took over, the run that asked, and when (ms). */
  cache?: { files?: number; digest?: string; run?: string; asked?: number }
  /** [V23] Of a step with `until`. */
  rounds?: Rounds
  /** [G11] The step's input or its children's results contain text from outside, or something private. */
  tainted?: true
  origins?: readonly Origin[]
  private?: true
}

/** One agent's conversation, from `step.opened` to `step.finished`. */
export interface Session {
  agent: string
  model: string
  task: string
  body: string
  preamble?: string
  /** [G11] What of the first message is from outside, and follows the task (session/apart.ts). */
  told?: Omit<FirstMessage, "task">
  iteration?: number
  /** [J25] `seqs`: the events that opened it. `chunks`: the earlier conversations that it continues, once the step owns the session.
   *  `isCopy`: the session is not this run's, and is not given back [K14]. */
  sticky?: { id: string; inputs: Record<string, string>; seqs: number[]; chunks?: string[]; isCopy?: true }
  /** Accepted model replies so far, which is also the number of the next turn. */
  turn: number
  /** The journal entries that make up the conversation, in order. */
  seqs: number[]
  /** [B1] Their size in UTF-8 with a little extra for each: an upper bound of the tokens that they add to the next request. */
  bytes: number
  /** [G2] Calls of the last reply without an answer, in the model's order, including a latched finish. */
  open: OpenCall[]
  /** Failed model calls of the session; failed calls of the current turn, and the time of the first one. */
  failures: number
  turnFailures: number
  firstFailure?: number
  retryAt?: number
  /** [R29] The call waits for its turn, or did before it was asked again; how often the turn was refused and waited for that [R31]. */
  paced?: PacedCall
  refusals?: number
  /** [F33] A failed reply of this turn had begun to call a tool. */
  called?: true
  /** [J22] Reminders and rejected finishes: they share one allowance. */
  tries: number
  /** [G9] Calls of the current turn in the model's order, with the digests of their results. */
  results: { id: string; tool: string; digest?: string }[]
  /** The last result, and how often it came in a row. */
  repeat: { digest: string; count: number }
  /** The tool that gave the same result too often. */
  stuck?: string
  steers: { id: string; seq: number }[]
  /** The last assistant text [F42]. */
  text?: string
  /** [J23] Tool results up to this entry are shown as glimpses; the summary replaces what came before the entries. */
  glimpsedTo?: number
  summary?: string
  /** How often the conversation was shortened before this turn. */
  compact?: { turn: number; times: number }
  /** `bytes` when the last shortening began. */
  shortening?: number
  /** The provider refused the last request because of its length. */
  overflow?: true
  /** Size of the last request: the provider's token count, and our byte count. */
  seen?: { tokens: number; bytes: number; pictures?: number }
  /** [G11] The session has read text from outside, or something private. */
  tainted: boolean
  /** Which of it came with a message or an answer. Absent: none of it. */
  origins?: readonly Origin[]
  private: boolean
  /** [T8] Tools that the session may call though they are not listed: it finds them with `tool_search`. */
  searched?: string[]
  /** [F50] The text of the agent's context files, once they are read. */
  context?: string
  /** [F51b] Files that the session has written. */
  wrote?: FileRef[]
  /** [F56] Files that come with the task: their paths, and once they are read, what is shown of them. */
  attach?: string[]
  attached?: { seq: number; files: readonly Attachment[]; unseen: readonly { path: string; why: string }[] }
  /** [F56] The tokens of files that the conversation shows, by the event that showed them; up to `unpicturedTo` it shows none. */
  pictures?: { seq: number; tokens: number }[]
  unpicturedTo?: number
  /** [F56] A provider refused the files of this conversation: it shows none. */
  blind?: true
  /** [F26] No agent has it: the step makes its calls itself. */
  own?: OwnCalls
}

/** [F26] What a step was given that calls tools itself, how many calls it has made, and of a tool step how its call ended. */
export interface OwnCalls {
  readonly given: JsonObject
  made: number
  ended?: CallEnd
}

/** `said`: what the tool answered, or why it did not run. */
export interface CallEnd {
  readonly state: "done" | "failed" | "refused" | "uncertain"
  readonly said: string
  readonly details?: Json
}

/** [R29] A model call that waits for its turn. `until`, `ahead`: when it is asked again, and how many go before it. `at`: since when. */
export interface PacedCall {
  readonly model: string
  readonly until: number
  readonly ahead: number
  readonly at: number
}

/** The conversation of one pass of a step with a sticky session. `seqs` starts at `step.opened`, and is empty when no model replied. */
export interface Transcript {
  step: string
  pass: number
  agent: string
  session: string
  seqs: number[]
  tainted: boolean
  private: boolean
}

/** The child runs of one step and pass: counts, and the few open runs. */
export interface Children {
  total: number
  /** The next index to start. */
  next: number
  /** Indexes whose start began and is not confirmed yet. */
  starting: number[]
  /** index → run. */
  open: Record<number, string>
  ended: number
  failed: number
  /** Why the last failed child failed, and for a map its index. */
  message?: string
  culprit?: number
  /** [R33] Open children by their index, as each said last whether anything goes on in it without a batch. Absent: none has said so. */
  still?: { count: number; readonly said: Record<number, { readonly from: number; readonly waits: boolean }> }
  /** [R34] */
  batches?: Batches
  /** flow-ref: the child's input, and its result. */
  task?: string
  values?: JsonObject
  report?: { summary: string; files: FileRef[]; artifacts?: string; outputs: JsonObject }
}

/** [R34] The batches of one pass of a map: how many were begun, how many calls were sent and answered, and which are at their provider. */
export interface Batches {
  begun: number
  sent: number
  answered: number
  readonly open: Record<string, { readonly calls: number; readonly expires: number }>
}

export interface ChildAsking {
  step: string
  pass: number
  /** The child's `seq`. */
  from: number
  /** Nothing goes on in it until a person answers. */
  waits: boolean
  open: ChildQuestion[]
  decided?: ChildDecision[]
}

export interface OpenCall {
  call: ToolCall
  /** The interaction this call waits for. */
  asked?: string
  /** [G6] The admitted arguments, after coercion and defaults; set once the call was made. */
  args?: JsonObject
  /** [Q3] The exact arguments that a person approved: the call may run. */
  approved?: JsonObject
  /** [Q3] What the person said who let it go, for the agent. */
  person?: { args?: JsonObject; feedback?: string }
  /** [T27] The questions of its server, in the order that they were asked. Each time the call was given up, and begins anew afterwards. */
  elicited?: string[]
}

export interface StepResult {
  status: "complete" | "error" | "blocked" | "skipped"
  summary: string
  files: FileRef[]
  artifacts?: string
  outputs: JsonObject
  branch?: string
  source?: FailureSource
  text?: string
  /** [G11] The session behind this result had read text from outside, or something private. */
  tainted?: true
  origins?: readonly Origin[]
  private?: true
}

/** What a pass that ended complete has for its scorer. */
export interface Offered extends StepResult {
  readonly pass: number
  /** The event: files are as they were then. */
  readonly seq: number
  readonly by?: string
}

export type RoundScore = Omit<FactOf<"step.scored">, "type" | "step" | "scorer" | "version">

/** One entry of a step: it ends when another step leads back to it. */
export interface Rounds {
  /** The passes of this entry, the current one included. */
  round: number
  scored: RoundScore[]
  /** The pass has ended, and waits for its score; `evidence`: the most bytes that its judge reads of it. */
  offered?: Offered
  evidence?: number
  /** The run of its judge. */
  judge?: string
  /** The result that was judged last, and the best one if it is another, with its score. */
  last?: Offered
  best?: { readonly score: number; readonly result: Offered }
  /** Not enough: the step goes back once its segment is at rest. */
  goesBack?: true
  /** Steps that were reopened for a further round, besides this one. */
  reopened?: string[]
  /** One of them has changed a file since the best round. */
  changed?: true
}

export interface Underway {
  kind:
    | "model"
    | "tool"
    | "child"
    | "code"
    | "collect"
    | "lease"
    | "session"
    | "compact"
    | "context"
    | "cache"
    | "score"
    | "effect"
    | "calls"
    | "batch"
  step: string
  /** [B2] */ maxOutput?: number
  /** [R32] A model call on its way to the run above. */ batch?: true
  attempt: number
  since: number
}

export interface Interaction {
  id: string
  kind: InteractionKind
  step: string
  pass: number
  callId?: string
  status: "pending" | "answered" | "expired" | "withdrawn"
  payload: JsonObject
  schema: JsonObject
  risk?: string
  created: number
  expires?: number
  default?: Json
  answer?: JsonObject
  by?: string
  /** When it was answered, expired or was withdrawn. */
  decided?: number
}

export interface PendingRoute {
  step: string
  target: string
  label: string
  by: "agent" | "person" | "code" | "check" | "cap" | "error" | "complete" | "score"
  /** The further branches of a multi-select, in file order. */
  also?: { label: string; target: string }[]
}

export interface Lanes {
  readonly here: readonly Lane[]
  readonly ahead: readonly Lane[]
}

export interface ForkChoice {
  question: string
  answer: string
  notes?: string
  /** `person` or `agent`. */
  by: string
  /** The agent that chose. */
  agent?: string
}

/** The head of a run in a snapshot; each step is a separate part. */
export type RunHead = Omit<Run, "plan" | "touched" | "steps">

export function newRun(plan: Plan): Run {
  return {
    plan,
    touched: new Set(),
    id: "",
    seq: 0,
    head: "0".repeat(64),
    at: 0,
    status: "queued",
    flow: plan.flow.id,
    task: "",
    inputs: {},
    autonomous: plan.flow.autonomous,
    rehearsed: false,
    trigger: { kind: "api" },
    tags: [],
    started: 0,
    segment: -1,
    steps: {},
    underway: {},
    begun: {},
    interactions: {},
    asked: 0,
    pending: [],
    routes: [],
    handles: [],
    taintedHandles: [],
    signals: [],
    heard: [],
    children: [],
    transcripts: [],
    orphans: [],
    notices: [],
    exclusions: {},
    forks: {},
    usage: { input: 0, output: 0, children: 0, usd: null, tool_calls: 0, steps: 0 },
    budget: newBudget(),
    outside: newOutside(),
    prices: {},
    rules: DEFAULT_RULES,
    tainted: false,
  }
}

export const newStep = (): StepState => ({
  status: "pending",
  pass: 1,
  entered: 0,
  taken: {},
  retries: 0,
  attempts: 0,
  usage: { input: 0, output: 0 },
  tools: [],
})

/** Replaces the step's work. */
export function become(s: StepState, work: Work): void {
  const before: { -readonly [Does in keyof Works]?: Works[Does] } = s
  delete before.session
  delete before.decider
  delete before.children
  delete before.values
  delete before.until
  Object.assign(s, work)
}

export const DONE: ReadonlySet<StepStatus> = new Set(["complete", "error", "blocked", "skipped", "canceled"])
export const isDone = (s: StepState): boolean => DONE.has(s.status)
export const isOver = (run: Run): boolean => run.status === "succeeded" || run.status === "failed" || run.status === "canceled"

/** The state of a step. Every step of the plan has a state from `run.started` on. */
export function stepState(run: Run, id: string): StepState {
  const s = run.steps[id]
  if (!s) throw new Error(`step "${id}" is not part of this run's plan`)
  return s
}

/** [F18] The number of times that the backward branch with this label was taken. A label may be any word, even `toString`. */
export const backTaken = (s: StepState, label: string): number => (Object.hasOwn(s.taken, label) ? (s.taken[label] ?? 0) : 0)
