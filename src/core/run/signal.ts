// What the outside may tell a run, and why it was not taken. Time and dice come in with the signal [J6].

import type { Json, JsonObject } from "../json.ts"
import type { Amount } from "../money/amount.ts"
import type { PlanState } from "../plans/plan-state.ts"
import type { Rules } from "../policy/policy.ts"
import type { ChildReport } from "./steps/children.ts"
import type { Compacted } from "./session/compaction.ts"
import type { SessionGrant } from "./session/sticky.ts"
import type { ContentPart, FactOf, FailureSource, FileRef, ToolCall, Truncated, Usage } from "./event.ts"

/** Exactly one alternative [Q2]. */
export interface Answer {
  readonly answer?: Json
  readonly notes?: string
  readonly custom?: string
  readonly auto?: true
  readonly cancelled?: true
  readonly decision?: "approve" | "reject" | "edit"
  readonly args?: JsonObject
  readonly feedback?: string
  /** Of the call as it was shown: approving another one is refused [Q3]. */
  readonly hash?: string
}

export type Signal =
  /** `lease`: the first slice of the tenant's day [B4]. `paused`: an operator paused it while it was queued [H5, H6]. */
  | { readonly type: "start"; readonly started: FactOf<"run.started">; readonly lease?: Lease; readonly paused?: true }
  | {
      readonly type: "model.reply"
      readonly key: string
      readonly reply: Reply
      /** The tenant's rules as they are now; absent: as the run knows them. */
      readonly rules?: Rules
      /** When it came: what an approval's expiry is counted from. */
      readonly at?: number
      /** callId → SHA-256 of run, step, pass, turn, call, tool and arguments: what an approval is bound to [Q3]. */
      readonly digests?: Readonly<Record<string, string>>
      /** callId → the plan that an executePlan is about, as it was then [T41]. */
      readonly plans?: Readonly<Record<string, PlanShown>>
    }
  | {
      readonly type: "model.failure"
      readonly key: string
      readonly failure: Failure
      readonly at: number
      /** In [0, 1). */ readonly dice: number
    }
  | { readonly type: "tool.result"; readonly key: string; readonly result: ToolResult }
  | { readonly type: "code.result"; readonly key: string; readonly result: CodeResult }
  /** A child run has begun, or could not be begun (`fault`). */
  | { readonly type: "child.start"; readonly key: string; readonly index: number; readonly run: string; readonly fault?: string }
  | {
      readonly type: "child.end"
      readonly step: string
      readonly pass: number
      readonly index: number
      readonly run: string
      readonly report: ChildReport
    }
  /** A sticky session is given out, or not [J25]. */
  | { readonly type: "session.open"; readonly key: string; readonly grant: SessionGrant }
  /** A slice of the tenant's day [B4]. */
  | { readonly type: "leased"; readonly key: string; readonly lease: Lease }
  /** A map's outputs are gathered. */
  | { readonly type: "collected"; readonly key: string; readonly outputs: JsonObject; readonly files: readonly FileRef[] }
  /** `id`: what the sender calls it, so that it is heard once [H4]. */
  | { readonly type: "signal"; readonly name: string; readonly payload: Json; readonly by: string; readonly id?: string }
  | { readonly type: "compacted"; readonly key: string; readonly step: string; readonly done: Compacted }
  /** Nobody works on this key any more [J10]. */
  | { readonly type: "lost"; readonly key: string }
  | { readonly type: "answer"; readonly id: string; readonly body: Answer; readonly by: string; readonly rules?: Rules }
  | { readonly type: "steer"; readonly step: string; readonly id: string; readonly message: string; readonly by: string }
  | { readonly type: "cancel"; readonly by: string }
  /** `parent`: as the run whose child it is was paused; only that resumes it, or an operator. */
  | { readonly type: "pause"; readonly reason: PauseReason }
  | { readonly type: "resume"; readonly reason: PauseReason; readonly rules?: Rules }
  /** A time that `decide` asked to be told of has come. */
  | { readonly type: "timer"; readonly key: string; readonly at: number }
  /** The shell gave up [J12]. */
  | { readonly type: "broken"; readonly message: string }

export type PauseReason = "operator" | "parent"

/** What the tenant's object answers to a wish for a part of its day: see `budget.leased`. */
export type Lease = Pick<FactOf<"budget.leased">, "granted" | "until" | "retry">

/** What a handler returned, or why it failed [F24]. */
export type CodeResult =
  | { readonly ok: true; readonly value: Json; readonly summary?: string; readonly logs: readonly string[] }
  | { readonly ok: false; readonly source: FailureSource; readonly message: string; readonly logs: readonly string[] }

export interface Reply {
  readonly text: string
  readonly thinking: boolean
  readonly toolCalls: readonly ToolCall[]
  readonly usage: Usage
  readonly cost: number | null
  readonly stopReason: string
  /** SHA-256 of the system prompt and of the request. */
  readonly system: string
  readonly request: string
}

export interface Failure {
  readonly status?: number
  readonly message: string
  readonly retryable: boolean
  readonly retryAfter?: number
  /** The request was longer than the model takes [J23]. */
  readonly overflow?: boolean
  /** The model could not even be chosen: a fault of the configuration. */
  readonly config?: boolean
}

/** What a person decides on who lets a plan through. A plan never changes under its id. */
export interface PlanShown {
  readonly plan: string
  readonly planId: string
  readonly state: PlanState
  readonly body: JsonObject
}

/** The run that a call started and waited for, as a child is reported [T42]. */
export interface CalledRun {
  readonly run: string
  /** Absent: it did not say what it used. */
  readonly usage?: NonNullable<ChildReport["usage"]>
  readonly spent?: Amount
}

export interface ToolResult {
  readonly child?: CalledRun
  readonly isError: boolean
  readonly content: readonly ContentPart[]
  readonly details?: Json
  readonly truncated?: Truncated
  /** SHA-256 of tool, arguments and content [G9]; absent when it could not be taken. */
  readonly digest?: string
  /** Its text came from outside, or shows what is private [G11], beyond what the tool always does. */
  readonly untrusted?: boolean
  readonly private?: boolean
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
  /** [J12] It stands still, and `why` says what of its definitions is lost. */
  | { readonly code: "definitions_lost"; readonly why: string }
  | { readonly code: "invalid"; readonly errors: readonly { readonly path: string; readonly message: string }[] }
