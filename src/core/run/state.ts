// A run as it stands: the fold of its journal. JSON through and through, but for `plan` and `touched`.
//
// `apply` is the only writer and changes it in place: who applies an event owns the run, and an older copy is never looked at
// again. That keeps a step's cost the same at step 10 and at step 1,000 [J8].
//
// Over 300 lines: all that a run is, in one place, as event.ts is all that can happen to it.

import type { Json, JsonObject } from "../json.ts"
import type { FailureSource, FileRef, InteractionKind, Pins, RunError, RunStatus, StepStatus, ToolCall, Trigger } from "./event.ts"
import type { Price } from "../money/amount.ts"
import type { Notice, StartCallback } from "./notice.ts"
import { DEFAULT_RULES, type Rules } from "../policy/policy.ts"
import { newBudget, type Budget } from "./budget/budget-state.ts"
import type { Trace } from "../trace.ts"
import type { Plan } from "./plan.ts"

export interface Run {
  readonly plan: Plan
  /** Steps changed since the last snapshot. */
  readonly touched: Set<string>
  id: string
  seq: number
  /** Hash of the last event: the next one's `prev`. Set by whoever seals events. */
  head: string
  /** When the last event happened (ms). */
  at: number
  status: RunStatus
  /** Why it waits, or who paused it. */
  reason?: string
  /** Since when it is paused (ms), and how long it was before: timeouts stand still meanwhile. */
  pausedAt?: number
  pausedFor?: number
  flow: string
  task: string
  inputs: JsonObject
  autonomous: boolean
  rehearsed: boolean
  pins?: Pins
  trigger: Trigger
  /** What the trigger brought: a webhook's headers, body and query [W1]. */
  payload?: JsonObject
  tags: string[]
  /** What the start named for steps that say `session: ${{session}}` [J25]. */
  session?: string
  parent?: { run: string; step: string; pass: number; index: number; depth: number; root?: string | undefined }
  started: number
  ended?: number
  /** The segment the run stands in; -1 before the first step. */
  segment: number
  steps: Record<string, StepState>
  /** Effects that somebody should be working on, by action key [J1]. */
  underway: Record<string, Underway>
  /** How often a key that is wanted again was begun before. */
  begun: Record<string, number>
  interactions: Record<string, Interaction>
  /** How many were ever asked, and which of them are still open. */
  asked: number
  pending: string[]
  /** Routes that steps of the current segment want to take; the first in file order wins [F14]. */
  routes: PendingRoute[]
  /** Tool outputs kept whole because their results were cut [T5]. */
  handles: string[]
  /** Those that hold text from outside [G11]. */
  taintedHandles: string[]
  /** Those that show what is private. */
  privateHandles?: string[]
  /** Signals that came before a step waited for them. */
  signals: { name: string; payload: Json }[]
  /** Ids of the latest messages and signals, so that one that is sent again is heard once [H4]. */
  heard: string[]
  /** The latest child runs, oldest first; a map has more than are listed here. */
  children: string[]
  /** Sticky sessions that steps are through with: the shell saves and gives them back, in this order. */
  transcripts: Transcript[]
  /** Children that nobody waits for any more, by id, or by key when their start was begun: the shell cancels them. */
  orphans: string[]
  /** What the outside is told of it, oldest first, and the receiver that its start named [W6]. */
  notices: Notice[]
  callback?: StartCallback
  /** [H8] */
  trace?: Trace
  /** decider → steps that its last choice excludes [F15]. */
  exclusions: Record<string, string[]>
  forks: Record<string, ForkChoice>
  /** `children`: tokens of child runs, whose other figures are among these. */
  usage: { input: number; output: number; children: number; usd: number | null; tool_calls: number; steps: number }
  /** [B1] */
  budget: Budget
  /** Of this run's models, as they were at its start [B3]. */
  prices: Readonly<Record<string, Price>>
  /** The tenant's rules as this run last heard of them [T30, T32]. */
  rules: Rules
  /** Its task or inputs came from outside [G11]. */
  tainted: boolean
  /** They are private to whoever started it. */
  private?: true
  failure?: RunError
  error?: RunError
  output?: Json
}

export interface StepState {
  status: StepStatus
  /** 1-based; counts up each time the step is reopened. */
  pass: number
  opened?: number
  /** The event that opened it: what was said in it stands from there on. */
  openedSeq?: number
  ended?: number
  /** How long the run had been paused in all when this pass was opened (ms). */
  pausedBefore?: number
  /** [F17] Times a loop decision was entered since it was last reopened from outside. */
  entered: number
  /** [F18] Backward branches taken, by label, since it was last reopened from outside. */
  taken: Record<string, number>
  /** [F35] Soft failures retried in this entering. */
  retries: number
  /** A retry that is due: the step is to be reopened. */
  retry?: { notBefore: number }
  notBefore?: number
  /** Model calls begun in this pass. */
  attempts: number
  session?: Session
  /** The session a fork's decider would have, while a person is asked. */
  decider?: Session
  /** Of a flow-ref or a map. */
  children?: Children
  /** Of a code step: what its handler is given. */
  values?: JsonObject
  /** Of a wait step (ms). */
  until?: number
  /** The last finish; a reopened step shows its previous pass here until it finishes again [F19]. */
  result?: StepResult
  /** A fork's words for this step, given to it once [F21]. */
  preamble?: string
  /** A route named this step: it is entered even if only an `on_error` leads here. */
  routed?: true
  question?: string
  /** The interaction in which a person was asked this fork's question, in this pass. */
  asked?: string
  usage: { input: number; output: number }
  tools: string[]
  /** What it was given, or what its children gave, came from outside, or is private [G11]. */
  tainted?: true
  private?: true
}

/** One agent's conversation, from `step.opened` to `step.finished`. */
export interface Session {
  agent: string
  model: string
  task: string
  body: string
  preamble?: string
  iteration?: number
  /** [J25] `seqs`: where it was opened. `chunks`: the earlier conversations it goes on with, once the session is ours. */
  sticky?: { id: string; inputs: Record<string, string>; seqs: number[]; chunks?: string[] }
  /** Accepted model replies so far; also the number of the next turn. */
  turn: number
  /** The journal entries that are the conversation, in order. */
  seqs: number[]
  /** What they hold in UTF-8, and a little for each: bounds the tokens of the next request [B1]. */
  bytes: number
  /** Calls of the last reply that have no answer yet, in the model's order; a latched finish is among them [G2]. */
  open: OpenCall[]
  /** Failed model calls of the session, and of the present turn with the time of its first failure. */
  failures: number
  turnFailures: number
  firstFailure?: number
  retryAt?: number
  /** Reminders and refused finishes: they share one allowance [J22]. */
  tries: number
  /** Calls of the present turn in the model's order, with the digests of those that came back [G9]. */
  results: { id: string; tool: string; digest?: string }[]
  /** The last result, and how often it came in a row. */
  repeat: { digest: string; count: number }
  /** The tool that gave the same result too often. */
  stuck?: string
  steers: { id: string; seq: number }[]
  /** The last assistant text [F42]. */
  text?: string
  /** [J23] Tool results up to this entry are shown as glimpses; what stood before the entries is told by the summary. */
  glimpsedTo?: number
  summary?: string
  /** How often the conversation was made shorter before this turn. */
  compact?: { turn: number; times: number }
  /** `bytes` when that was begun the last time. */
  shortening?: number
  /** The provider refused the last request for its length. */
  overflow?: true
  /** What the last request had, by the provider's count and by ours. */
  seen?: { tokens: number; bytes: number }
  /** It has read text from outside, something private [G11]. */
  tainted: boolean
  private: boolean
}

/** What was said in one pass of a step with a sticky session: its entries from `step.opened` on, none when nothing was said. */
export interface Transcript {
  step: string
  pass: number
  agent: string
  session: string
  seqs: number[]
  tainted: boolean
  private: boolean
}

/** The child runs of one step and pass: numbers, and the few that are open. */
export interface Children {
  total: number
  /** The next index to begin. */
  next: number
  /** Begun, but not yet known to run. */
  starting: number[]
  /** index → run. */
  open: Record<number, string>
  ended: number
  failed: number
  /** Why the last one that failed did, and of a map its index. */
  message?: string
  culprit?: number
  /** flow-ref: what the child is given, and what it gave. */
  task?: string
  values?: JsonObject
  report?: { summary: string; files: FileRef[]; artifacts?: string; outputs: JsonObject }
}

export interface OpenCall {
  call: ToolCall
  /** The interaction this call waits for. */
  asked?: string
  /** As admitted, coerced and completed [G6]; set once the call was made. */
  args?: JsonObject
  /** A person approved exactly these arguments [Q3]: it may run. */
  approved?: JsonObject
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
  /** It was made by a session that had read text from outside, something private [G11]. */
  tainted?: true
  private?: true
}

export interface Underway {
  kind: "model" | "tool" | "child" | "code" | "collect" | "lease" | "session" | "compact"
  step: string
  /** [B2] */ maxOutput?: number
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
}

export interface PendingRoute {
  step: string
  target: string
  label: string
  by: "agent" | "person" | "code" | "check" | "cap" | "error" | "complete"
  /** The other branches of a multi-select, in file order. */
  also?: { label: string; target: string }[]
}

export interface ForkChoice {
  question: string
  answer: string
  notes?: string
  /** `person` or `agent`. */
  by: string
  /** Which agent, when one chose. */
  agent?: string
}

/** What is kept of a run in a snapshot: the head, and one part per step. */
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

export const DONE: ReadonlySet<StepStatus> = new Set(["complete", "error", "blocked", "skipped", "canceled"])
export const isDone = (s: StepState): boolean => DONE.has(s.status)
export const isOver = (run: Run): boolean => run.status === "succeeded" || run.status === "failed" || run.status === "canceled"

/** The state of a step of the plan. Every step of the plan has one from `run.started` on. */
export function stepState(run: Run, id: string): StepState {
  const s = run.steps[id]
  if (!s) throw new Error(`step "${id}" is not part of this run's plan`)
  return s
}

/** [F18] How often the backward branch of this label was taken. Labels are anybody's words: `toString` is one. */
export const backTaken = (s: StepState, label: string): number => (Object.hasOwn(s.taken, label) ? (s.taken[label] ?? 0) : 0)
