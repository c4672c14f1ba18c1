// What the outside may tell a run, and why it was not taken. Time and dice come in with the signal [J6].

import type { Json, JsonObject } from "../json.ts"
import type { ContentPart, FactOf, ToolCall, Truncated, Usage } from "./event.ts"

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
}

export type Signal =
  | { readonly type: "start"; readonly started: FactOf<"run.started"> }
  | { readonly type: "model.reply"; readonly key: string; readonly reply: Reply }
  | {
      readonly type: "model.failure"
      readonly key: string
      readonly failure: Failure
      readonly at: number
      /** In [0, 1). */ readonly dice: number
    }
  | { readonly type: "tool.result"; readonly key: string; readonly result: ToolResult }
  /** Nobody works on this key any more [J10]. */
  | { readonly type: "lost"; readonly key: string }
  | { readonly type: "answer"; readonly id: string; readonly body: Answer; readonly by: string }
  | { readonly type: "steer"; readonly step: string; readonly id: string; readonly message: string; readonly by: string }
  | { readonly type: "cancel"; readonly by: string }
  /** A time that `decide` asked to be told of has come. */
  | { readonly type: "timer"; readonly key: string; readonly at: number }
  /** The shell gave up [J12]. */
  | { readonly type: "broken"; readonly message: string }

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
  /** The model could not even be chosen: a fault of the configuration. */
  readonly config?: boolean
}

export interface ToolResult {
  readonly isError: boolean
  readonly content: readonly ContentPart[]
  readonly details?: Json
  readonly truncated?: Truncated
  /** SHA-256 of tool, arguments and content [G9]; absent when it could not be taken. */
  readonly digest?: string
}

export type Refusal =
  | { readonly code: "run_over" }
  | { readonly code: "already_started" }
  | { readonly code: "stale" }
  | { readonly code: "not_found" }
  | { readonly code: "not_running" }
  | { readonly code: "already_answered" }
  | { readonly code: "invalid"; readonly errors: readonly { readonly path: string; readonly message: string }[] }
