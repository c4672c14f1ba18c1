// What a run wants next. `decide` asks for it, the shell does it.

import type { JsonObject } from "../json.ts"
import type { Amount } from "../money/amount.ts"
import type { Fact, ToolCall } from "./event.ts"
import type { CompactWish } from "./session/compaction.ts"
import type { SessionWish } from "./session/sticky.ts"

export type Action =
  | { readonly do: "record"; readonly facts: readonly Fact[] }
  | {
      readonly do: "call-model"
      readonly key: string
      readonly step: string
      /** ms; a retry is not due before it. */ readonly notBefore?: number
      /** [B2] Under a budget: how much the model may write, and what the call may cost at most. */ readonly maxOutput?: number
      readonly amount?: Amount
    }
  /** More of the tenant's day [B4]: at least this much, and as much more as is fair. */
  | { readonly do: "lease"; readonly key: string; readonly step: string; readonly amount: Amount; readonly notBefore?: number }
  | {
      readonly do: "run-tool"
      readonly key: string
      readonly step: string
      readonly call: ToolCall
      readonly args: JsonObject
      /** [B5] What is held back for the run that the call starts. */ readonly amount?: Amount
    }
  | CodeWish
  | ChildWish
  | SessionWish
  | CompactWish
  /** Gather the results of a map from the journal into its output file. */
  | { readonly do: "collect"; readonly key: string; readonly step: string; readonly pass: number }
  /** Send the signal `timer` at this time. */
  | { readonly do: "wake"; readonly key: string; readonly at: number }

export interface CodeWish {
  readonly do: "run-code"
  readonly key: string
  readonly step: string
  readonly input: JsonObject
}

export interface ChildWish {
  readonly do: "start-child"
  readonly key: string
  readonly step: string
  readonly index: number
  readonly flow: string
  readonly task: string
  readonly inputs: JsonObject
  /** The child's task or inputs came from outside, or are private [G11]. */
  readonly tainted?: true
  readonly private?: true
  /** [B5] What is held back for the child, and what the child may spend: the same, unless the amount was held back before. */
  readonly amount?: Amount
  readonly budget?: Amount
}

export const record = (...facts: Fact[]): Action => ({ do: "record", facts })
