// Defines signals, the messages to a run from outside, and the reasons for refusing one. Time and randomness come in with the signal [J6].

import type { Json, JsonObject } from "../json.ts"
import type { Amount } from "../money/amount.ts"
import type { PlanState } from "../plans/plan-state.ts"
import type { Rules } from "../tool/policy/policy.ts"
import type { ChangedFile } from "./steps/changed-files.ts"
import type { ChildAskSignal } from "./steps/child-questions.ts"
import type { ChildReport } from "./steps/children.ts"
import type { Verdict } from "./said/score.ts"
import type { KeptPass } from "./cached/kept-pass.ts"
import type { ContextRead } from "./session/context-files.ts"
import type { Compacted } from "./session/compaction.ts"
import type { SessionGrant } from "./session/sticky.ts"
import type { ServerQuestion } from "../tool/elicitation.ts"
import type {
  Attachment,
  ContentPart,
  FailureSource,
  FileRef,
  FileWrite,
  KeptEffect,
  RunError,
  StartFile,
  ToolCall,
  Truncated,
} from "./event-parts.ts"
import type { Usage } from "../money/usage.ts"
import type { FactOf } from "./event.ts"

export type BatchSignal =
  /** [R34] A batch is about to be sent. */
  | { readonly type: "batch.begin"; readonly key: string; readonly step: string; readonly pass: number }
  | FactOf<"batch.sent">
  | FactOf<"batch.ended">
  | FactOf<"child.batched">

/** [Q2] The body holds exactly one of the alternatives. */
export interface Answer {
  readonly answer?: Json
  readonly notes?: string
  readonly custom?: string
  readonly auto?: true
  readonly cancelled?: true
  readonly decision?: "approve" | "reject" | "edit"
  readonly args?: JsonObject
  readonly feedback?: string
  /** [Q3] Hash of the call that was shown; approving any other call is refused. */
  readonly hash?: string
}

export type Signal =
  /** `lease`: the first slice of the tenant's day [B4]. `paused`: an operator paused the run while it was queued [H5, H6]. `cannot`: the run
   *  begins and fails at once [W8]. `canceled`: it was canceled before it began, so it begins and ends in one decision [F23d].
   *  `superseded`: the same, because this run took its place [R8]. */
  | {
      readonly type: "start"
      readonly started: FactOf<"run.started">
      readonly lease?: Lease
      readonly paused?: true
      readonly cannot?: RunError
      readonly canceled?: true
      readonly superseded?: string
    }
  /** [K9] The run is the history of another one up to a cut, and goes on as a run of its own. */
  | ForkSignal
  | {
      readonly type: "model.reply"
      readonly key: string
      readonly reply: Reply
      /** The tenant's current rules; absent: the rules that the run already has. */
      readonly rules?: Rules
      /** When the reply came; approvals expire relative to it. */
      readonly at?: number
      /** [R34] The batch that it came with. */
      readonly batch?: string
      /** [Q3] callId → SHA-256 of run, step, pass, turn, call, tool and arguments; an approval is bound to it. */
      readonly digests?: Readonly<Record<string, string>>
      /** [T41] callId → the plan that an executePlan call names, as it was at that time. */
      readonly plans?: Readonly<Record<string, PlanShown>>
    }
  | {
      readonly type: "model.failure"
      readonly key: string
      readonly failure: Failure
      readonly batch?: string
      readonly at: number
      /** In [0, 1); of a replayed journal -1. */ readonly dice: number
    }
  /** [R29] The call waits for its turn. `other`: another model takes over, if the agent has one. */
  | {
      readonly type: "model.paced"
      readonly key: string
      readonly until: number
      readonly ahead: number
      readonly other?: boolean
    }
  /** [R33] The run above has taken the call: it waits for a batch. */
  | { readonly type: "model.batched"; readonly key: string }
  | BatchSignal
  /** [F26] Calls that a step makes itself, as they are put before the guard. */
  | OwnCallsSignal
  | { readonly type: "tool.result"; readonly key: string; readonly result: ToolResult }
  /** [T27] A server asks a person before it answers: the call is given up. `at`: now, from which a question expires. */
  | { readonly type: "tool.asks"; readonly key: string; readonly questions: readonly ServerQuestion[]; readonly at: number }
  | { readonly type: "code.result"; readonly key: string; readonly result: CodeResult }
  /** A child run has started, or could not start (`fault`). */
  | { readonly type: "child.start"; readonly key: string; readonly index: number; readonly run: string; readonly fault?: string }
  | {
      readonly type: "child.end"
      readonly step: string
      readonly pass: number
      readonly index: number
      readonly run: string
      readonly report: ChildReport
    }
  /** [P5] What a child run asks of people now. */
  | ({ readonly type: "child.ask" } & ChildAskSignal)
  /** [J25] The answer to a wish for a sticky session: granted or not. */
  | { readonly type: "session.open"; readonly key: string; readonly grant: SessionGrant }
  /** [F50] The agent's context files. */
  | { readonly type: "context"; readonly key: string; readonly step: string; readonly read: ContextRead }
  /** [R38] The digest of what the step asks, and the kept result of an equal pass; without one, or without an answer: absent. */
  | { readonly type: "looked-up"; readonly key: string; readonly digest: string; readonly found?: KeptPass }
  /** [V23] What a scorer says of the pass that the step has offered. */
  | { readonly type: "judged"; readonly key: string; readonly verdict: Verdict }
  /** [V25] The files of later rounds are as they were. */
  | { readonly type: "put-back"; readonly key: string; readonly changed: readonly ChangedFile[] }
  /** A slice of the tenant's day [B4]. */
  | { readonly type: "leased"; readonly key: string; readonly lease: Lease }
  /** The outputs of a map are collected. */
  | {
      readonly type: "collected"
      readonly key: string
      readonly outputs: JsonObject
      readonly files: readonly FileRef[]
      readonly changed?: readonly ChangedFile[]
    }
  /** `id`: chosen by the sender, so that a repeat is ignored [H4]. */
  | { readonly type: "signal"; readonly name: string; readonly payload: Json; readonly by: string; readonly id?: string }
  /** [F55] The body is stored; the shell changes the workspace in the same commit. */
  | { readonly type: "file"; readonly file: StartFile; readonly by: string }
  | { readonly type: "compacted"; readonly key: string; readonly step: string; readonly done: Compacted }
  /** [J10] No process works on this key any more. */
  | { readonly type: "lost"; readonly key: string }
  | {
      readonly type: "answer"
      readonly id: string
      readonly body: Answer
      readonly by: string
      /** [G11] Who answers holds a token, and is nobody of the tenant's. */
      readonly outside?: true
      readonly rules?: Rules
    }
  | { readonly type: "steer"; readonly step: string; readonly id: string; readonly message: string; readonly by: string }
  | { readonly type: "cancel"; readonly by: string }
  /** [R8] */
  | { readonly type: "supersede"; readonly by: string }
  /** `parent`: the parent run was paused; only the parent or an operator resumes the run. */
  | { readonly type: "pause"; readonly reason: PauseReason }
  | { readonly type: "resume"; readonly reason: PauseReason; readonly rules?: Rules }
  /** The time of a `wake` that `decide` returned has come. */
  | { readonly type: "timer"; readonly key: string; readonly at: number }
  /** [K32, K35] How an effect that was carried out on its own has ended; `refused`: newer rules forbid it. */
  | {
      readonly type: "effect.result"
      readonly key: string
      readonly result: {
        readonly state: "confirmed" | "failed" | "uncertain" | "refused" | "discarded"
        readonly reason?: string
        readonly content?: readonly ContentPart[]
      }
      readonly rules?: Rules
    }
  /** [K32] From the parent, after the end: carry these out, or discard what is left. */
  | { readonly type: "commit"; readonly keys: readonly string[]; readonly by: string; readonly rules?: Rules }
  | { readonly type: "discard"; readonly reason: string }
  /** [V11] */
  | { readonly type: "score"; readonly scored: FactOf<"run.scored">; readonly again?: boolean }
  /** [V19] */
  | { readonly type: "feedback"; readonly given: FactOf<"feedback.given"> }
  /** [K34] */
  | { readonly type: "resolve"; readonly key: string; readonly happened: boolean; readonly by: string }
  /** [K35] Absent `keys`: all. */
  | { readonly type: "undo"; readonly keys?: readonly string[]; readonly by: string; readonly rules?: Rules }
  /** [J12] The shell gave up. */
  | { readonly type: "broken"; readonly message: string }

export interface OwnCallsSignal {
  readonly type: "step.calls"
  readonly key: string
  readonly calls: readonly ToolCall[]
  readonly rules?: Rules
  /** When they came; approvals expire relative to it. */
  readonly at: number
  /** [Q3] As of a reply. */
  readonly digests: Readonly<Record<string, string>>
}

/** [K9] Everything that the first decision of a fork contains. */
export interface ForkSignal {
  readonly type: "fork"
  readonly forked: FactOf<"run.forked">
  /** The tenant's rules of now: the fork is judged by them from its first instant. */
  readonly rules?: Rules
  /** Its slice of the tenant's day [B4]. */
  readonly lease?: Lease
  /** Steps that the patch has added. */
  readonly added?: readonly string[]
  /** [K9] Of calls that were approved in the history: `approvedName` → SHA-256 of the call in this run. The kernel has no hash. */
  readonly digests?: Readonly<Record<string, string>>
  readonly instead?: Instead
  readonly at: number
}

/** [K12] A result that a person gives instead of an agent, a model or another person. */
export interface InsteadFinish {
  readonly status: "complete" | "error" | "blocked"
  readonly summary: string
  readonly outputs?: JsonObject
  readonly branch?: string
  readonly artifacts?: string
}

export interface InsteadReply {
  readonly text?: string
  readonly toolCalls?: readonly { readonly name: string; readonly args?: JsonObject; readonly id?: string }[]
}

export type Instead =
  | { readonly finish: InsteadFinish; readonly step: string }
  | {
      readonly reply: InsteadReply
      readonly step: string
      /** [Q3] callId → SHA-256 of the call: the kernel has no hash. */
      readonly digests: Readonly<Record<string, string>>
    }
  | { readonly answer: Answer; readonly interaction: string }

export type PauseReason = "operator" | "parent"

/** The tenant object's answer to a request for a slice of its daily budget: see `budget.leased`. */
export type Lease = Pick<FactOf<"budget.leased">, "granted" | "until" | "retry">

/** [F24] The value of a code step's handler, or why it failed. */
export type CodeResult =
  | { readonly ok: true; readonly value: Json; readonly summary?: string; readonly logs: readonly string[] }
  | { readonly ok: false; readonly source: FailureSource; readonly message: string; readonly logs: readonly string[] }

export interface Reply {
  readonly text: string
  readonly thinking: boolean
  readonly toolCalls: readonly ToolCall[]
  /** As the provider reported it, to be judged by the kernel [B3]; absent: it reported none. */
  readonly usage?: Usage
  /** No provider was asked: a rehearsal, or a script. */
  readonly unbilled?: true
  readonly stopReason: string
  /** SHA-256 of the system prompt and of the request. */
  readonly system: string
  readonly request: string
  /** [J20] The provider wants something back with this reply: for which model, and how large it is. */
  readonly state?: NonNullable<FactOf<"model.replied">["state"]>
  /** [G6] The reply was too large, and `text` is its start. */
  readonly cut?: NonNullable<FactOf<"model.replied">["cut"]>
  /** The reply was cut at its limit of output, so many tokens. */
  readonly limit?: number
  /** As the provider names it. */
  readonly responseModel?: string
}

export interface Failure {
  readonly status?: number
  readonly message: string
  readonly retryable: boolean
  readonly retryAfter?: number
  /** [R31] It was refused (429), and the provider says for how long (ms): such a call may wait without being a try. */
  readonly stops?: number
  /** [B1] The reply had begun: the call may be billed, whatever its status. */
  readonly begun?: true
  /** [F33] The reply had begun to call a tool. */
  readonly called?: true
  /** [J23] The request was too long for the model. */
  readonly overflow?: boolean
  /** No request has left: no provider bills anything. */
  readonly unasked?: true
  /** No model could be chosen: a fault in the configuration. */
  readonly config?: boolean
}

/** A plan as a person sees it before approving it. A plan never changes under its id. */
export interface PlanShown {
  readonly plan: string
  readonly planId: string
  readonly state: PlanState
  readonly body: JsonObject
}

/** [T42] The run that a call started and waited for, reported like a child run. */
export interface CalledRun {
  readonly run: string
  /** Absent: the run did not report its usage. */
  readonly usage?: NonNullable<ChildReport["usage"]>
  readonly spent?: Amount
  /** [K32] */
  readonly effects?: readonly KeptEffect[]
  /** [K40] The hash of its journal's last event. */
  readonly head?: string
}

export interface ToolResult {
  readonly child?: CalledRun
  readonly isError: boolean
  readonly content: readonly ContentPart[]
  /** [F56] Files that the result shows. */
  readonly attached?: readonly Attachment[]
  readonly details?: Json
  readonly truncated?: Truncated
  /** [G9] SHA-256 of tool, arguments and content; absent when it could not be computed. */
  readonly digest?: string
  /** [G11] This result contains text from outside, or private text, even if the tool does not declare it. */
  readonly untrusted?: boolean
  readonly private?: boolean
  /** [K31] The request left, and no answer came. */
  readonly uncertain?: boolean
  /** [F51b] Files that the call changed. */
  readonly wrote?: readonly FileWrite[]
  /** [K6] The same files, as they are now. */
  readonly changed?: readonly ChangedFile[]
}

export type Refusal =
  | { readonly code: "run_over" }
  | { readonly code: "already_started" }
  | { readonly code: "stale" }
  | { readonly code: "not_found" }
  | { readonly code: "not_running" }
  | { readonly code: "already_answered" }
  | { readonly code: "other_hash" }
  | { readonly code: "too_many" }
  /** [F55] Steps are at work, and a file would change under them. */
  | { readonly code: "busy"; readonly why: string }
  /** [J12] The run cannot continue; `why` names the definitions that are lost. */
  | { readonly code: "definitions_lost"; readonly why: string }
  | { readonly code: "invalid"; readonly errors: readonly { readonly path: string; readonly message: string }[] }
