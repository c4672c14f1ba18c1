// Defines what a run wants next: `decide` returns actions, the shell performs them.

import type { JsonObject } from "../json.ts"
import type { Amount } from "../money/amount.ts"
import type { ToolCall } from "./event-parts.ts"
import type { Fact } from "./event.ts"
import type { CompactWish } from "./session/compaction.ts"
import type { ContextWish } from "./session/context-files.ts"
import type { CarryOut } from "./effects/outside.ts"
import type { LookUp } from "./cached/look-up.ts"
import type { SessionWish } from "./session/sticky.ts"

export type Action =
  | { readonly do: "record"; readonly facts: readonly Fact[] }
  | {
      readonly do: "call-model"
      readonly key: string
      readonly step: string
      /** The earliest time of a retry (ms). */ readonly notBefore?: number
      /** [B2] Under a budget: the output limit of the model, and the most that the call may cost. */ readonly maxOutput?: number
      readonly amount?: Amount
      /** [R32] It is handed to the run above. */ readonly batch?: true
    }
  /** A larger slice of the tenant's day [B4]: at least this amount, and more up to a fair share. */
  | { readonly do: "lease"; readonly key: string; readonly step: string; readonly amount: Amount; readonly notBefore?: number }
  | {
      readonly do: "run-tool"
      readonly key: string
      readonly step: string
      readonly call: ToolCall
      readonly args: JsonObject
      /** [B5] The budget reserved for the run that the call starts. */ readonly amount?: Amount
    }
  | CodeWish
  | CallsWish
  | ChildWish
  | SessionWish
  | CompactWish
  | ContextWish
  | LookUp
  | ScoreWish
  | PutBack
  | CarryOut
  /** Collect the results of a map from the journal into its output file. */
  | { readonly do: "collect"; readonly key: string; readonly step: string; readonly pass: number }
  /** Send the signal `timer` at this time. */
  | { readonly do: "wake"; readonly key: string; readonly at: number }

/** Lets code, or what needs no model, score what a pass has offered. */
export interface ScoreWish {
  readonly do: "score"
  readonly key: string
  readonly step: string
}

/** [V25] Puts back what these steps have written after an event. */
export interface PutBack {
  readonly do: "put-back"
  readonly key: string
  readonly step: string
  readonly to: number
  readonly steps: readonly string[]
}

export interface CodeWish {
  readonly do: "run-code"
  readonly key: string
  readonly step: string
  readonly input: JsonObject
}

/** [F26] Let the guard judge the calls that a step makes itself: the shell brings the tenant's rules of now, and the digests. */
export interface CallsWish {
  readonly do: "make-calls"
  readonly key: string
  readonly step: string
  readonly calls: readonly ToolCall[]
}

export interface ChildWish {
  readonly do: "start-child"
  readonly key: string
  readonly step: string
  readonly index: number
  readonly flow: string
  readonly task: string
  readonly inputs: JsonObject
  /** The child's task or inputs contain text from outside, or private text [G11]. */
  readonly tainted?: true
  readonly private?: true
  /** [B5] `amount`: what to reserve for the child; absent when it is already reserved. `budget`: what the child may spend. */
  readonly amount?: Amount
  readonly budget?: Amount
  /** [V27] The most that it can cost, and its part of the budget; without dollars where a model has no price. */
  readonly most?: Amount
}

export const record = (...facts: Fact[]): Action => ({ do: "record", facts })
